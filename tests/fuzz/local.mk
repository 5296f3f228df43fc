# A fuzz target is a line here, made of tests/fuzz/fuzz_NAME.c. With --enable-fuzzing (CC=clang) its main is
# libFuzzer's, else tests/testing/replay.c's, which replays files. See tests/fuzz/README for how to add one.
fuzz_programs = \
	tests/fuzz/fuzz_bpe \
	tests/fuzz/fuzz_command_line \
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
	tests/fuzz/fuzz_tokenizer_pair \
	tests/fuzz/fuzz_torch \
	tests/fuzz/fuzz_toy_model \
	tests/fuzz/fuzz_vectors \
	tests/fuzz/fuzz_vocab_json \
	tests/fuzz/fuzz_vocab_txt \
	tests/fuzz/fuzz_wordpiece \
	tests/fuzz/fuzz_writers

check_PROGRAMS += $(fuzz_programs)
EXTRA_DIST += tests/fuzz/README tests/fuzz/crashes tests/fuzz/fuzz.h tests/fuzz/fuzz_container.h \
	tests/fuzz/fuzz_model.h tests/fuzz/fuzz_quiet.h tests/fuzz/fuzz_reader.h tests/fuzz/fuzz_tokens.h tests/fuzz/fuzz_xml.h tests/fuzz/make_seeds.py \
	tests/fuzz/dictionary.py tests/fuzz/oss_fuzz.sh \
	tests/fuzz/run.sh tests/fuzz/seeds

if FUZZING
# For these programs alone (a variable of GNU make's, of one target): with libFuzzer comes a main.
# LIB_FUZZING_ENGINE is another engine, where one is given (oss_fuzz.sh).
LIB_FUZZING_ENGINE = -fsanitize=fuzzer
$(fuzz_programs): AM_LDFLAGS += $(LIB_FUZZING_ENGINE)
# Comparisons are counted as steps.
fuzz_stepped = tests/fuzz/fuzz_tokenizer_pair
$(fuzz_stepped).o: AM_CPPFLAGS += -DFUZZ_STEPS
$(fuzz_stepped): AM_LDFLAGS += $(fuzz_counted:%=-Wl,--wrap=__sanitizer_cov_trace_%)
fuzz_counted = cmp1 cmp2 cmp4 cmp8 const_cmp1 const_cmp2 const_cmp4 const_cmp8
endif

# make fuzz [TIME=seconds for each target] [TARGETS='npz gguf']; fuzz-all: every target. Prints a table.
TIME = 300
TARGETS =
.PHONY: fuzz fuzz-all fuzz-programs
fuzz: $(fuzz_programs)
	ATTN_SOURCE='$(abs_top_srcdir)' ATTN_BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(TIME) $(TARGETS)
fuzz-all: $(fuzz_programs)
	ATTN_SOURCE='$(abs_top_srcdir)' ATTN_BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(TIME)
fuzz-programs: $(fuzz_programs)
