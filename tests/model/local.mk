# tests of the model: each program links the capturing observer
model_test_sources = tests/model/capture.c tests/model/capture.h tests/testing.h
model_test_flags = $(check_flags) -I$(top_srcdir)/tests/model

check_PROGRAMS += tests/model/test_toy
tests_model_test_toy_SOURCES = tests/model/test_toy.c $(model_test_sources)
tests_model_test_toy_CPPFLAGS = $(model_test_flags)
tests_model_test_toy_LDADD = $(check_libraries)
TESTS += tests/model/test_toy

check_PROGRAMS += tests/model/test_published
tests_model_test_published_SOURCES = tests/model/test_published.c $(model_test_sources)
tests_model_test_published_CPPFLAGS = $(model_test_flags)
tests_model_test_published_LDADD = $(check_libraries)
TESTS += tests/model/test_published

check_PROGRAMS += tests/model/test_families
tests_model_test_families_SOURCES = tests/model/test_families.c $(model_test_sources)
tests_model_test_families_CPPFLAGS = $(model_test_flags)
tests_model_test_families_LDADD = $(check_libraries)
TESTS += tests/model/test_families

EXTRA_DIST += tests/model/make_families.py tests/model/families

check_PROGRAMS += tests/model/test_activation
tests_model_test_activation_SOURCES = tests/model/test_activation.c tests/testing.h
tests_model_test_activation_CPPFLAGS = $(model_test_flags)
tests_model_test_activation_LDADD = $(check_libraries)
TESTS += tests/model/test_activation

check_PROGRAMS += tests/model/test_parts
tests_model_test_parts_SOURCES = tests/model/test_parts.c $(model_test_sources)
tests_model_test_parts_CPPFLAGS = $(model_test_flags)
tests_model_test_parts_LDADD = $(check_libraries)
TESTS += tests/model/test_parts

check_PROGRAMS += tests/model/test_broken
tests_model_test_broken_SOURCES = tests/model/test_broken.c $(model_test_sources)
tests_model_test_broken_CPPFLAGS = $(model_test_flags)
tests_model_test_broken_LDADD = $(check_libraries)
TESTS += tests/model/test_broken

check_PROGRAMS += tests/model/test_gguf_vocab
tests_model_test_gguf_vocab_SOURCES = tests/model/test_gguf_vocab.c $(model_test_sources)
tests_model_test_gguf_vocab_CPPFLAGS = $(model_test_flags)
tests_model_test_gguf_vocab_LDADD = $(check_libraries)
TESTS += tests/model/test_gguf_vocab
