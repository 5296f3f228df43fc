#!/bin/sh
# What -f svg draws: well-formed XML (xmllint) that needs nothing from outside, the colors of known cells (pixels of
# rsvg-convert), tokens that would break out of it.
set -u
. "$(dirname "$0")/../testing/script.sh"
tiny=$source/models/attn-tiny
python=$(python_with zlib) || python=
picture=$source/tests/output/picture.py

draw() { # NAME ARGUMENT…: $work/NAME.svg, sound as XML, without script and without anything from outside
    name=$1
    shift
    if ! "$attn" -f svg "$@" >"$work/$name.svg" 2>"$work/why"; then
        fail "$name: attn" <"$work/why"
        return 1
    fi
    if command -v xmllint >/dev/null; then
        if xmllint --noout "$work/$name.svg" 2>"$work/why"; then pass; else fail "$name: xmllint" <"$work/why"; fi
    else
        skip "$name is sound XML" 'no xmllint'
    fi
    if grep -o 'http[^"]*\|<script\|javascript:\|xlink\| on[a-z]*=\|@import\|url([^#]' "$work/$name.svg" |
        grep -vx 'http://www.w3.org/2000/svg' >"$work/why"; then
        fail "$name: more than a picture" <"$work/why"
    else
        pass
    fi
}

pixels() { # NAME CHECK ARGUMENT…
    name=$1 check=$2
    shift 2
    if [ -z "$python" ] || ! command -v rsvg-convert >/dev/null; then
        skip "$name: pixels" 'no rsvg-convert, or no python3'
        return
    fi
    rsvg-convert -o "$work/$name.png" "$work/$name.svg" || fail "$name: rsvg-convert" </dev/null
    if "$python" "$picture" "$check" "$work/$name.svg" "$work/$name.png" "$@" >"$work/why" 2>&1; then pass; else
        fail "$name: pixels" <"$work/why"
    fi
}

# Equal vectors share alike: query i of a causal mask gives each key 1/(i + 1). Viridis (its 11 anchors: color.c) at 1 and
# 1/2 is fde725 and 21918c. There are 255 shades, so that 1/4 is 64/254 of the way, 2.5197 anchors: 414487 and .5197 of
# the way on to 355f8d. 1/3 is 85/254, 1/10 is 25/254, 1/70 is 4/254, 1/100 is 3/254. Nothing is drawn where it is masked.
echo '{"words": {"a": [1, 0], "b": [0, 0]}}' >"$work/equal.json"
repeat() { yes "$1" | head -n "$2" | tr '\n' ' '; }
draw four -m "$work/equal.json" -T "$(repeat a 4)"
pixels four cells 4 4 0,0=fde725 1,0=21918c 1,1=21918c 3,0=3b528a 3,3=3b528a 0,1=ffffff 2,3=ffffff
# more cells than are drawn as shapes: an image inside
draw hundred -m "$work/equal.json" -T "$(repeat a 100)"
pixels hundred cells 100 100 0,0=fde725 1,0=21918c 3,3=3b528a 0,1=ffffff 98,99=ffffff 99,0=440558
# more queries than there are pixels: each is the largest of 2 x 2 cells; of the second row that is 1/3
draw thousand -m "$work/equal.json" -T "$(repeat a 1000)"
pixels thousand cells 500 500 0,0=fde725 1,0=31688d 1,1=31688d 0,1=ffffff
grep -q 'a pixel is the largest of 2×2 cells' "$work/thousand.svg" && pass || fail 'pooling is not said' </dev/null
# zero is a color, masked is none: b's own weight on itself is 1/2; scores of 0 are the middle of the other scale
draw zero -m "$work/equal.json" -p scores -T 'b b'
pixels zero cells 2 2 0,0=f7f7f7 0,1=ffffff 1,1=f7f7f7
# --shade: √¼ = ½, the row's largest, the map's
draw root -m "$work/equal.json" --shade=sqrt -T "$(repeat a 4)"
pixels root cells 4 4 0,0=fde725 3,0=21918c
draw row -m "$work/equal.json" --shade=row -T "$(repeat a 4)"
pixels row cells 4 4 0,0=fde725 3,0=fde725 2,1=fde725
draw max -m "$work/equal.json" --shade=max --query=1- -T "$(repeat a 4)"
pixels max cells 3 4 0,0=fde725 2,0=21918c
# a few queries over many keys: none of them is lost
draw strip -m "$work/equal.json" -a none --query=0-2 -T "$(repeat a 70)"
pixels strip cells 3 70 0,0=450759 2,69=450759

