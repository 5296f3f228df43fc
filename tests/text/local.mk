check_PROGRAMS += tests/text/encode_file
tests_text_encode_file_SOURCES = tests/text/encode_file.c
tests_text_encode_file_LDADD = libattn.a $(attn_libraries)
dist_check_SCRIPTS += tests/text/npm_compare/run
EXTRA_DIST += tests/text/npm_compare/compare.js
TESTS += tests/text/npm_compare/run
