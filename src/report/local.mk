attn_sources += \
	src/report/report.h
