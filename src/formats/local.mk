attn_sources += \
	src/formats/container.h src/formats/vectors.h
