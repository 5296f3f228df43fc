# Byte-pair encoding, Unigram, their splitters and their readers: one program a part.
bpe_tests = tests/bpe/test_split tests/bpe/test_pattern tests/bpe/test_merge \
	tests/bpe/test_published tests/bpe/test_tokenizer_json tests/bpe/test_readers tests/bpe/test_unigram
check_PROGRAMS += $(bpe_tests)
TESTS += $(bpe_tests)
EXTRA_DIST += tests/bpe/npm_suites.js
bpe_headers = tests/bpe/bpe_testing.h tests/text/texts.h tests/testing.h

tests_bpe_test_split_SOURCES = tests/bpe/test_split.c $(bpe_headers)
tests_bpe_test_split_CPPFLAGS = $(check_flags)
tests_bpe_test_split_LDADD = $(check_libraries)

tests_bpe_test_pattern_SOURCES = tests/bpe/test_pattern.c $(bpe_headers)
tests_bpe_test_pattern_CPPFLAGS = $(check_flags)
tests_bpe_test_pattern_LDADD = $(check_libraries)

tests_bpe_test_merge_SOURCES = tests/bpe/test_merge.c $(bpe_headers)
tests_bpe_test_merge_CPPFLAGS = $(check_flags)
tests_bpe_test_merge_LDADD = $(check_libraries)

tests_bpe_test_published_SOURCES = tests/bpe/test_published.c $(bpe_headers)
tests_bpe_test_published_CPPFLAGS = $(check_flags)
tests_bpe_test_published_LDADD = $(check_libraries)

tests_bpe_test_tokenizer_json_SOURCES = tests/bpe/test_tokenizer_json.c $(bpe_headers)
tests_bpe_test_tokenizer_json_CPPFLAGS = $(check_flags)
tests_bpe_test_tokenizer_json_LDADD = $(check_libraries)

tests_bpe_test_readers_SOURCES = tests/bpe/test_readers.c $(bpe_headers)
tests_bpe_test_readers_CPPFLAGS = $(check_flags)
tests_bpe_test_readers_LDADD = $(check_libraries)

tests_bpe_test_unigram_SOURCES = tests/bpe/test_unigram.c $(bpe_headers)
tests_bpe_test_unigram_CPPFLAGS = $(check_flags)
tests_bpe_test_unigram_LDADD = $(check_libraries)
