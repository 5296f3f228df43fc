#!/usr/bin/env python3
"""Compares the normal forms of src/text/unicode with those of Python's unicodedata, which has tables of its own.

Every code point that both know, alone and among others, and random sequences of letters and marks (seeded) in NFC, NFD,
NFKC and NFKD; the same sequences folded as BERT's BasicTokenizer does, by Python's own str.lower; and for each byte of a
normal form where it came from: the text can be cut there and normalised in two parts."""
import array
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

BUILD = os.environ.get('ATTN_BUILD', '.')
FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD']
failures = 0


def fail(message):
    global failures
    failures += 1
    if failures <= 10:
        print('FAIL:', message)


def show(text):
    return ' '.join(f'{ord(c):04X}' for c in text)


def ours(form, text, origins='-'):
    run = subprocess.run([f'{BUILD}/tests/text/unicode/normal_form', form, origins], input=text.encode(),
                         stdout=subprocess.PIPE, check=True)
    return run.stdout.decode()


def both_know():
    """Code points assigned in Python's Unicode and in utf8proc's; a normal form never changes once that is so."""
    lines = subprocess.run([f'{BUILD}/tests/text/encode_file', '-u'], stdout=subprocess.PIPE, check=True).stdout
    unknown = set()
    for line in lines.decode().splitlines():
        low, high = map(int, line.split())
        unknown.update(range(low, high + 1))
    return [chr(c) for c in range(1, 0x110000)
            if c not in unknown and unicodedata.category(chr(c)) not in ('Cn', 'Cs') and c != 10]


def compare(form, items):
    """ITEMS, a line each, with no line end in them."""
    text = '\n'.join(items)
    found = ours(form, text)
    if found == unicodedata.normalize(form, text):
        return None
    lines = found.split('\n')
    if len(lines) != len(items):
        return fail(f'{form}: {len(items)} lines became {len(lines)}')
    for item, line in zip(items, lines):
        right = unicodedata.normalize(form, item)
        if line != right:
            fail(f'{form} of {show(item)} is {show(right)}, found {show(line)}')
    return None


def random_items(known, count, seed):
    """Sequences in which marks meet letters that they join, are blocked from, or pass by."""
    rng = random.Random(seed)
    marks = [c for c in known if unicodedata.combining(c)]
    joined = [c for c in known if len(unicodedata.normalize('NFD', c)) > 1 and not '가' <= c <= '힣']
    parts = sorted({p for c in joined for p in unicodedata.normalize('NFD', c)})
    jamo = [chr(c) for c in range(0x1100, 0x1200)]
    compatible = [c for c in known if unicodedata.normalize('NFKD', c) != unicodedata.normalize('NFD', c)]
    common = ['\u0301', '\u0300', '\u0323', '\u0316', '\u0345', '\u0327', '\u0338', '\u3099', '\u093c', '\u0f71']
    pools = [marks, joined, parts, parts, jamo, compatible, common, common, list('aeouAEsz '), ['가', '각', '\u1161']]
    return [''.join(rng.choice(rng.choice(pools)) for _ in range(rng.randint(1, 9))) for _ in range(count)]


# ---- origins ----

def to_characters(item, start, end):
    """Byte offsets of ITEM's UTF-8 as offsets into ITEM."""
    data = item.encode()
    return len(data[:start].decode()), len(data[:end].decode())


