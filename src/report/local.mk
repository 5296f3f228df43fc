attn_sources += \
	src/report/columns.c src/report/columns.h \
	src/report/describe.c \
	src/report/embeddings.c \
	src/report/explain.c \
	src/report/explained.c src/report/explained.h \
	src/report/explained_steps.c \
	src/report/explained_tokens.c \
	src/report/heads.c \
	src/report/kind.h \
	src/report/lens.c src/report/lens.h \
	src/report/moves.c src/report/moves.h \
	src/report/nearest.c \
	src/report/neighbors.c src/report/neighbors.h \
	src/report/next.c \
	src/report/projections.c \
	src/report/plane.c src/report/plane.h \
	src/report/principal.c src/report/principal.h \
	src/report/pull.c \
	src/report/pulls.c src/report/pulls.h \
	src/report/report.c src/report/report.h \
	src/report/reports.h \
	src/report/select.c src/report/select.h \
	src/report/similar.c \
	src/report/squares.c src/report/squares.h \
	src/report/tokens.c \
	src/report/top.c src/report/top.h \
	src/report/units.c src/report/units.h \
	src/report/weights.c
