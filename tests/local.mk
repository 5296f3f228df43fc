# Every test runs with these variables; a test that lacks what it needs prints "SKIP: why" and exits 77. Check's own
# limit of 4 seconds is too short for a busy machine.
AM_TESTS_ENVIRONMENT = \
	CK_DEFAULT_TIMEOUT=120; export CK_DEFAULT_TIMEOUT; \
	ATTN_SHARED='$(ATTN_SHARED)'; export ATTN_SHARED; \
	ATTN_SOURCE='$(abs_top_srcdir)'; export ATTN_SOURCE; \
	ATTN_BUILD='$(abs_top_builddir)'; export ATTN_BUILD; \
	ATTN='$(abs_top_builddir)/attn$(EXEEXT)'; export ATTN;

# A program is a line here: tests/ROOM/test_x is made of tests/ROOM/test_x.c, the helpers of tests/testing/ and the
# library (automake's own rule, with the LDADD below, which a program elsewhere that must not have it sets itself).
test_programs = \
	tests/attention/test_attention \
	tests/attention/test_mask \
	tests/attention/test_onnx \
	tests/attention/test_onnxruntime \
	tests/attention/test_position \
	tests/attention/test_range \
	tests/base/test_base \
	tests/base/test_decimal \
	tests/base/test_file \
	tests/base/test_hash \
	tests/base/test_json \
	tests/base/test_json_numbers \
	tests/base/test_line_stream \
	tests/base/test_text_file \
	tests/base/test_thread \
	tests/base/test_utf8 \
	tests/cli/test_memory \
	tests/cli/test_options \
	tests/cli/test_signals \
	tests/formats/test_fasttext \
	tests/formats/test_gguf \
	tests/formats/test_gguf_split \
	tests/formats/test_json_matrices \
	tests/formats/test_llama2c \
	tests/formats/test_npy \
	tests/formats/test_npz \
	tests/formats/test_safetensors \
	tests/formats/test_torch \
	tests/formats/test_vectors \
	tests/kernels/test_kernels \
	tests/kernels/test_matmul \
	tests/kernels/test_nearest \
	tests/load/family/test_families \
	tests/load/test_broken \
	tests/load/test_config \
	tests/load/test_gguf_keys \
	tests/load/test_gguf_vocab \
	tests/load/test_parts \
	tests/load/test_settings \
	tests/load/toy/test_toy \
	tests/model/test_norm \
	tests/output/test_color \
	tests/output/test_fit \
	tests/output/test_number \
	tests/output/test_png \
	tests/output/test_pool \
	tests/output/test_screen \
	tests/output/test_sink \
	tests/output/test_writer \
	tests/pass/test_activation \
	tests/pass/test_edits \
	tests/pass/test_parts \
	tests/pass/test_published \
	tests/pass/test_traced \
	tests/report/test_describe \
	tests/report/test_embeddings \
	tests/report/test_explain \
	tests/report/test_heads \
	tests/report/test_nearest \
	tests/report/test_next \
	tests/report/test_principal \
	tests/report/test_projections \
	tests/report/test_pull \
	tests/report/test_report \
	tests/report/test_select \
	tests/report/test_similar \
	tests/report/test_tokens \
	tests/report/test_weights \
	tests/report/test_wordvec \
	tests/tensor/test_quants \
	tests/tensor/test_tensor \
	tests/text/kinds/test_kinds \
	tests/text/kinds/test_merge \
	tests/text/kinds/test_unigram \
	tests/text/kinds/test_wordpiece \
	tests/text/split/test_pattern \
	tests/text/split/test_pre \
	tests/text/split/test_split \
	tests/text/test_added \
	tests/text/test_hints \
	tests/text/test_label \
	tests/text/test_pages \
	tests/text/test_published \
	tests/text/test_word \
	tests/text/unicode/test_form \
	tests/text/unicode/test_normalize \
	tests/text/vocab/test_beside \
	tests/text/vocab/test_spm_model \
	tests/text/vocab/test_tiktoken \
	tests/text/vocab/test_tokenizer_json \
	tests/text/vocab/test_library \
	tests/text/vocab/test_vocab_json \
	tests/text/vocab/test_vocab_txt

