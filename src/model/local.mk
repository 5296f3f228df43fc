attn_sources += \
	src/model/model.c \
	src/model/model.h \
	src/model/norm.c \
	src/model/norm.h
