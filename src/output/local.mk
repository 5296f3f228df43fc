attn_sources += \
	src/output/align.c src/output/align.h \
	src/output/cells.c \
	src/output/color.c src/output/color.h \
	src/output/escape.c \
	src/output/escape.h \
	src/output/json.c \
	src/output/labels.c \
	src/output/matrix.c \
	src/output/npy.c \
	src/output/number.c src/output/number.h \
	src/output/output.h \
	src/output/outputs.h \
	src/output/png.c src/output/png.h \
	src/output/pool.c src/output/pool.h \
	src/output/screen.c src/output/screen.h \
	src/output/sink.c src/output/sink.h \
	src/output/svg.c src/output/svg.h \
	src/output/svg_heads.c \
	src/output/svg_lines.c \
	src/output/svg_maps.c \
	src/output/svg_put.c \
	src/output/table.c \
	src/output/tsv.c \
	src/output/writer.c src/output/writer.h
