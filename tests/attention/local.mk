check_PROGRAMS += tests/attention/test_position tests/attention/test_mask
tests_attention_test_position_SOURCES = tests/attention/test_position.c
tests_attention_test_position_CPPFLAGS = $(check_flags)
tests_attention_test_position_LDADD = $(check_libraries)
tests_attention_test_mask_SOURCES = tests/attention/test_mask.c
tests_attention_test_mask_CPPFLAGS = $(check_flags)
tests_attention_test_mask_LDADD = $(check_libraries)
TESTS += tests/attention/test_position tests/attention/test_mask

check_PROGRAMS += tests/attention/test_attention
tests_attention_test_attention_SOURCES = tests/attention/test_attention.c tests/attention/reference.h \
	tests/testing.h
tests_attention_test_attention_CPPFLAGS = $(check_flags)
tests_attention_test_attention_LDADD = $(check_libraries)
TESTS += tests/attention/test_attention

# The conformance suites of others, through attn's own entry points.
check_PROGRAMS += tests/onnx_attention
tests_onnx_attention_SOURCES = tests/onnx_attention.c tests/attention/conformance.h
tests_onnx_attention_CPPFLAGS = $(check_flags)
tests_onnx_attention_LDADD = $(check_libraries)
TESTS += tests/onnx_attention

check_PROGRAMS += tests/onnxruntime_attention
tests_onnxruntime_attention_SOURCES = tests/onnxruntime_attention.c tests/attention/conformance.h
tests_onnxruntime_attention_CPPFLAGS = $(check_flags)
tests_onnxruntime_attention_LDADD = $(check_libraries)
TESTS += tests/onnxruntime_attention
