check_PROGRAMS += tests/base/test_base
tests_base_test_base_SOURCES = tests/base/test_base.c tests/testing.h
tests_base_test_base_CPPFLAGS = $(check_flags)
tests_base_test_base_LDADD = $(check_libraries)
TESTS += tests/base/test_base

check_PROGRAMS += tests/base/test_thread
tests_base_test_thread_SOURCES = tests/base/test_thread.c tests/testing.h
tests_base_test_thread_CPPFLAGS = $(check_flags)
tests_base_test_thread_LDADD = $(check_libraries)
TESTS += tests/base/test_thread
