# Benchmarks: built by name (make bench/attention), run by hand; bench/README has the figures.
EXTRA_PROGRAMS += bench/attention
bench_attention_SOURCES = bench/attention.c bench/clock.h bench/fma_peak.c bench/fma_peak.h
bench_attention_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
bench_attention_LDADD = libattn.a $(attn_libraries) -ldl
EXTRA_DIST += bench/attention_onnx.py bench/attention_onnxruntime.js bench/attention_torch.py

EXTRA_PROGRAMS += bench/tokenizers
bench_tokenizers_SOURCES = bench/tokenizers.c bench/clock.h
bench_tokenizers_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
bench_tokenizers_LDADD = libattn.a $(attn_libraries)
EXTRA_DIST += bench/README bench/tokenizers.js

EXTRA_PROGRAMS += bench/readers
EXTRA_DIST += bench/readers_peers.py bench/readers_fast_float.cc
bench_readers_SOURCES = bench/readers.c bench/readers.h bench/readers_data.c bench/readers_nearest.c \
	bench/clock.h bench/fma_peak.c bench/fma_peak.h
bench_readers_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(YYJSON_CFLAGS)
bench_readers_LDADD = libattn.a $(attn_libraries) $(YYJSON_LIBS)

EXTRA_PROGRAMS += bench/numbers
bench_numbers_SOURCES = bench/numbers.c
bench_numbers_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
bench_numbers_LDADD = libattn.a $(attn_libraries) -ldl
EXTRA_DIST += bench/to_chars.cpp bench/matrix.py
CLEANFILES += bench/to_chars.so
bench/to_chars.so: bench/to_chars.cpp
	$(AM_V_GEN)$(MKDIR_P) bench && $(CXX) -std=c++17 -O3 -fPIC -shared -o $@ $(srcdir)/bench/to_chars.cpp

EXTRA_PROGRAMS += bench/model
bench_model_SOURCES = bench/model.c bench/clock.h bench/fma_peak.c bench/fma_peak.h
bench_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
bench_model_LDADD = libattn.a $(attn_libraries)
EXTRA_DIST += bench/model_gguf.py bench/model_llama.js bench/model_torch.py
