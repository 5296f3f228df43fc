attn_sources += \
	src/text/spec.h src/text/tokenizer.h
