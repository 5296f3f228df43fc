attn_sources += \
	src/tensor/tensor.h
