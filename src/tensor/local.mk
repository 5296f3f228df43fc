attn_sources += \
	src/tensor/convert.h \
	src/tensor/dtype.c \
	src/tensor/plain.c \
	src/tensor/quants.c \
	src/tensor/tensor.c src/tensor/tensor.h