draw long-strip -m "$work/equal.json" --query=0,3,9 -T "$(repeat a 1000)"
pixels long-strip cells 3 500 0,0=fde725 1,1=3b528a 2,2=482374 0,1=ffffff 1,2=ffffff
grep -q 'a pixel is the largest of 1×2 cells' "$work/long-strip.svg" && pass || fail 'rows of a strip' </dev/null

# one head, all heads, lines, maps of heads
sentence='the king of Israel spake unto the people'
draw grid -m "$tiny" -T "$sentence"
[ "$(grep -c '<image' "$work/grid.svg")" = 20 ] && pass || fail 'a thumbnail for each of 20 heads' </dev/null
draw large -m "$tiny" --draw=large -L 3 -T "$sentence"
draw lines -m "$tiny" --draw=lines -L 3 -H 4 -T "$sentence"
# the weights of layer 3 head 4 that are at least .02, as the table of the same run has them
expected=$("$attn" -m "$tiny" -L 3 -H 4 --min=0.02 --no-header -T "$sentence" | wc -l)
found=$(grep -c '^<line' "$work/lines.svg")
[ "$found" = "$expected" ] && pass || fail "lines: $found, expected $expected" </dev/null
draw two-lines -m "$tiny" --draw=lines -L 3 -H 0,4 -T "$sentence"
grep -q 'stroke="#d55e00" stroke-dasharray=' "$work/two-lines.svg" && ! grep -q '0072b2" stroke-dasharray' "$work/two-lines.svg" &&
    pass || fail 'heads are told apart without their colors' </dev/null
draw all-lines -m "$tiny" --draw=lines -L 3 -H 4 --min=0 -T "$sentence"
[ "$(grep -c '^<line' "$work/all-lines.svg")" = 36 ] && pass || fail '--min=0 draws all 36 pairs' </dev/null
draw heads -m "$tiny" -p heads -T "$sentence"
draw previous -m "$tiny" -p heads --columns=layer,head,previous -T "$sentence"
"$attn" -m "$tiny" -p heads --precision=4 --columns=layer,head,previous --no-header -T "$sentence" |
    awk -F '\t' '{ print "layer " $1 ", head " $2 ": previous " $3 }' >"$work/wanted"
sed -n 's/^<g><title>\(layer [^<]*\).*/\1/p' "$work/previous.svg" >"$work/told"
cmp -s "$work/wanted" "$work/told" && pass || diff "$work/wanted" "$work/told" | fail 'maps of heads'
draw empty -m "$tiny" -T ''

# Arrows. By hand: apple·(apple, orange, pear) = 32, 28, 36; over √2 the softmax is .0556, .0033, .9411, so apple comes to
# (6.8298, 2.1080), 3.4041 from (4, 4). Alone with android it weighs .0558 and .9442.
examples=$source/examples
draw fruit -m "$examples/fruit.json" -a none -p pull -T 'apple orange pear'
draw two -m "$examples/ko/fruit.json" -a none -p pull -T '사과 오렌지 배' -T '사과 안드로이드'
draw net -m "$examples/fisherman.json" -p pull -T 'fisherman net'
draw pca -m "$tiny" -p embeddings --at=before,after -T "$sentence"
draw chosen -m "$tiny" -p embeddings --axes=3,7 -T "$sentence"
draw layers -m "$tiny" -p pull -L 0- -T 'the king'
draw selected -m "$examples/fruit.json" -a none -p pull --query-token=apple --key-token=pear -T 'apple orange pear'
draw context -m "$examples/fruit.json" -c "$examples/texts/phone.txt" -p pull -T 'apple'
echo '{"words": {"here": [1, 1], "there": [1, 1], "where": [1, 1], "everywhere": [1, 1.01], "nowhere": [1.02, 1]}}' \
    >"$work/near.json"
