TESTS += tests/layers.sh
EXTRA_DIST += tests/layers.sh tests/compare.awk tests/totals.sh tests/cli tests/cases tests/mutants
