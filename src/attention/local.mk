attn_sources += \
	src/attention/attention.c src/attention/attention.h \
	src/attention/exact.c \
	src/attention/mask.c src/attention/mask.h \
	src/attention/position.c src/attention/position.h \
	src/attention/rows.c src/attention/rows.h \
	src/attention/rule.c \
	src/attention/score.c src/attention/score.h \
	src/attention/settle.c src/attention/settle.h \
	src/attention/stream.c src/attention/stream.h