test_scripts = \
	tests/bounds/memory.py \
	tests/bounds/work.py \
	tests/cases/run.py \
	tests/cli/article.sh \
	tests/cli/docs.sh \
	tests/cli/generated.sh \
	tests/cli/reading.sh \
	tests/cli/run.sh \
	tests/cli/threads.sh \
	tests/exercise.sh \
	tests/faults/kills.py \
	tests/faults/run.py \
	tests/fuzz/replay.sh \
	tests/kernels/neon.sh \
	tests/layers.sh \
	tests/models_smoke.sh \
	tests/mutants/edits.py \
	tests/output/heat.py \
	tests/output/html_browser.py \
	tests/output/html_data.py \
	tests/output/html_functions.sh \
	tests/formats/fasttext.sh \
	tests/output/npy.sh \
	tests/output/svg.sh \
	tests/output/widths.py \
	tests/report/lens.sh \
	tests/text/npm_compare/run \
	tests/text/unicode/normal_forms.py \
	tests/totals_check.sh

AM_CPPFLAGS += $(CHECK_CFLAGS) -I$(top_srcdir)/tests
LDADD = tests/libtesting.a libattn.a $(CHECK_LIBS) $(attn_libraries)

check_LIBRARIES = tests/libtesting.a
tests_libtesting_a_SOURCES = tests/testing.h \
	tests/testing/arrays.c tests/testing/arrays.h \
	tests/testing/capture.c tests/testing/capture.h \
	tests/testing/containers.c tests/testing/containers.h \
	tests/testing/files.c tests/testing/files.h \
	tests/testing/locales.c tests/testing/locales.h \
	tests/testing/memory.c tests/testing/memory.h \
	tests/testing/models.c tests/testing/models.h \
	tests/testing/parts.c tests/testing/parts.h \
	tests/testing/random.c tests/testing/random.h \
	tests/testing/replay.c \
	tests/testing/reports.c tests/testing/reports.h \
	tests/testing/sinks.c tests/testing/sinks.h \
	tests/testing/testing.c \
	tests/testing/texts.c tests/testing/texts.h \
	tests/testing/trees.c tests/testing/trees.h

# small: the peak of what it runs is never below its own
tests_bounds_peak_LDADD =

# attn that counts what it does; tests/bounds/work.py makes it
EXTRA_LIBRARIES = tests/bounds/libcount.a
EXTRA_PROGRAMS += tests/bounds/counted
CLEANFILES += tests/bounds/libcount.a tests/bounds/counted$(EXEEXT)
tests_bounds_libcount_a_SOURCES = tests/bounds/count.c
tests_bounds_counted_SOURCES = $(attn_sources) src/main.c
tests_bounds_counted_CFLAGS = $(AM_CFLAGS) -O1 -fno-builtin -fsanitize-coverage=trace-pc
tests_bounds_counted_LDFLAGS = -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=memchr,--wrap=strlen,--wrap=strcmp
tests_bounds_counted_LDADD = $(libattn_a_LIBADD) tests/bounds/libcount.a $(attn_libraries)

# counts how often Unicode's tables are asked
tests_text_unicode_test_form_LDFLAGS = -Wl,--wrap=utf8proc_get_property,--wrap=utf8proc_normalize_utf32

check_PROGRAMS += $(test_programs) tests/bounds/peak tests/text/encode_file tests/text/unicode/normal_form
dist_check_SCRIPTS += $(test_scripts)
TESTS += $(test_programs) $(test_scripts)
EXTRA_DIST += tests/output/picture.py
EXTRA_DIST += tests/cli/article.txt tests/cli/article-ko.txt
EXTRA_DIST += tests/README tests/attention/conformance.h tests/attention/reference.h tests/bounds/files.py tests/cases/table.tsv \
	tests/cli/cases tests/compare.awk tests/data tests/deep.sh tests/formats/make_data.py tests/formats/make_torch.py tests/kernels/plain/check.h \
	tests/model/families tests/model/make_families.py tests/mutants/edits tests/mutants/run.py \
	tests/output/html_functions.js tests/output/html_page.py tests/tensor/make_quants.py tests/text/npm_compare/compare.js \
	tests/text/npm_compare/generate.js tests/text/npm_compare/gguf.js \
	tests/text/npm_compare/library.js tests/text/npm_compare/spm.py tests/text/npm_compare/suites.js tests/testing/script.sh tests/totals.sh tests/valgrind.sh

# What takes too long for make check; DEEP=all: every test under the thread sanitizer and valgrind, too.
check-deep: all
	$(AM_TESTS_ENVIRONMENT) $(top_srcdir)/tests/deep.sh $(top_builddir) $(DEEP)

# make mutants MUTANTS='NAME… --changed=REV' makes some.
mutants:
	$(top_srcdir)/tests/mutants/run.py --build=$(top_builddir) $(MUTANTS)

clean-local:
	rm -rf build-thread

.PHONY: check-deep mutants

mostlyclean-local:
	rm -rf build-mutants

include tests/faults/local.mk
include tests/fuzz/local.mk
