attn_sources += \
	src/output/align.c src/output/align.h \
	src/output/cells.c \
	src/output/color.c src/output/color.h \
	src/output/escape.c \
	src/output/escape.h \
	src/output/fit.c src/output/fit.h \
	src/output/heat.c \
	src/output/heat_legend.c \
	src/output/heat_map.c src/output/heat_map.h \
	src/output/html.c src/output/html.h \
	src/output/html_cells.c src/output/html_cells.h \
	src/output/html_heads.c \
	src/output/html_maps.c \
	src/output/html_plane.c \
	src/output/html_steps.c \
	src/output/html_stream.c \
	src/output/json.c \
	src/output/labels.c \
	src/output/matrix.c \
	src/output/npy.c \
	src/output/number.c src/output/number.h \
	src/output/output.h \
	src/output/outputs.h \
	src/output/png.c src/output/png.h \
	src/output/points.h \
	src/output/pool.c src/output/pool.h \
	src/output/screen.c src/output/screen.h \
	src/output/sheet.c src/output/sheet.h \
	src/output/sink.c src/output/sink.h \
	src/output/svg.c src/output/svg.h \
	src/output/svg_heads.c \
	src/output/svg_labels.c src/output/svg_labels.h \
	src/output/svg_lines.c \
	src/output/svg_maps.c \
	src/output/svg_plane.c \
	src/output/svg_put.c \
	src/output/steps_page.c src/output/steps_page.h \
	src/output/table.c \
	src/output/table_grid.c src/output/table_grid.h \
	src/output/tsv.c \
	src/output/writer.c src/output/writer.h

# The page of -f html is made two strings: page.html, with the scripts in the place of its line @scripts@, cut at its
# line @data@.
html_scripts = \
	$(top_srcdir)/src/output/html/data.js \
	$(top_srcdir)/src/output/html/draw.js \
	$(top_srcdir)/src/output/html/state.js \
	$(top_srcdir)/src/output/html/chooser.js \
	$(top_srcdir)/src/output/html/heat.js \
	$(top_srcdir)/src/output/html/lines.js \
	$(top_srcdir)/src/output/html/list.js \
	$(top_srcdir)/src/output/html/maps.js \
	$(top_srcdir)/src/output/html/heads.js \
	$(top_srcdir)/src/output/html/plane.js \
	$(top_srcdir)/src/output/html/steps.js \
	$(top_srcdir)/src/output/html/keys.js
html_page = $(top_srcdir)/src/output/html/page.html
html_strings = $(top_srcdir)/src/output/html/page.sed
EXTRA_DIST += $(html_scripts) $(html_page) $(html_strings)
BUILT_SOURCES += src/output/html/page.inc
CLEANFILES += src/output/html/page.inc

src/output/html/page.inc: $(html_scripts) $(html_page) $(html_strings)
	$(AM_V_GEN)$(MKDIR_P) src/output/html
	$(AM_V_at)cat $(html_scripts) | sed -e '/^@scripts@$$/r /dev/stdin' -e '/^@scripts@$$/d' $(html_page) | \
		sed -f $(html_strings) >$@.new
	$(AM_V_at)mv $@.new $@
src/output/html.$(OBJEXT): src/output/html/page.inc
