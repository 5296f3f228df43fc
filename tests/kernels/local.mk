check_PROGRAMS += tests/kernels/test_kernels tests/kernels/test_matmul
tests_kernels_test_kernels_SOURCES = tests/kernels/test_kernels.c tests/testing.h
tests_kernels_test_kernels_CPPFLAGS = $(check_flags)
tests_kernels_test_kernels_LDADD = $(check_libraries)
tests_kernels_test_matmul_SOURCES = tests/kernels/test_matmul.c tests/testing.h
tests_kernels_test_matmul_CPPFLAGS = $(check_flags)
tests_kernels_test_matmul_LDADD = $(check_libraries)
TESTS += tests/kernels/test_kernels tests/kernels/test_matmul
dist_check_SCRIPTS += tests/kernels/neon.sh
TESTS += tests/kernels/neon.sh
EXTRA_DIST += tests/kernels/plain/check.h

check_PROGRAMS += tests/kernels/test_nearest
tests_kernels_test_nearest_SOURCES = tests/kernels/test_nearest.c tests/testing.h
tests_kernels_test_nearest_CPPFLAGS = $(check_flags)
tests_kernels_test_nearest_LDADD = $(check_libraries)
TESTS += tests/kernels/test_nearest
