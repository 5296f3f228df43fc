attn_sources += \
	src/load/accounts.c \
	src/load/checkpoint.c \
	src/load/checkpoint.h \
	src/load/config_json.c \
	src/load/config_json.h \
	src/load/config_rope.c \
	src/load/config_unknown.c \
	src/load/draft.c \
	src/load/draft.h \
	src/load/draft_finish.h \
	src/load/draft_heads.c \
	src/load/gguf.c \
	src/load/gguf.h \
	src/load/gguf_unknown.c \
	src/load/gguf_vocab.c \
	src/load/hub.c \
	src/load/huggingface.c \
	src/load/load.c \
	src/load/load.h \
	src/load/loader.h \
	src/load/mask_file.c \
	src/load/mask_file.h \
	src/load/masks.c \
	src/load/overrides.c \
	src/load/parts.c \
	src/load/roles.c \
	src/load/roles.h \
	src/load/weights.c \
	src/load/weights_settings.c \
	src/load/weights_settings.h
attn_sources += \
	src/load/toy/toy.c \
	src/load/toy/toy.h \
	src/load/toy/toy_layer.c
attn_sources += \
	src/load/family/bert.c \
	src/load/family/family.c \
	src/load/family/family.h \
	src/load/family/gpt2.c \
	src/load/family/gpt_neox.c \
	src/load/family/llama.c \
	src/load/family/llama.h \
	src/load/family/llama_gguf.c
