attn_sources += \
	src/model/accounts.c \
	src/model/activation.c \
	src/model/blocks.c \
	src/model/config_json.c src/model/config_json.h \
	src/model/config_rope.c \
	src/model/draft.c src/model/draft.h \
	src/model/embed.c \
	src/model/family.c src/model/family.h \
	src/model/family_bert.c \
	src/model/family_gpt2.c \
	src/model/family_gpt_neox.c \
	src/model/family_llama.c src/model/family_llama.h \
	src/model/ffn.c \
	src/model/forward.c src/model/forward.h \
	src/model/gguf.c src/model/gguf.h \
	src/model/gguf_llama.c \
	src/model/gguf_vocab.c \
	src/model/head.c \
	src/model/huggingface.c \
	src/model/layer.c \
	src/model/linear.c \
	src/model/loader.h \
	src/model/mask_file.c src/model/mask_file.h \
	src/model/model.c src/model/model.h \
	src/model/norm.c \
	src/model/observer.h \
	src/model/overrides.c \
	src/model/parts.c \
	src/model/pass.h \
	src/model/roles.c src/model/roles.h \
	src/model/rotate.c \
	src/model/source.c src/model/source.h \
	src/model/toy.c src/model/toy.h \
	src/model/toy_layer.c \
	src/model/weights.c
