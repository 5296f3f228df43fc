#!/usr/bin/env python3
"""Compares our token ids with SentencePiece's own (Debian's python3-sentencepiece) on models trained here.

usage: spm.py ENCODE_FILE SHARED [SEED]

ENCODE_FILE: the built tests/text/encode_file; SHARED: the outside data, whose botchan.txt is trained on. Models of all
four types, with each setting of the normalizer and user-defined symbols of blanks and of marks; and directories of a
spiece.model whose class prepares the text and puts tokens around it, as transformers' tokenization_albert.py,
tokenization_xlnet.py, tokenization_deberta_v2.py and tokenization_t5.py do. Exit status 0: no difference, 1: differences,
77: no SentencePiece. The last line counts models.
"""
import json, os, random, subprocess, sys, tempfile, unicodedata

try:
    import sentencepiece
except ImportError:
    print("SKIP: comparison with SentencePiece: python3-sentencepiece is not installed\n0 passed, 0 failed, 1 skipped")
    sys.exit(77)

ENCODE, SHARED = sys.argv[1:3]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
SYMBOLS = ["  ", "<m>", "the end", "▁▁", "ab", "\t"]
SETTINGS = [
    {},
    {"user_defined_symbols": SYMBOLS},
    {"byte_fallback": True},
    {"byte_fallback": True, "user_defined_symbols": SYMBOLS, "normalization_rule_name": "identity"},
    {"treat_whitespace_as_suffix": True},
    {"treat_whitespace_as_suffix": True, "user_defined_symbols": SYMBOLS},
    {"add_dummy_prefix": False},
    {"remove_extra_whitespaces": False},
    {"remove_extra_whitespaces": False, "user_defined_symbols": SYMBOLS, "add_dummy_prefix": False},
    {"normalization_rule_name": "nmt_nfkc_cf", "split_by_whitespace": False},
    {"normalization_rule_name": "nfkc", "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
    {"split_digits": True, "control_symbols": ["<c>"], "user_defined_symbols": ["0", "é", "."]},
]
WORDS = ["the", "The", "of", "botchan", "a", "day", "end", "the end", "I", "don't", "12", "3.5", "é", "É", "ﬁne", "①", "中文",
         "가나", "<m>", "<c>", "<s>", "ab", "cab", "x" * 30, "▁", "▁▁", "\u00ad", "\u200b", "e\u0301", "ΟΔΟΣ", "Ⓐ", "ゞ", "…", "!?"]
GAPS = [" ", "  ", "   ", "", "\t", " \t", "\u3000", "\u00a0", "▁", " ▁", "\n"]


def text(g):
    made = g.choice(GAPS)
    for _ in range(g.randrange(14)):
        made += g.choice(WORDS) + g.choice(GAPS)
    return made


def ours(model, texts, *options):
    records = b"".join(b"%d\n%s" % (len(t.encode()), t.encode()) for t in texts)
    done = subprocess.run([ENCODE, *options, model], input=records, capture_output=True)
    if done.returncode != 0:
        return ["refused: " + done.stderr.decode()] * len(texts)
    return done.stdout.decode("utf-8", "replace").split("\n")[:len(texts)]


def prepared(t, lower, accents, squeeze=True):
    """ALBERT's and XLNet's preprocess_text."""
    t = " ".join(t.split()) if squeeze else t
    t = t.replace("``", '"').replace("''", '"')
    if not accents:
        t = "".join(c for c in unicodedata.normalize("NFKD", t) if not unicodedata.combining(c))
    return t.lower() if lower else t


# class, what tokenizer_config.json says beside it, how the text is prepared, what stands before it and behind
CLASSES = [
    ("AlbertTokenizer", {}, lambda t: prepared(t, True, False), ["[CLS]"], ["[SEP]"]),
    ("AlbertTokenizerFast", {"do_lower_case": False, "keep_accents": True}, lambda t: prepared(t, False, True), ["[CLS]"],
     ["[SEP]"]),
    ("AlbertTokenizer", {"remove_space": False}, lambda t: prepared(t, True, False, False), ["[CLS]"], ["[SEP]"]),
    ("XLNetTokenizer", {}, lambda t: prepared(t, False, False), [], ["<sep>", "<cls>"]),
    ("XLNetTokenizer", {"do_lower_case": True}, lambda t: prepared(t, True, False), [], ["<sep>", "<cls>"]),
    ("DebertaV2Tokenizer", {}, lambda t: t, ["[CLS]"], ["[SEP]"]),
    ("DebertaV2Tokenizer", {"do_lower_case": True}, str.lower, ["[CLS]"], ["[SEP]"]),
    ("T5Tokenizer", {}, lambda t: t, [], ["</s>"]),
    ("BigBirdTokenizer", {}, lambda t: t, ["[CLS]"], ["[SEP]"]),
    ("GemmaTokenizer", {}, lambda t: t, ["<bos>"], []),
    ("GemmaTokenizer", {"add_bos_token": False, "add_eos_token": True}, lambda t: t, [], ["<eos>"]),
]
CONTROLS = ["[CLS]", "[SEP]", "[MASK]", "<cls>", "<sep>", "<bos>", "<eos>"]


def compare_classes(g, corpus, folder):
    """How many texts differ, of how many."""
    name = os.path.join(folder, "classes")
    sentencepiece.SentencePieceTrainer.train(input=corpus, model_prefix=name, vocab_size=600, control_symbols=CONTROLS,
                                             minloglevel=2)
    reference = sentencepiece.SentencePieceProcessor(model_file=name + ".model")
    wrong = count = 0
    for kind, config, prepare, before, behind in CLASSES:
        directory = os.path.join(folder, "%s%d" % (kind, count))
        os.mkdir(directory)
        os.link(name + ".model", os.path.join(directory, "spiece.model"))
        with open(os.path.join(directory, "tokenizer_config.json"), "w") as f:
            json.dump(dict(config, tokenizer_class=kind), f)
        texts = [t for t in (text(g) + g.choice(["", "``x''", "Áé Ñ", "ΟΔΟΣ", "\u1e9b\u0323", "का"]) for _ in range(200))]
        for t, mine in zip(texts, ours(directory, texts, "-s")):
            around = [[reference.piece_to_id(p) for p in side] for side in (before, behind)]
            expected = " ".join(map(str, around[0] + reference.encode(prepare(t)) + around[1]))
            count += 1
            if mine != expected and not mine.startswith("error: nothing of the text"):
                wrong += 1
                print("%s %s: %r\n  expected %s\n  ours     %s" % (kind, config, t, expected, mine))
    print("classes: %d texts, %d differences" % (count, wrong))
    return wrong


def main():
    g = random.Random(SEED)
    corpus = os.path.join(SHARED, "data/text/botchan.txt")
    with open(corpus, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f]
    differences = count = models = 0
    with tempfile.TemporaryDirectory() as folder:
        differences = compare_classes(g, corpus, folder)
        failed = int(differences > 0)
        for kind in ("unigram", "bpe", "char", "word"):
            for number, setting in enumerate(SETTINGS):
                name = os.path.join(folder, "%s%d" % (kind, number))
                size = {"vocab_size": 700} if kind in ("unigram", "bpe") else {"use_all_vocab": True}
                if kind != "unigram" and setting.get("split_by_whitespace") is False:
                    continue
                if setting.get("byte_fallback"):
                    size = {"vocab_size": 1000} if "vocab_size" in size else size
                try:
                    sentencepiece.SentencePieceTrainer.train(input=corpus, model_prefix=name, model_type=kind,
                                                             minloglevel=2, hard_vocab_limit=False, **size, **setting)
                except RuntimeError as error:
                    print("%s %s is not trained: %s" % (kind, setting, str(error)[:100]))
                    continue
                reference = sentencepiece.SentencePieceProcessor(model_file=name + ".model")
                texts = [text(g) for _ in range(300)] + g.sample(lines, 150)
                found = ours(name + ".model", texts)
                wrong = 0
                for t, mine in zip(texts, found):
                    expected = " ".join(map(str, reference.encode(t)))
                    if expected == "" and t.strip():  # it gives up on a word that is a control symbol
                        continue
                    if mine != expected and not mine.startswith("error: nothing of the text"):
                        wrong += 1
                        if wrong <= 2:
                            print("%s %s: %r\n  SentencePiece %s\n  ours          %s" % (kind, setting, t, expected, mine))
                if wrong:
                    print("%s %s: %d of %d texts differ" % (kind, setting, wrong, len(texts)))
                models, count, differences = models + 1, count + len(texts), differences + wrong
                failed += wrong > 0
    print("SentencePiece %s: %d models, %d texts, %d differences" % (sentencepiece.__version__, models, count, differences))
    print("%d passed, %d failed, 0 skipped" % (models + 1 - failed, failed))
    return 1 if differences or not models else 0


if __name__ == "__main__":
    sys.exit(main())
