# tests of this folder
EXTRA_DIST += tests/bpe/npm_suites.js
