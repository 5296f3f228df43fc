attn_sources += \
	src/model/accounts.c \
	src/model/activation.c \
	src/model/blocks.c \
	src/model/directory.c \
	src/model/draft.c src/model/draft.h \
	src/model/embed.c \
	src/model/ffn.c \
	src/model/forward.c src/model/forward.h \
	src/model/head.c \
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
	src/model/toy.c src/model/toy.h \
	src/model/toy_layer.c \
	src/model/weights.c
