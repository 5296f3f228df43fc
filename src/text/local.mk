attn_sources += \
	src/text/added.c \
	src/text/added.h \
	src/text/byte_alphabet.c \
	src/text/byte_alphabet.h \
	src/text/hints.c \
	src/text/hints.h \
	src/text/label.c \
	src/text/label.h \
	src/text/open.c \
	src/text/spec.c \
	src/text/spec.h \
	src/text/steps.c \
	src/text/steps.h \
	src/text/tokenizer.c \
	src/text/tokenizer.h \
	src/text/word.c
attn_sources += \
	src/text/vocab/base64.c \
	src/text/vocab/base64.h \
	src/text/vocab/beside.c \
	src/text/vocab/llama2c.c \
	src/text/vocab/load.c \
	src/text/vocab/prepare.c \
	src/text/vocab/reader.c \
	src/text/vocab/reader.h \
	src/text/vocab/spm_model.c \
	src/text/vocab/tiktoken.c \
	src/text/vocab/tokenizer_json.c \
	src/text/vocab/tokenizer_json.h \
	src/text/vocab/tokenizer_json_model.c \
	src/text/vocab/tokenizer_json_steps.c \
	src/text/vocab/vocab_json.c \
	src/text/vocab/vocab_list.c \
	src/text/vocab/vocab_list.h \
	src/text/vocab/vocab_txt.c
attn_sources += \
	src/text/kinds/bpe.c \
	src/text/kinds/bytes.c \
	src/text/kinds/chars.c \
	src/text/kinds/coder.c \
	src/text/kinds/coder.h \
	src/text/kinds/entries.c \
	src/text/kinds/entries.h \
	src/text/kinds/ids.c \
	src/text/kinds/kinds.c \
	src/text/kinds/kinds.h \
	src/text/kinds/longest.c \
	src/text/kinds/merge.c \
	src/text/kinds/merge.h \
	src/text/kinds/sentencepiece.c \
	src/text/kinds/spm_units.c \
	src/text/kinds/trie.c \
	src/text/kinds/trie.h \
	src/text/kinds/unigram.c \
	src/text/kinds/whitespace.c \
	src/text/kinds/word_cache.c \
	src/text/kinds/word_cache.h \
	src/text/kinds/wordlevel.c \
	src/text/kinds/wordpiece.c \
	src/text/kinds/wordpiece_steps.c \
	src/text/kinds/wordpieces.c \
	src/text/kinds/wordpieces.h \
	src/text/kinds/words.c
attn_sources += \
	src/text/unicode/bert_normal.c \
	src/text/unicode/bert_normal.h \
	src/text/unicode/by_character.c \
	src/text/unicode/by_character.h \
	src/text/unicode/charsmap.c \
	src/text/unicode/charsmap.h \
	src/text/unicode/compose.c \
	src/text/unicode/compose.h \
	src/text/unicode/form.c \
	src/text/unicode/form.h \
	src/text/unicode/normal.c \
	src/text/unicode/normal.h \
	src/text/unicode/normalize.c \
	src/text/unicode/normalize.h \
	src/text/unicode/script.c \
	src/text/unicode/script.h \
	src/text/unicode/spm_normal.c \
	src/text/unicode/spm_normal.h \
	src/text/unicode/unicode.c \
	src/text/unicode/unicode.h
attn_sources += \
	src/text/split/pattern.c \
	src/text/split/pattern.h \
	src/text/split/pattern_translate.c \
	src/text/split/presplit.c \
	src/text/split/presplit.h \
	src/text/split/published.c \
	src/text/split/segment.c \
	src/text/split/segment.h \
	src/text/split/split.c \
	src/text/split/split.h
