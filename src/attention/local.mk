attn_sources += \
	src/attention/attention.h src/attention/mask.h src/attention/position.h
