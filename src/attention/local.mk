attn_sources += \
	src/attention/attention.h \
	src/attention/mask.c src/attention/mask.h \
	src/attention/position.c src/attention/position.h \
	src/attention/rule.c
