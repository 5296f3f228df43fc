attn_sources += \
	src/kernels/choose.c \
	src/kernels/kernels.h \
	src/kernels/nearest.c src/kernels/nearest.h \
	src/kernels/nearest_list.c src/kernels/nearest_list.h \
	src/kernels/matmul.c src/kernels/matmul.h \
	src/kernels/scalar.c \
	src/kernels/sets.h
EXTRA_DIST += src/kernels/neon.c

# Kernels of one instruction set: objects of their own, so that its flags reach no other file.
libattn_a_LIBADD =
if X86_64
noinst_LIBRARIES += libkernel_avx2.a libkernel_avx512.a
libkernel_avx2_a_SOURCES = src/kernels/avx2.c src/kernels/avx.h src/kernels/vector.h
libkernel_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2 -mfma
libkernel_avx512_a_SOURCES = src/kernels/avx512.c src/kernels/avx.h src/kernels/vector.h
libkernel_avx512_a_CFLAGS = $(AM_CFLAGS) -mavx2 -mfma -mavx512f -mavx512dq
libattn_a_LIBADD += $(libkernel_avx2_a_OBJECTS) $(libkernel_avx512_a_OBJECTS)
libattn_a_DEPENDENCIES = $(libkernel_avx2_a_OBJECTS) $(libkernel_avx512_a_OBJECTS)
endif
if AARCH64
attn_sources += src/kernels/neon.c
endif
