#!/bin/sh
# The NEON kernels: test_kernels.c as a plain static AArch64 program, run by itself or under qemu-user.
# CROSS_CC and QEMU name the compiler and the emulator (Debian: gcc-aarch64-linux-gnu, qemu-user).
compiler=${CROSS_CC:-aarch64-linux-gnu-gcc}
emulator=${QEMU:-qemu-aarch64}
for tool in "$compiler" "$emulator"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "SKIP: $tool is absent: the NEON kernels are not tested here"
        exit 77
    fi
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
s=$ATTN_SOURCE
"$compiler" -std=c11 -O2 -static -ffp-contract=off -D_GNU_SOURCE -I"$s/tests/kernels/plain" -I"$s/tests" \
    -I"$s/src" -I"$ATTN_BUILD" -o "$work/test_kernels" \
    "$s/tests/kernels/test_kernels.c" "$s/src/kernels/choose.c" "$s/src/kernels/scalar.c" \
    "$s/src/kernels/neon.c" -lm || exit 1
# an emulator is slow: fewer floats than usual
ATTN_STEP=${ATTN_STEP:-1009} "$emulator" "$work/test_kernels" || exit 1
