# One program a target: with --enable-fuzzing (CC=clang) libFuzzer's, else one that replays files. See
# tests/fuzz/README for how to add one.
if FUZZING
fuzz_main =
fuzz_flags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
fuzz_main = tests/fuzz/replay.c
fuzz_flags = $(AM_LDFLAGS)
endif
fuzz_programs =

fuzz_programs += tests/fuzz/fuzz_safetensors
tests_fuzz_fuzz_safetensors_SOURCES = tests/fuzz/fuzz_safetensors.c $(fuzz_main)
tests_fuzz_fuzz_safetensors_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_safetensors_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_safetensors_index
tests_fuzz_fuzz_safetensors_index_SOURCES = tests/fuzz/fuzz_safetensors_index.c $(fuzz_main)
tests_fuzz_fuzz_safetensors_index_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_safetensors_index_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_npy
tests_fuzz_fuzz_npy_SOURCES = tests/fuzz/fuzz_npy.c $(fuzz_main)
tests_fuzz_fuzz_npy_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_npy_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_npz
tests_fuzz_fuzz_npz_SOURCES = tests/fuzz/fuzz_npz.c $(fuzz_main)
tests_fuzz_fuzz_npz_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_npz_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_gguf
tests_fuzz_fuzz_gguf_SOURCES = tests/fuzz/fuzz_gguf.c $(fuzz_main)
tests_fuzz_fuzz_gguf_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_gguf_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_llama2c
tests_fuzz_fuzz_llama2c_SOURCES = tests/fuzz/fuzz_llama2c.c $(fuzz_main)
tests_fuzz_fuzz_llama2c_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_llama2c_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_text
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_text_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_text_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_wordpiece
tests_fuzz_fuzz_wordpiece_SOURCES = tests/fuzz/fuzz_wordpiece.c tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_wordpiece_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_wordpiece_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_vocab_txt
tests_fuzz_fuzz_vocab_txt_SOURCES = tests/fuzz/fuzz_vocab_txt.c tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_vocab_txt_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_vocab_txt_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_json
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c $(fuzz_main)
tests_fuzz_fuzz_json_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_json_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_json_matrices
tests_fuzz_fuzz_json_matrices_SOURCES = tests/fuzz/fuzz_json_matrices.c $(fuzz_main)
tests_fuzz_fuzz_json_matrices_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_json_matrices_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_decimal
tests_fuzz_fuzz_decimal_SOURCES = tests/fuzz/fuzz_decimal.c $(fuzz_main)
tests_fuzz_fuzz_decimal_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_decimal_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_vectors
tests_fuzz_fuzz_vectors_SOURCES = tests/fuzz/fuzz_vectors.c $(fuzz_main)
tests_fuzz_fuzz_vectors_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_vectors_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_toy_model
tests_fuzz_fuzz_toy_model_SOURCES = tests/fuzz/fuzz_toy_model.c tests/fuzz/fuzz_model.h $(fuzz_main)
tests_fuzz_fuzz_toy_model_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_toy_model_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_gguf_model
tests_fuzz_fuzz_gguf_model_SOURCES = tests/fuzz/fuzz_gguf_model.c tests/fuzz/fuzz_model.h $(fuzz_main)
tests_fuzz_fuzz_gguf_model_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_gguf_model_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_config
tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c tests/fuzz/fuzz_model.h $(fuzz_main)
tests_fuzz_fuzz_config_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_config_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_bpe
tests_fuzz_fuzz_bpe_SOURCES = tests/fuzz/fuzz_bpe.c tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_bpe_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_bpe_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_tokenizer_json
tests_fuzz_fuzz_tokenizer_json_SOURCES = tests/fuzz/fuzz_tokenizer_json.c tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_tokenizer_json_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_tokenizer_json_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_vocab_json
tests_fuzz_fuzz_vocab_json_SOURCES = tests/fuzz/fuzz_vocab_json.c tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_vocab_json_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_vocab_json_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_merges
tests_fuzz_fuzz_merges_SOURCES = tests/fuzz/fuzz_merges.c tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_merges_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_merges_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_tiktoken
tests_fuzz_fuzz_tiktoken_SOURCES = tests/fuzz/fuzz_tiktoken.c tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_tiktoken_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_tiktoken_LDFLAGS = $(fuzz_flags)

fuzz_programs += tests/fuzz/fuzz_spm_model
tests_fuzz_fuzz_spm_model_SOURCES = tests/fuzz/fuzz_spm_model.c tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h $(fuzz_main)
tests_fuzz_fuzz_spm_model_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_spm_model_LDFLAGS = $(fuzz_flags)

fuzz_libraries = libattn.a $(attn_libraries)
check_PROGRAMS += $(fuzz_programs)
dist_check_SCRIPTS += tests/fuzz/replay.sh
TESTS += tests/fuzz/replay.sh
EXTRA_DIST += tests/fuzz/README tests/fuzz/run.sh tests/fuzz/make_seeds.py tests/fuzz/seeds \
	tests/fuzz/crashes tests/fuzz/fuzz.h tests/fuzz/fuzz_container.h

# make fuzz [TIME=seconds for each target] [TARGETS='npy npz']
TIME = 300
TARGETS =
.PHONY: fuzz
fuzz: $(fuzz_programs)
	ATTN_SOURCE='$(abs_top_srcdir)' ATTN_BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(TIME) $(TARGETS)
