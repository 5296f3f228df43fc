#!/bin/sh
# The NEON kernels: test_kernels.c as a plain static AArch64 program, run by itself or under qemu-user.
# CROSS_CC and QEMU name the compiler and the emulator (Debian: gcc-aarch64-linux-gnu, qemu-user).
. "$(dirname "$0")/../testing/script.sh"
compiler=${CROSS_CC:-aarch64-linux-gnu-gcc}
emulator=${QEMU:-qemu-aarch64}
for tool in "$compiler" "$emulator"; do
    command -v "$tool" >/dev/null 2>&1 || skip_all "$tool is absent: the NEON kernels are not tested here"
done
"$compiler" -std=c11 -O2 -static -ffp-contract=off -D_GNU_SOURCE -I"$source/tests/kernels/plain" -I"$source/tests" \
    -I"$source/src" -I"${ATTN_BUILD:-.}" -o "$work/test_kernels" "$source/tests/kernels/test_kernels.c" \
    "$source/tests/testing/testing.c" "$source/tests/testing/files.c" "$source/tests/testing/random.c" \
    "$source/src/kernels/choose.c" "$source/src/kernels/scalar.c" "$source/src/kernels/neon.c" -lm || exit 1
# an emulator is slow: fewer floats than usual
ATTN_STEP=${ATTN_STEP:-1009} "$emulator" "$work/test_kernels" || exit 1
