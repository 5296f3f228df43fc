attn_sources += \
	src/model/activation.c \
	src/model/blocks.c \
	src/model/embed.c \
	src/model/ffn.c \
	src/model/forward.c src/model/forward.h \
	src/model/head.c \
	src/model/layer.c \
	src/model/linear.c \
	src/model/mask_file.c src/model/mask_file.h \
	src/model/model.h \
	src/model/norm.c \
	src/model/observer.h \
	src/model/pass.h \
	src/model/rotate.c
