attn_sources += \
	src/base/buffer.c src/base/buffer.h \
	src/base/bytes.c src/base/bytes.h \
	src/base/decimal.c src/base/decimal.h src/base/decimal_short.h \
	src/base/decimal_exact.c src/base/decimal_exact.h \
	src/base/error.c src/base/error.h \
	src/base/file.c src/base/file.h \
	src/base/file_list.c src/base/file_list.h \
	src/base/foreign.c src/base/foreign.h \
	src/base/given.h \
	src/base/gunzip.c src/base/gunzip.h \
	src/base/hash.c src/base/hash.h \
	src/base/json.c src/base/json.h src/base/json_reader.h \
	src/base/json_number.c src/base/json_string.c src/base/json_tree.c \
	src/base/map.c src/base/map.h \
	src/base/memory.c src/base/memory.h \
	src/base/progress.h \
	src/base/line_stream.c src/base/line_stream.h \
	src/base/suggest.c src/base/suggest.h \
	src/base/text_file.c src/base/text_file.h \
	src/base/thread.c src/base/thread.h \
	src/base/utf8.c src/base/utf8.h
