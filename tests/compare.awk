# compare.awk: is ACTUAL the text of EXPECTED, numbers within `tolerance` (default 1e-6, relative above 1)?
# usage: awk -f compare.awk EXPECTED ACTUAL; says the first difference and exits 1.

function near(a, b,    d, size) {
    d = a - b
    size = (b < 0 ? -b : b)
    return (d < 0 ? -d : d) <= tolerance * (size > 1 ? size : 1)
}

# Cut TEXT into words and numbers: parts[1..n].
function cut(text, parts,    n) {
    n = 0
    while (match(text, /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) {
        parts[++n] = substr(text, 1, RSTART - 1)
        parts[++n] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    parts[++n] = text
    return n
}

function same(expected, actual,    n, m, i, e, a) {
    if (expected == actual)
        return 1
    n = cut(expected, e)
    m = cut(actual, a)
    if (n != m)
        return 0
    for (i = 1; i <= n; i++)
        if (i % 2 == 1 ? e[i] != a[i] : !near(a[i] + 0, e[i] + 0))
            return 0
    return 1
}

function differ(line, wanted, found) {
    printf "line %d:\n  expected: %s\n  found:    %s\n", line, wanted, found
    exit 1
}

BEGIN {
    if (tolerance == "")
        tolerance = 1e-6
    while ((getline line < ARGV[1]) > 0)
        expected[++n] = line
    while ((getline line < ARGV[2]) > 0)
        if (++m > n || !same(expected[m], line))
            differ(m, m > n ? "(end)" : expected[m], line)
    if (m < n)
        differ(m + 1, expected[m + 1], "(end)")
    exit 0
}
