# One test program a format.
formats_tests = tests/formats/test_safetensors tests/formats/test_npy \
	tests/formats/test_npz tests/formats/test_gguf tests/formats/test_llama2c \
	tests/formats/test_json_matrices tests/formats/test_vectors
check_PROGRAMS += $(formats_tests)
TESTS += $(formats_tests)
EXTRA_DIST += tests/data/formats tests/formats/make_data.py

tests_formats_test_safetensors_SOURCES = tests/formats/test_safetensors.c tests/formats/formats_testing.h
tests_formats_test_safetensors_CPPFLAGS = $(check_flags)
tests_formats_test_safetensors_LDADD = $(check_libraries)

tests_formats_test_npy_SOURCES = tests/formats/test_npy.c tests/formats/formats_testing.h
tests_formats_test_npy_CPPFLAGS = $(check_flags)
tests_formats_test_npy_LDADD = $(check_libraries)

tests_formats_test_gguf_SOURCES = tests/formats/test_gguf.c tests/formats/formats_testing.h
tests_formats_test_gguf_CPPFLAGS = $(check_flags)
tests_formats_test_gguf_LDADD = $(check_libraries)

tests_formats_test_npz_SOURCES = tests/formats/test_npz.c tests/formats/formats_testing.h
tests_formats_test_npz_CPPFLAGS = $(check_flags)
tests_formats_test_npz_LDADD = $(check_libraries)

tests_formats_test_llama2c_SOURCES = tests/formats/test_llama2c.c tests/formats/formats_testing.h
tests_formats_test_llama2c_CPPFLAGS = $(check_flags)
tests_formats_test_llama2c_LDADD = $(check_libraries)

tests_formats_test_json_matrices_SOURCES = tests/formats/test_json_matrices.c tests/formats/formats_testing.h
tests_formats_test_json_matrices_CPPFLAGS = $(check_flags)
tests_formats_test_json_matrices_LDADD = $(check_libraries)

tests_formats_test_vectors_SOURCES = tests/formats/test_vectors.c tests/formats/formats_testing.h
tests_formats_test_vectors_CPPFLAGS = $(check_flags)
tests_formats_test_vectors_LDADD = $(check_libraries)
