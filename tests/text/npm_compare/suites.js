// Comparisons of the BPE and Unigram kinds for tests/text/npm_compare/compare.js: one row a comparison.
//
// Other patterns and components are tried with GPT-2's vocabulary: tiktoken takes any pattern with any ranks, and
// a tokenizer.json is made to fit. The pieces and scores of the stories model serve as a Unigram vocabulary.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

module.exports = ({ shared, json, module_, makeTexts }) => {
    const gpt2 = path.join(shared, 'data/vocab/gpt2');
    const stories = path.join(shared, 'data/stories260K/hf/tokenizer.json');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attn-npm-'));
    process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
    const put = (name, content) => {
        const file = path.join(folder, name);
        fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
        return file;
    };

    // ---- tiktoken ----

    const tiktoken = (pattern) => {
        const { Tiktoken } = module_('tiktoken');
        const ranks = module_('tiktoken/encoders/gpt2.json');
        const encoder = new Tiktoken(ranks.bpe_ranks, ranks.special_tokens, pattern || ranks.pat_str);
        return (text) => encoder.encode_ordinary(text);
    };
    // The package keeps ranks as lines "! FIRST token token …"; a rank file has a line a token.
    const rankFile = (name) => put(`${name}.tiktoken`, module_(`tiktoken/encoders/${name}.json`).bpe_ranks.split('\n')
        .map((line) => line.split(' ')).flatMap(([, first, ...tokens]) =>
            tokens.map((token, i) => `${token} ${Number(first) + i}\n`)).join(''));
    const published = (name) => {
        const encoder = module_('tiktoken').get_encoding(name);
        return (text) => encoder.encode_ordinary(text);
    };
    const byteLevel = (extra) => ({
        version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null,
        pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
        post_processor: null, decoder: { type: 'ByteLevel' },
        model: {
            type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
            fuse_unk: false, byte_fallback: false, ignore_merges: false,
            vocab: json(path.join(gpt2, 'vocab.json')),
            merges: fs.readFileSync(path.join(gpt2, 'merges.txt'), 'utf8').split('\n')
                .filter((line, i) => line !== '' && !(i === 0 && line.startsWith('#version'))),
        },
        ...extra,
    });
    const split = (pattern) => byteLevel({
        pre_tokenizer: {
            type: 'Sequence',
            pretokenizers: [{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
                            { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }],
        },
    });
    const word = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    const tail = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
    const cased = `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${word}?|` +
        `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${word}?`;
    const patterns = [
        ['Llama 3', `${word}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|${tail}`],
        ['Qwen 2', `${word}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|${tail}`],
        ['GPT-4o', `${cased}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`],
        ['Kimi', `[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*` +
            `[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+${word}?|[^\\r\\n\\p{L}\\p{N}]?` +
            `[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*${word}?` +
            `|\\p{N}{1,3}|${tail}`],
        ['words', '\\s?\\w+|[^\\w\\s]+|\\s'],
        ['word edges', '\\b\\w+\\b|\\W'],
    ];

    // ---- @huggingface/tokenizers ----

    // Where the package differs from the Rust library that it stands for, its texts leave out what differs:
    // - JavaScript's \s and trim() take U+FEFF for white space and U+0085 for none; Unicode's White_Space (Rust,
    //   Oniguruma) has it the other way round;
    // - the Digits pre-tokenizer looks for JavaScript's \d, which is ASCII; Rust's is_numeric is all of N;
    // - Lowercase takes the whole string, so a final Σ becomes ς (Ϲ becomes Σ in NFKC); Rust's goes character by character;
    // - Punctuation keeps runs together whatever its behavior says: compared with Contiguous.
    const without = (pattern) => () => makeTexts().map((text) => text.replace(pattern, ''));

    const huggingface = (file) => {
        const { Tokenizer } = module_('@huggingface/tokenizers');
        const tokenizer = new Tokenizer(json(file), {});
        return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
    };
    const pieces = () => {
        const model = json(stories).model;
        const order = Object.entries(model.vocab).sort((a, b) => a[1] - b[1]).map(([token]) => token);
        return order.map((token, id) => [token, id < 3 ? 0 : token.startsWith('<0x') ? -20 : -1 - id / 50]);
    };
    const unigram = (extra, model) => ({
        version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null,
        pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
        post_processor: null, decoder: null,
        model: { type: 'Unigram', unk_id: 0, vocab: pieces(), byte_fallback: false, ...model },
        ...extra,
    });
    const sequence = (kind, list) => ({ type: 'Sequence', [kind]: list });
    const made = [
        ['BPE, byte level', () => byteLevel()],
        ['BPE, prefix space', () => byteLevel({ pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, use_regex: true } })],
        ['BPE, digits', () => byteLevel({ pre_tokenizer: sequence('pretokenizers', [
            { type: 'Digits', individual_digits: true },
            { type: 'ByteLevel', add_prefix_space: false, use_regex: true }]) })],
        ['BPE, NFC', () => byteLevel({ normalizer: { type: 'NFC' } })],
        ['BPE, NFKC and lower case', () => byteLevel({ normalizer: sequence('normalizers', [
            { type: 'NFKC' }, { type: 'Lowercase' }]) })],
        ['BPE, NFD without accents', () => byteLevel({ normalizer: sequence('normalizers', [
            { type: 'NFD' }, { type: 'StripAccents' }]) })],
        ['BPE, replace and strip', () => byteLevel({ normalizer: sequence('normalizers', [
            { type: 'Replace', pattern: { Regex: '[aeiou]{2,}' }, content: '+' },
            { type: 'Replace', pattern: { String: 'th' }, content: '' },
            { type: 'Strip', strip_left: true, strip_right: true }]) })],
        ['BPE, punctuation', () => byteLevel({ pre_tokenizer: sequence('pretokenizers', [
            { type: 'Punctuation', behavior: 'Contiguous' },
            { type: 'ByteLevel', add_prefix_space: false, use_regex: false }]) })],
        ['Unigram, Metaspace', () => unigram()],
        ['Unigram, NFKC', () => unigram({ normalizer: { type: 'NFKC' } })],
        ['Unigram, words', () => unigram({ pre_tokenizer: sequence('pretokenizers', [
            { type: 'WhitespaceSplit' }, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }]) })],
    ];

    return [
        {
            name: 'GPT-2 and tiktoken',
            vocabulary: path.join(gpt2, 'vocab.json'),
            reference: () => tiktoken(),
        },
        ...['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'].map((name) => ({
            name: `the rank file of ${name} and tiktoken`,
            get vocabulary() { return this.file = this.file || rankFile(name); },
            reference: () => published(name),
        })),
        ...patterns.map(([name, pattern]) => ({
            name: `the pattern of ${name} and tiktoken`,
            // tokenizer.json's \w is Oniguruma's, which has these numbers; tiktoken's is Rust's, which has not
            texts: without(/[²³¹¼½¾]/gu),
            get vocabulary() { return this.file = this.file || put(`${name}.json`, split(pattern)); },
            reference: () => tiktoken(pattern),
        })),
        {
            name: 'SentencePiece BPE (stories) and @huggingface/tokenizers',
            vocabulary: stories,
            reference: () => huggingface(stories),
        },
        ...made.map(([name, make]) => ({
            name: `${name} and @huggingface/tokenizers`,
            texts: without(/[\ufeff\u0085ΣϹ]|(?![0-9])\p{N}/gu),
            get vocabulary() { return this.file = this.file || put(`${name}.json`, make()); },
            reference() { return huggingface(this.vocabulary); },
        })),
    ];
};
