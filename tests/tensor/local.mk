check_PROGRAMS += tests/tensor/test_tensor tests/tensor/test_quants
TESTS += tests/tensor/test_tensor tests/tensor/test_quants
tests_tensor_test_tensor_SOURCES = tests/tensor/test_tensor.c tests/testing.h
tests_tensor_test_tensor_CPPFLAGS = $(check_flags)
tests_tensor_test_tensor_LDADD = $(check_libraries)
tests_tensor_test_quants_SOURCES = tests/tensor/test_quants.c tests/testing.h
tests_tensor_test_quants_CPPFLAGS = $(check_flags)
tests_tensor_test_quants_LDADD = $(check_libraries)
