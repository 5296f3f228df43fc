attn_sources += \
	src/output/sink.h src/output/number.h
