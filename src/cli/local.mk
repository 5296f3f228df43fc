attn_sources += \
	src/cli/default_model.c src/cli/default_model.h \
	src/cli/help.c src/cli/help.h \
	src/cli/message.c src/cli/message.h \
	src/cli/options.c src/cli/options.h \
	src/cli/run.c src/cli/run.h \
	src/cli/texts.c src/cli/texts.h \
	src/cli/usage.c src/cli/usage.h
