attn_sources += \
	src/kernels/choose.c \
	src/kernels/kernels.h \
	src/kernels/matmul.c src/kernels/matmul.h \
	src/kernels/scalar.c \
	src/kernels/sets.h
