check_PROGRAMS += tests/text/encode_file
tests_text_encode_file_SOURCES = tests/text/encode_file.c
tests_text_encode_file_LDADD = libattn.a $(attn_libraries)
dist_check_SCRIPTS += tests/text/npm_compare/run
EXTRA_DIST += tests/text/npm_compare/compare.js
TESTS += tests/text/npm_compare/run

check_PROGRAMS += tests/text/test_kinds
tests_text_test_kinds_SOURCES = tests/text/test_kinds.c tests/text/texts.h tests/testing.h
tests_text_test_kinds_CPPFLAGS = $(check_flags)
tests_text_test_kinds_LDADD = $(check_libraries)
TESTS += tests/text/test_kinds

check_PROGRAMS += tests/text/test_wordpiece
tests_text_test_wordpiece_SOURCES = tests/text/test_wordpiece.c tests/text/texts.h tests/testing.h
tests_text_test_wordpiece_CPPFLAGS = $(check_flags)
tests_text_test_wordpiece_LDADD = $(check_libraries)
TESTS += tests/text/test_wordpiece

check_PROGRAMS += tests/text/test_pages
tests_text_test_pages_SOURCES = tests/text/test_pages.c tests/text/texts.h tests/testing.h
tests_text_test_pages_CPPFLAGS = $(check_flags)
tests_text_test_pages_LDADD = $(check_libraries)
TESTS += tests/text/test_pages
