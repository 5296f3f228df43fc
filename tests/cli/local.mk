TESTS += tests/layers.sh tests/cli/run.sh tests/cli/docs.sh tests/cli/generated.sh tests/cases/run.py
EXTRA_DIST += tests/layers.sh tests/compare.awk tests/totals.sh tests/mutants tests/cli/cases \
	tests/cli/run.sh tests/cli/docs.sh tests/cli/generated.sh tests/cli/reading.sh tests/cli/threads.sh \
	tests/cases/run.py tests/cases/table.tsv

check_PROGRAMS += tests/cli/test_memory
tests_cli_test_memory_SOURCES = tests/cli/test_memory.c
tests_cli_test_memory_CPPFLAGS = $(check_flags)
tests_cli_test_memory_LDADD = $(check_libraries)
TESTS += tests/cli/test_memory

mutants: attn
	$(top_srcdir)/tests/mutants/run.sh $(top_srcdir) $(top_builddir)

.PHONY: mutants

check_PROGRAMS += tests/cli/test_options
tests_cli_test_options_SOURCES = tests/cli/test_options.c
tests_cli_test_options_CPPFLAGS = $(check_flags)
tests_cli_test_options_LDADD = $(check_libraries)
TESTS += tests/cli/test_options
TESTS += tests/cli/reading.sh tests/models_smoke.sh tests/cli/threads.sh
EXTRA_DIST += tests/models_smoke.sh tests/data tests/README
