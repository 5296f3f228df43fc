attn_sources += \
	src/model/model.h src/model/observer.h src/model/forward.h
