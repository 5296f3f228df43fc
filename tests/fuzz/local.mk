# A fuzz target is a line here, made of tests/fuzz/fuzz_NAME.c. With --enable-fuzzing (CC=clang) its main is
# libFuzzer's, else tests/testing/replay.c's, which replays files. See tests/fuzz/README for how to add one.
fuzz_programs = \
	tests/fuzz/fuzz_bpe \
	tests/fuzz/fuzz_config \
	tests/fuzz/fuzz_decimal \
	tests/fuzz/fuzz_gguf \
	tests/fuzz/fuzz_gguf_model \
	tests/fuzz/fuzz_json \
	tests/fuzz/fuzz_json_matrices \
	tests/fuzz/fuzz_llama2c \
	tests/fuzz/fuzz_merges \
	tests/fuzz/fuzz_npy \
	tests/fuzz/fuzz_npz \
	tests/fuzz/fuzz_safetensors \
	tests/fuzz/fuzz_safetensors_index \
	tests/fuzz/fuzz_spm_model \
	tests/fuzz/fuzz_text \
	tests/fuzz/fuzz_tiktoken \
	tests/fuzz/fuzz_tokenizer_json \
	tests/fuzz/fuzz_torch \
	tests/fuzz/fuzz_toy_model \
	tests/fuzz/fuzz_vectors \
	tests/fuzz/fuzz_vocab_json \
	tests/fuzz/fuzz_vocab_txt \
	tests/fuzz/fuzz_wordpiece

check_PROGRAMS += $(fuzz_programs)
EXTRA_DIST += tests/fuzz/README tests/fuzz/crashes tests/fuzz/fuzz.h tests/fuzz/fuzz_container.h \
	tests/fuzz/fuzz_model.h tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h tests/fuzz/make_seeds.py \
	tests/fuzz/run.sh tests/fuzz/seeds

if FUZZING
# For these programs alone (a variable of GNU make's, of one target): with libFuzzer comes a main.
$(fuzz_programs): AM_LDFLAGS += -fsanitize=fuzzer
endif

# make fuzz [TIME=seconds for each target] [TARGETS='npz gguf']
TIME = 300
TARGETS =
.PHONY: fuzz
fuzz: $(fuzz_programs)
	ATTN_SOURCE='$(abs_top_srcdir)' ATTN_BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(TIME) $(TARGETS)
