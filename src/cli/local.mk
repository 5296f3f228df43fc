attn_sources += \
	src/cli/default_model.c src/cli/default_model.h \
	src/cli/encode.c src/cli/encode.h \
	src/cli/help.c src/cli/help.h \
	src/cli/message.c src/cli/message.h \
	src/cli/option_table.c \
	src/cli/options.c src/cli/options.h \
	src/cli/request.h \
	src/cli/run.c src/cli/run.h \
	src/cli/signals.c src/cli/signals.h \
	src/cli/texts.c src/cli/texts.h \
	src/cli/usage.c src/cli/usage.h

bin_PROGRAMS += attn
attn_SOURCES = src/main.c
attn_LDADD = libattn.a $(attn_libraries)

# What the option table gives to documents; `make update-docs` writes it into the man page and the completion.
noinst_PROGRAMS = attn-doc
attn_doc_SOURCES = src/cli/doc.c
attn_doc_LDADD = libattn.a $(attn_libraries)

update-docs: attn-doc
	ATTN_BUILD=$(abs_top_builddir) $(top_srcdir)/tests/cli/generated.sh --update

.PHONY: update-docs

dist_man_MANS = man/attn.1 man/attn-article.7
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = completions/attn
EXTRA_DIST += README src/README examples