draw near -m "$work/near.json" -p embeddings -T 'here there where everywhere nowhere'
draw line -m "$examples/weekday.json" -p embeddings --at=before -T 'ann-monday'
echo '{"words": {"one": [1], "two": [2]}}' >"$work/line.json"
draw number -m "$work/line.json" -a none -p pull -T 'one two'
# W_V of half.json takes (1, 0) to (1, .5), (0, 1) to (.5, 1)
draw squares -m "$examples/half.json" -p pull --draw=squares -T 'maths physics'
told() { # NAME TITLE: something in the picture says so when it is pointed at
    "$python" "$picture" titles "$work/$1.svg" >"$work/titles"
    grep -qxF -- "$2" "$work/titles" && pass || fail "$1: expected the title '$2'" <"$work/titles"
}
if [ -n "$python" ]; then
    told fruit 'apple moves 3.4041: (4, 4) → (6.8298, 2.108)'
    told fruit 'pear pulls apple: weight 0.9411, pull 3.3931'
    told fruit 'android (1, 8)' # a word that is not in the text
    told two '안드로이드 pulls 사과: weight 0.9442, pull 4.7210'
    told net 'net moves 1.1376: (0, 1) → (0.8044, 0.1956)'
    told selected 'apple moves 3.4041: (4, 4) → (6.8298, 2.108)'
    told squares 'the unit square: (0, 0) (1, 0) (1, 1) (0, 1)'
    told squares 'the unit square: (0, 0) (1, 0.5) (1.5, 1.5) (0.5, 1)'
    told number 'one moves 0.7311: (1) → (1.7311)' # e²/(e + e²)
    [ "$("$python" "$picture" arrows "$work/fruit.svg" 2>&1 | tail -1)" = 2 ] && pass ||
        "$python" "$picture" arrows "$work/fruit.svg" 2>&1 | fail 'arrows of fruit'
    [ "$("$python" "$picture" arrows "$work/pca.svg" 2>&1 | tail -1)" = 8 ] && pass ||
        "$python" "$picture" arrows "$work/pca.svg" 2>&1 | fail 'arrows of principal directions'
    for name in fruit near; do
        "$python" "$picture" apart "$work/$name.svg" >"$work/why" 2>&1 && pass || fail "$name: names apart" <"$work/why"
    done
    # opposite ways on one line: each gives way by 3 pixels
    [ "$("$python" "$picture" distance "$work/net.svg")" = 6 ] && pass || fail 'arrows hide each other' </dev/null
else
    skip 'arrows' 'no python3'
fi
[ "$(grep -c 'pulls orange' "$work/selected.svg")" = 0 ] && pass || fail 'only apple is pulled' <"$work/selected.svg"
# a band is 1 + 5·weight wide: .9411
grep -q 'stroke-width="5.7"><title>pear pulls apple' "$work/fruit.svg" && pass || fail 'width of a band' <"$work/fruit.svg"
# two panels, each with the other's scale
[ "$(grep -c '>과일 →<' "$work/two.svg")" = 2 ] && pass || fail 'a panel a text' <"$work/two.svg"
# the principal directions against numpy's singular vectors
if numpy=$(python_with numpy); then
    for at in before after; do
        "$attn" -m "$tiny" -p embeddings --at=$at -f npy -T "$sentence" >"$work/$at.npy"
    done
    "$numpy" "$picture" titles "$work/pca.svg" >"$work/told"
    "$numpy" - "$work" <<'END' >"$work/why" 2>&1 && pass || fail 'principal directions' <"$work/why"
import re, sys
import numpy
work = sys.argv[1]
rows = numpy.concatenate([numpy.load(f"{work}/{at}.npy")[0] for at in ("before", "after")]).astype(float)
rows -= rows.mean(0)
left, values, directions = numpy.linalg.svd(rows, full_matrices=False)
places = rows @ (directions[:2] * [[1 if d[abs(d).argmax()] > 0 else -1] for d in directions[:2]]).T
moves = [line for line in open(f"{work}/told", encoding="utf-8") if " moves " in line]
found = numpy.array([[float(n) for n in re.findall(r"-?[0-9.]+", line.split(": ")[1])] for line in moves])
wanted = numpy.concatenate([places[:len(moves)], places[len(moves):]], 1)
assert len(moves) == 8 and abs(found - wanted).max() < 2e-4, abs(found - wanted).max()
share = 100 * (values[:2] ** 2).sum() / (values ** 2).sum()
page = open(f"{work}/pca.svg", encoding="utf-8").read()
assert f"the plane shows {share:.1f} % of the spread" in page, share
END
else
    skip 'principal directions' 'no numpy'
