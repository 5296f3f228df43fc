attn_sources += \
	src/tensor/convert.h \
	src/tensor/dtype.c \
	src/tensor/grids.c src/tensor/grids.h \
	src/tensor/plain.c \
	src/tensor/quants.c src/tensor/quants_few.c src/tensor/quants_grid.c \
	src/tensor/tensor.c src/tensor/tensor.h
