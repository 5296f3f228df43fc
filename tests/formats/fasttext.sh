#!/bin/sh
# A fastText model trained here, read by attn as fastText's own program reads it: the vectors of known and unknown words
# to the five digits that it prints, neighbors and analogies. `fasttext.sh OUT` writes the small model and its vectors
# that tests/formats/test_fasttext.c reads.
set -u
. "$(dirname "$0")/../testing/script.sh"

train() { # MODEL OPTION…: of the text on standard input
    cat >"$work/text"
    model=$1
    shift
    fasttext skipgram -input "$work/text" -output "$model" -epoch 2 -thread 1 -verbose 0 -seed 1 "$@" >/dev/null 2>&1
}

sentences() { # a few words over and over, in two scripts
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        echo 'the fisherman casts the net and the net holds the fish'
        echo '어부가 그물을 던지고 그물은 물고기를 잡는다'
        echo 'apple orange pear fruit apple phone android company'
    done
}

words='the fisherman fishermen net 어부가 어부는 물고기 zq apple pineapples </s>'

vectors() { # MODEL
    for word in $words; do echo "$word"; done | fasttext print-word-vectors "$1"
}

if [ $# -gt 0 ]; then
    sentences | train "$1/tiny" -dim 3 -bucket 20 -minCount 2 -minn 2 -maxn 4
    vectors "$1/tiny.bin" >"$1/tiny.txt"
    rm -f "$1/tiny.vec"
    exit
fi
command -v fasttext >/dev/null 2>&1 || { skip 'fastText models' 'no fasttext'; finish; exit; }

# WORD V0 V1 … of both, side by side: equal to five digits
compare() { # NAME OPTION…
    name=$1
    shift
    sentences | train "$work/$name" "$@"
    vectors "$work/$name.bin" >"$work/theirs"
    "$attn" -e "$work/$name.bin" -t whitespace -p embeddings --at=before --no-header --columns=token,v0,v1,v2,v3,v4 \
        -T "$words" | tr '\t' ' ' >"$work/ours"
    paste -d ' ' "$work/theirs" "$work/ours" | tr -s ' ' | awk '
        { bad = $1 != $7
          for (i = 2; i <= 6; i++) { d = $i - $(i + 6); if (d < 0) d = -d; s = $i < 0 ? -$i : $i
                                     if (d > 0.6e-4 * s + 1e-9) bad = 1 }
          if (bad) { print; wrong++ } }
        END { exit wrong > 0 || NR != n }' n="$(echo $words | wc -w)" - && pass || fail "vectors of $name"
}
compare usual -dim 5 -bucket 100 -minCount 2
compare short -dim 5 -bucket 30 -minCount 2 -minn 1 -maxn 2
words=$(echo "$words" | sed 's/ zq / /') # too short for its n-grams: fastText prints zeros, to attn it is unknown
compare long -dim 5 -bucket 30 -minCount 2 -minn 5 -maxn 9

# the first neighbors' similarities: theirs are in float32
echo 'fishermen' | timeout 20 fasttext nn "$work/usual.bin" 4 2>/dev/null | sed 's/^Query word? *//' | awk 'NF == 2 && n++ < 4' >"$work/theirs"
"$attn" -e "$work/usual.bin" -p similar -k 4 --no-header --columns=neighbor,similarity -T fishermen | tr '\t' ' ' >"$work/ours"
paste -d ' ' "$work/theirs" "$work/ours" | awk '
    { d = $2 - $4; if (d < 0) d = -d; if ($1 != $3 || d > 2e-5) { print; wrong++ } } END { exit wrong > 0 || NR != 4 }' &&
    pass || fail 'neighbors of an unknown word'
finish
