#!/bin/sh
# Builds the fuzz targets as OSS-Fuzz wants them: its base-builder image sets CC, CFLAGS, LIB_FUZZING_ENGINE and OUT,
# and runs this in the source tree. Into $OUT go the programs, linked without shared libraries where static ones are
# there, and beside each its seeds (NAME_seed_corpus.zip) and its words (NAME.dict).
# To try it here:  CC=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address' LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#                  OUT=/tmp/out tests/fuzz/oss_fuzz.sh
set -eu
: "${CC:?}" "${CFLAGS:?}" "${LIB_FUZZING_ENGINE:?}" "${OUT:?}"
cd "$(dirname "$0")/../.."
mkdir -p "$OUT"
[ -x configure ] || autoreconf -i
# --enable-fuzzing would add sanitizers of its own: those are the caller's to choose.
./configure --enable-fuzzing CC="$CC" CFLAGS="$CFLAGS"
make -j"$(nproc)" ATTN_CFLAGS="-std=c11 -ffp-contract=off" LIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" fuzz-programs
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    name=${target#fuzz_}
    cp "tests/fuzz/$target" "$OUT/"
    (cd tests/fuzz && zip -q -r - "seeds/$name" $([ -d "crashes/$name" ] && echo "crashes/$name")) \
        >"$OUT/${target}_seed_corpus.zip"
    python3 tests/fuzz/dictionary.py "$name" >"$OUT/$target.dict"
    [ -s "$OUT/$target.dict" ] || rm "$OUT/$target.dict"
done
cp -r tests/model/families "$OUT/families" # what fuzz_config lays beside its config.json
