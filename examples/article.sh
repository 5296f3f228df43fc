#!/bin/sh
# Types the article: how attention works, paragraph by paragraph. Run it anywhere:
#     sh examples/article.sh
# With a folder as argument its pictures are drawn there:
#     sh examples/article.sh pictures
# The page attn-article(7) tells the same at more length, ko/article.sh in Korean.
set -eu
pictures=${1:+$(mkdir -p "$1" && cd "$1" && pwd)}
cd "$(dirname "$0")"
. ./typed.sh

tell <<'TEXT'
Is apple a fruit or a company? A model holds each word as numbers; here they are two, fruit and technology. An orange
is (6, 1), an android (1, 8), and apple lies between, at (4, 4). Only the words beside it can tell, and they do so by
pulling: with orange and pear it becomes a fruit, with android a company.
TEXT
try -m fruit.json -a none -p moves -f table -T 'apple orange pear' -T 'apple android'
try -m fruit.json -a none -p embeddings --query-token=apple --columns=text,v --precision=4 -T 'apple orange pear' -T 'apple android'
draw apple.svg -m fruit.json -a none -p pull -T 'apple orange pear' -T 'apple android'

tell <<'TEXT'
Planets pull each other, and those that are near pull hard. Here a word weighs one over its distance squared: orange
and pear are 3.6 away from apple, android 5. Its share of the way is negative, for it pulls against the two.
TEXT
try -m fruit.json -a none -s gravity -p pull -f table --query-token=apple -T 'apple orange pear android'

tell <<'TEXT'
Attention measures how alike two words are in a quicker way: number times number, added up. Orange and pear give 44,
orange and android 14. Weights that add up to 1 come of these: e to the power of each, over their sum.
TEXT
try -m fruit.json -s dot -a none -p explain -f table --query=0 -T 'orange pear android'

tell <<'TEXT'
An elephant is as near to a rabbit as to a truck, for all of them have a size.
TEXT
try -m size.json -p scores --query-token=elephant --columns=key_token,score --precision=4 -T 'rabbit elephant truck'

tell <<'TEXT'
Who wants the animals together looks less at size. A matrix turns each word before it is compared: W_Q when it looks,
W_K when it is looked at. These two keep 0.3 of the size: see q and k beside x.
TEXT
try -m size.json -w size-shrunk.json -p explain -f table --query-token=elephant -T 'rabbit elephant truck'
draw size.svg -m size.json -w size-shrunk.json -p pull --draw=squares -T 'rabbit elephant truck'

tell <<'TEXT'
Planets pull each other alike, words do not. A net is there for the fisherman; the fisherman is more than his net. Two
matrices, one for being pulled and one for pulling, make that difference: the fisherman gives the net a weight of 0.33,
the net gives him 0.80.
TEXT
try -m fisherman.json -p pull -f table --min=0.1 -T 'fisherman net'
draw fisherman.svg -m fisherman.json -p pull -T 'fisherman net'
try -m fisherman.json -p explain -f table --query-token=net -T 'fisherman net'

tell <<'TEXT'
What is taken from a word that is looked at is a third vector, its value, made by W_V: the space in which words move.
Half of maths may go into physics, and half of physics into maths: the two come closer, and the unit square becomes a
parallelogram.
TEXT
try -m half.json -p embeddings --at=before,after --columns=token,at,v -T 'maths physics'
try -m half.json -p moves -f table -T 'maths physics'
draw half.svg -m half.json -p pull --draw=squares -T 'maths physics'

tell <<'TEXT'
A value may leave out what does not matter. Here a weekday counts a tenth, and two lines about one person come together
whatever the day. (This model's mask shows each word to itself alone: what comes out is its value.)
TEXT
try -m weekday.json -p explain -f table --query=1 -T 'ann-monday ann-sunday'

tell <<'TEXT'
It may be shorter, too: of eight numbers three are kept, the second, the fifth, and the mean of the last two.
TEXT
try -m eight.json -p embeddings --columns=token,v -T x

tell <<'TEXT'
One way of looking is not enough. Several heads look, each in its own way, and what they bring is put together: here
nine parts of the first and one of the second.
TEXT
try -m subjects.json -p explain -f table --query=0 -T 'maths physics'
draw heads.svg -m subjects.json -T 'maths physics'
