attn_sources += \
	src/kernels/choose.c \
	src/kernels/kernels.h \
	src/kernels/nearest.c src/kernels/nearest.h \
	src/kernels/nearest_list.c src/kernels/nearest_list.h \
	src/kernels/matmul.c src/kernels/matmul.h \
	src/kernels/scalar.c \
	src/kernels/sets.h
