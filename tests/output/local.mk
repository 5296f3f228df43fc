check_PROGRAMS += tests/output/test_number tests/output/test_sink
tests_output_test_number_SOURCES = tests/output/test_number.c tests/testing.h
tests_output_test_number_CPPFLAGS = $(check_flags)
tests_output_test_number_LDADD = $(check_libraries)
tests_output_test_sink_SOURCES = tests/output/test_sink.c tests/testing.h
tests_output_test_sink_CPPFLAGS = $(check_flags)
tests_output_test_sink_LDADD = $(check_libraries)
TESTS += tests/output/test_number tests/output/test_sink
