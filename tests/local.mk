# Every test, whatever it is written in, runs with these variables; a test that lacks what it needs prints
# "SKIP: why" and exits 77. Check's own limit of 4 seconds is too short for a busy machine.
AM_TESTS_ENVIRONMENT = \
	CK_DEFAULT_TIMEOUT=120; export CK_DEFAULT_TIMEOUT; \
	ATTN_SHARED='$(ATTN_SHARED)'; export ATTN_SHARED; \
	ATTN_SOURCE='$(abs_top_srcdir)'; export ATTN_SOURCE; \
	ATTN_BUILD='$(abs_top_builddir)'; export ATTN_BUILD; \
	ATTN='$(abs_top_builddir)/attn$(EXEEXT)'; export ATTN;

check_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
check_libraries = libattn.a $(CHECK_LIBS) $(attn_libraries)

include tests/base/local.mk
include tests/json/local.mk
include tests/tensor/local.mk
include tests/kernels/local.mk
include tests/formats/local.mk
include tests/text/local.mk
include tests/bpe/local.mk
include tests/attention/local.mk
include tests/model/local.mk
include tests/output/local.mk
include tests/report/local.mk
include tests/cli/local.mk
include tests/fuzz/local.mk
