attn_sources += \
	src/pass/activation.c \
	src/pass/blocks.c \
	src/pass/edits.c \
	src/pass/embed.c \
	src/pass/ffn.c \
	src/pass/forward.c \
	src/pass/forward.h \
	src/pass/head.c \
	src/pass/head_output.c \
	src/pass/layer.c \
	src/pass/linear.c \
	src/pass/observer.h \
	src/pass/parts.c \
	src/pass/pass.h \
	src/pass/rotate.c \
	src/pass/tail.c
