check_PROGRAMS += tests/attention/test_position tests/attention/test_mask
tests_attention_test_position_SOURCES = tests/attention/test_position.c
tests_attention_test_position_CPPFLAGS = $(check_flags)
tests_attention_test_position_LDADD = $(check_libraries)
tests_attention_test_mask_SOURCES = tests/attention/test_mask.c
tests_attention_test_mask_CPPFLAGS = $(check_flags)
tests_attention_test_mask_LDADD = $(check_libraries)
TESTS += tests/attention/test_position tests/attention/test_mask
