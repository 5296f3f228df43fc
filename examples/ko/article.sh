#!/bin/sh
# 글을 그대로 쳐 본다: 어텐션이 어떻게 움직이는지 한 문단씩. 어디서든:
#     sh examples/ko/article.sh
# 폴더를 주면 그림을 거기에 그린다:
#     sh examples/ko/article.sh 그림
# The article of ../article.sh in Korean.
set -eu
pictures=${1:+$(mkdir -p "$1" && cd "$1" && pwd)}
cd "$(dirname "$0")"
ATTN=${ATTN:-$(command -v attn || echo ../../attn)}
. ../typed.sh

tell <<'TEXT'
사과는 과일일까, 회사일까? 모델은 낱말을 수의 목록으로 지닌다. 여기서는 둘, 과일과 기술이다. 오렌지는 (6, 1),
안드로이드는 (1, 8), 사과는 그 사이 (4, 4)에 있다. 둘 중 무엇인지는 곁에 있는 낱말만이 알려 준다. 그 낱말들이 사과를
끌어당긴다: 오렌지와 배 곁에서는 과일이 되고, 안드로이드 곁에서는 회사가 된다.
TEXT
try -m fruit.json -a none -p moves -f table -T '사과 오렌지 배' -T '사과 안드로이드'
try -m fruit.json -a none -p embeddings --query-token=사과 --columns=text,v --precision=4 -T '사과 오렌지 배' -T '사과 안드로이드'
draw apple.svg -m fruit.json -a none -p pull -T '사과 오렌지 배' -T '사과 안드로이드'

tell <<'TEXT'
행성은 서로 끌어당기고, 가까울수록 세게 당긴다. 여기서 무게는 거리의 제곱 분의 일이다: 오렌지와 배는 사과에서 3.6,
안드로이드는 5만큼 떨어져 있다. 안드로이드의 몫(share)이 음수인 까닭은 둘과 반대쪽으로 당기기 때문이다.
TEXT
try -m fruit.json -a none -s gravity -p pull -f table --query-token=사과 -T '사과 오렌지 배 안드로이드'

tell <<'TEXT'
어텐션은 두 낱말이 얼마나 닮았는지를 더 빠른 방법으로 잰다: 수끼리 곱해서 더한다. 오렌지와 배는 44, 오렌지와
안드로이드는 14. 여기서 더해서 1이 되는 무게가 나온다: e를 그 수만큼 거듭제곱해서 모두의 합으로 나눈다.
TEXT
try -m fruit.json -s dot -a none -p explain -f table --query=0 -T '오렌지 배 안드로이드'

tell <<'TEXT'
코끼리는 토끼와도 트럭과도 똑같이 가깝다. 크기 때문이다.
TEXT
try -m size.json -p scores --query-token=코끼리 --columns=key_token,score --precision=4 -T '토끼 코끼리 트럭'

tell <<'TEXT'
동물끼리 모으려면 크기를 덜 보면 된다. 행렬은 낱말을 견주기 전에 바꾸어 놓는다: 볼 때는 W_Q, 보일 때는 W_K.
이 둘은 크기를 0.3만 남긴다. x 옆의 q와 k를 보라.
TEXT
try -m size.json -w size-shrunk.json -p explain -f table --query-token=코끼리 -T '토끼 코끼리 트럭'
draw size.svg -m size.json -w size-shrunk.json -p pull --draw=squares -T '토끼 코끼리 트럭'

tell <<'TEXT'
행성은 서로 똑같이 당기지만 낱말은 그렇지 않다. 그물은 어부를 위해 있지만 어부는 그물만이 아니다. 끌려가는 행렬과
끌어당기는 행렬이 따로 있어서 그 차이가 생긴다: 어부는 그물에 0.33의 무게를, 그물은 어부에 0.80의 무게를 준다.
TEXT
try -m fisherman.json -p pull -f table --min=0.1 -T '어부 그물'
draw fisherman.svg -m fisherman.json -p pull -T '어부 그물'
try -m fisherman.json -p explain -f table --query-token=그물 -T '어부 그물'

tell <<'TEXT'
보이는 낱말에게서 가져오는 것은 셋째 벡터, 값이다. W_V가 만든다: 낱말이 움직이는 공간이다. 수학의 절반이 물리로,
물리의 절반이 수학으로 가면 둘은 가까워지고, 단위 정사각형은 평행사변형이 된다.
TEXT
try -m half.json -p embeddings --at=before,after --columns=token,at,v -T '수학 물리'
try -m half.json -p moves -f table -T '수학 물리'
draw half.svg -m half.json -p pull --draw=squares -T '수학 물리'

tell <<'TEXT'
값은 중요하지 않은 것을 버릴 수 있다. 여기서 요일은 십분의 일만 세므로, 한 사람에 관한 두 줄은 요일이 달라도
가까워진다. (이 모델의 마스크는 낱말마다 저 자신만 보여 준다: 나오는 것은 그 값이다.)
TEXT
try -m weekday.json -p explain -f table --query=1 -T '안나-월요일 안나-일요일'

tell <<'TEXT'
값은 더 짧을 수도 있다: 여덟 수에서 셋만 남긴다. 둘째, 다섯째, 그리고 마지막 둘의 평균.
TEXT
try -m eight.json -p embeddings --columns=token,v -T 엑스

tell <<'TEXT'
한 가지로 보는 것만으로는 모자란다. 머리 여럿이 저마다 보고, 가져온 것을 섞는다: 여기서는 첫째가 아홉, 둘째가 하나.
TEXT
try -m subjects.json -p explain -f table --query=0 -T '수학 물리'
draw heads.svg -m subjects.json -T '수학 물리'