fi

# Tokens that would break out of a picture, or that no XML may hold.
cat >"$work/hostile.json" <<'END'
{"words": {"<script>alert(1)</script>": [1, 0], "&amp;": [0, 1], "\"onload=\"": [1, 1], "'": [2, 1], "]]>": [1, 2],
 "\u202egnp.exe": [1, 3], "שלום": [3, 1], "😀": [2, 2], "어부": [2, 3], "\uffff": [3, 3], "very-long-token-of-26-letters": [4, 4]}}
END
hostile='<script>alert(1)</script> &amp; "onload=" '\'' ]]> '$(printf '\342\200\256gnp.exe')' שלום 😀 어부 '$(
    printf '\357\277\277')' very-long-token-of-26-letters'
draw hostile -m "$work/hostile.json" -t whitespace -T "$hostile"
draw hostile-lines -m "$work/hostile.json" -t whitespace --draw=lines -T "$hostile"
printf 'a\000b\033[31m' >"$work/controls"
draw controls -m "$tiny" -L 3 -H 4 "$work/controls"
if [ -n "$python" ]; then
    "$python" "$picture" labels "$work/hostile.svg" >"$work/labels"
    for label in '0 <script>alert(1…' '1 &amp;' '2 "onload="' "3 '" '4 ]]>' '5 \xE2\x80\xAEgnp.exe' '6 שלום' '7 😀' '8 어부' \
        '9 \xEF\xBF\xBF' '10 very-long-token…'; do
        [ "$(grep -cxF -- "$label" "$work/labels")" = 2 ] && pass || fail "label $label" <"$work/labels"
    done
    "$python" "$picture" labels "$work/controls.svg" >"$work/labels"
    grep -q '␀' "$work/labels" && pass || fail 'U+0000' <"$work/labels"
else
    skip 'labels' 'no python3'
fi

# What can not be drawn is wrong usage, and says what can.
refused() { # WHAT THE-MESSAGE'S-PART ARGUMENT…
    what=$1 part=$2
    shift 2
    "$attn" -f svg -m "$tiny" "$@" >"$work/out" 2>"$work/why"
    [ $? = 2 ] && grep -qF -- "$part" "$work/why" && [ ! -s "$work/out" ] && pass || fail "$what" <"$work/why"
}
refused 'two texts' 'an svg file holds one text' -T a -T b
refused 'moves' '--print=moves has no --format=svg: use' -p moves -T a
refused 'lines of scores' '--draw=lines: a line has no sign' -p scores --draw=lines -T a
refused 'lines of nine heads' 'colors for 8 heads' --draw=lines -T a
refused 'no column to draw' '--columns names nothing that is drawn' -p heads --columns=layer,head -T a
refused 'arrows as lines' '--draw=lines does not apply to --print=pull' -p pull --draw=lines -T a
refused 'squares of weights' '--draw=squares does not apply to --print=weights' --draw=squares -T a
refused 'squares of many dimensions' 'name the two dimensions of the square by --axes, of 160' -p pull --draw=squares -T a
refused 'squares with a norm' 'layer 3 has a norm beside them' -p pull --draw=squares --axes=0,1 -H 0 -T a
refused 'one axis' "--axes: expected pca, or two dimensions with a comma, found '1'" -p pull --axes=1 -T a
refused 'no such axis' "by number (from 0), found '160'" -p pull --axes=0,160 -T a
refused 'an axis twice' "the same dimension twice in '2,2'" -p embeddings --axes=2,2 -T a
refused 'axes of weights' '--axes does not apply to --print=weights' --axes=0,1 -T a
"$attn" -m "$tiny" -p pull --axes=0,1 -T a >"$work/out" 2>"$work/why"
[ $? = 2 ] && grep -q -- '--axes is for pictures: use --format=svg' "$work/why" && pass || fail 'axes of tsv' <"$work/why"
refused 'lines of heads' '--draw does not apply to --print=heads' -p heads --draw=lines -T a
finish