def check_origins(form, item, line, spans):
    """SPANS: for each character of LINE, ITEM's normal form, what of ITEM it came from."""
    def normal(text):
        return unicodedata.normalize(form, text)
    where = f'{form} of {show(item)}: {spans}'
    for (start, end), (next_start, next_end) in zip(spans, spans[1:]):
        if start > next_start or end > next_end or next_start > end:
            return fail('origins step back or leave a gap: ' + where)
    if spans[0][0] != 0 or spans[-1][1] != len(item):
        return fail('origins do not cover the text: ' + where)
    cuts = {spans[j][0]: j for j in range(1, len(line)) if spans[j - 1][1] <= spans[j][0]}
    for cut, j in cuts.items():
        if normal(item[:cut]) != line[:j] or normal(item[cut:]) != line[j:]:
            return fail(f'cut at {cut}: ' + where)
    ordered = unicodedata.normalize('NFD' if form in ('NFC', 'NFD') else 'NFKD', item)
    in_order = ordered == ''.join(unicodedata.normalize('NFD' if form in ('NFC', 'NFD') else 'NFKD', c) for c in item)
    for cut in range(1, len(item)):
        apart = normal(item[:cut]) + normal(item[cut:]) == line
        starter = not unicodedata.combining(unicodedata.normalize('NFKD', item[cut])[0])
        if apart and (starter or in_order) and cut not in cuts:
            return fail(f'nothing is joined at {cut}, but the origins are: ' + where)


def compare_origins(form, items):
    with tempfile.NamedTemporaryFile() as file:
        text = '\n'.join(items)
        normal = ours(form, text, file.name).encode()
        pairs = array.array('I', open(file.name, 'rb').read())
    if len(pairs) != 2 * len(normal):
        return fail(f'{form}: {len(normal)} bytes with {len(pairs) // 2} origins')
    at = base = 0
    for item, line in zip(items, normal.decode().split('\n')):
        spans = []
        for character in line:
            size = len(character.encode())
            spans.append(to_characters(item, pairs[2 * at] - base, pairs[2 * (at + size) - 1] - base))
            at += size
        check_origins(form, item, line, spans)
        at += 1
        base += len(item.encode()) + 1


# ---- BERT ----

IDEOGRAPHS = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
              (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


def bert(item, rules):
    """BasicTokenizer's clean-up, ideographs, lower case and accents, a blank-separated word at a time."""
    ranges = IDEOGRAPHS + [(0x2B820 if rules == 'python' else 0x2B920, 0x2CEAF)]
    clean = ''
    for c in item:
        category = unicodedata.category(c)
        if c in '\0\ufffd' or (c not in '\t\n\r' and category in ('Cc', 'Cf', 'Co')):
            continue
        blank = c in '\t\n\r' or category in ('Zs', 'Zl', 'Zp')
        clean += ' ' if blank else f' {c} ' if any(low <= ord(c) <= high for low, high in ranges) else c
    words = []
    for word in clean.split(' '):
        word = word.lower() if rules == 'python' else ''.join(c.lower() for c in word)
        word = unicodedata.normalize('NFD', word)
        words.append(''.join(c for c in word if unicodedata.category(c) != 'Mn'))
    return ' '.join(words)


def compare_bert(rules, items):
    lines = ours(rules, '\r\n'.join(items)).split('  ')  # a line end becomes two blanks
    right = bert('\r\n'.join(items), rules).split('  ')
    for a, b in zip(lines, right):
        if a != b:
            fail(f'BERT by the rules of {rules}: expected {show(b)}, found {show(a)}')
    if len(lines) != len(right):
        fail(f'BERT by the rules of {rules}: {len(right)} lines became {len(lines)}')


def main():
    known = both_know()
    mixed = random_items(known, 60000, 1)
    greek = random.Random(2)
    words = [''.join(greek.choice('ΑΟΔΣσςαΣ.\'’\u0301\u0345İIé1-') for _ in range(greek.randint(1, 8)))
             for _ in range(20000)]
    for form in FORMS:
        compare(form, known)
        compare(form, [f'a{c}\u0301 가{c}\u0323\u0301{c}' for c in known])
        compare(form, mixed)
        compare_origins(form, mixed[:6000])
    for rules in ('python', 'rust'):
        compare_bert(rules, known)
        compare_bert(rules, mixed[:20000])
        compare_bert(rules, words)
    print(f'{len(known)} code points, {len(mixed)} sequences, Unicode {unicodedata.unidata_version}')
    print(f'{1 if failures == 0 else 0} passed, {failures} failed, 0 skipped')
    return 1 if failures else 0


sys.exit(main())
