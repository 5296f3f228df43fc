check_PROGRAMS += tests/report/test_report tests/report/test_select
tests_report_test_report_SOURCES = tests/report/test_report.c tests/testing.h
tests_report_test_report_CPPFLAGS = $(check_flags)
tests_report_test_report_LDADD = $(check_libraries)
tests_report_test_select_SOURCES = tests/report/test_select.c tests/testing.h
tests_report_test_select_CPPFLAGS = $(check_flags)
tests_report_test_select_LDADD = $(check_libraries)
TESTS += tests/report/test_report tests/report/test_select
