check_PROGRAMS += tests/text/encode_file
tests_text_encode_file_SOURCES = tests/text/encode_file.c
tests_text_encode_file_LDADD = libattn.a $(attn_libraries)
