attn_sources += \
	src/formats/container.c src/formats/container.h \
	src/formats/extents.c \
	src/formats/format.h \
	src/formats/npy.c \
	src/formats/safetensors.c \
	src/formats/safetensors_index.c \
	src/formats/vectors.h
