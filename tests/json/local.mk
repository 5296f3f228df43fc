json_tests = tests/json/test_decimal tests/json/test_json tests/json/test_json_numbers tests/json/test_utf8
check_PROGRAMS += $(json_tests)
TESTS += $(json_tests)

tests_json_test_decimal_SOURCES = tests/json/test_decimal.c tests/testing.h
tests_json_test_decimal_CPPFLAGS = $(check_flags)
tests_json_test_decimal_LDADD = $(check_libraries)

tests_json_test_json_SOURCES = tests/json/test_json.c tests/testing.h
tests_json_test_json_CPPFLAGS = $(check_flags)
tests_json_test_json_LDADD = $(check_libraries)

tests_json_test_json_numbers_SOURCES = tests/json/test_json_numbers.c tests/testing.h
tests_json_test_json_numbers_CPPFLAGS = $(check_flags)
tests_json_test_json_numbers_LDADD = $(check_libraries)

tests_json_test_utf8_SOURCES = tests/json/test_utf8.c tests/testing.h
tests_json_test_utf8_CPPFLAGS = $(check_flags)
tests_json_test_utf8_LDADD = $(check_libraries)
