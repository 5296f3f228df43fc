attn_sources += \
	src/output/number.c src/output/number.h \
	src/output/sink.c src/output/sink.h
