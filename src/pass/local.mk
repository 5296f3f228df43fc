attn_sources += \
	src/pass/activation.c \
	src/pass/blocks.c \
	src/pass/embed.c \
	src/pass/ffn.c \
	src/pass/forward.c \
	src/pass/forward.h \
	src/pass/head.c \
	src/pass/layer.c \
	src/pass/linear.c \
	src/pass/observer.h \
	src/pass/pass.h \
	src/pass/rotate.c
