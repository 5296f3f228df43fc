// Makes tokenizer.json files at random: every model, normalizer, pre-tokenizer and post-processor, with every flag, in
// sequences. The vocabularies are small and hold what the texts are made of, so that pieces differ when a rule does.
'use strict';

// XORSHIFT32, so that a seed gives the same files everywhere.
function generator(seed) {
    let state = seed >>> 0 || 1;
    const random = (n) => {
        state ^= state << 13; state >>>= 0;
        state ^= state >>> 17;
        state ^= state << 5; state >>>= 0;
        return state % n;
    };
    return { random, pick: (list) => list[random(list.length)], coin: () => random(2) === 0 };
}

const letters = ['a', 'b', 'c', 'd', 'e', 'A', 'B', '1', '2', '٣', '²', '.', ',', '!', '-', '_', '$', 'é', 'É', 'ß', '가',
    '나', '中', '文', 'ア', 'あ', 'ー', 'Ω', 'σ', 'ж', '😀', '▁', ' ', '\t', '\n', '\u0301', '\u00a0', '‿', 'ﬁ', 'Ⓐ', '\u200d'];
const stems = ['ab', 'abc', 'cab', 'de', 'dead', 'bead', 'é', 'ÉA', '12', '1212', '²1', 'a1', '가나', '中文', 'アあー', 'ωΩσ',
    'ab-cd', '...', '!?', 'a_b', 'ﬁb', 'e\u0301', '😀', 'ABBA', 'Ⓐa', 'жaж', '$a', "a's", '‿a', 'a\u200db'];
const gaps = [' ', '  ', '\t', '\n', ' \n ', '\u00a0', '', '', '\u3000', '▁', ' ▁'];

function makeText(g) {
    let text = g.coin() ? '' : g.pick(gaps);
    for (let n = g.random(9); n >= 0; n--)
        text += (g.random(4) ? g.pick(stems) : g.pick(letters)) + g.pick(gaps);
    return text;
}

// ---- GPT-2's byte alphabet ----

const alphabet = (() => {
    const codes = [];
    let next = 256;
    for (let byte = 0; byte < 256; byte++)
        codes.push((byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174 ? byte : next++);
    return codes.map((code) => String.fromCodePoint(code));
})();
const spellBytes = (text) => Array.from(Buffer.from(text), (byte) => alphabet[byte]).join('');

// ---- components ----

const behaviors = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const patterns = (g) => g.pick([{ String: ' ' }, { String: 'a' }, { String: '--' }, { Regex: '\\s+' }, { Regex: '[0-9]' },
    { Regex: '[a-c]+' }, { Regex: '\\p{L}+' }, { Regex: '.' }, { Regex: '[0-9][0-9][0-9]' }, { Regex: ' ?[^\\s]+' },
    { Regex: '\\s+$' }]);
// A match of nothing: the library dies of some Replaces by them.
const splitPatterns = (g) => g.random(4) ? patterns(g) : g.pick([{ Regex: 'a*' }, { Regex: '\\b' }, { Regex: '(?!a)' }, { Regex: '(?=b)' },
    { Regex: '(?=(\\d{2})+(?!\\d))' }]);

const normalizers = [
    () => ({ type: 'NFC' }), () => ({ type: 'NFD' }), () => ({ type: 'NFKC' }), () => ({ type: 'NFKD' }),
    () => ({ type: 'Lowercase' }), () => ({ type: 'StripAccents' }), () => ({ type: 'Nmt' }),
    (g) => ({ type: 'Strip', strip_left: g.coin(), strip_right: g.coin() }),
    (g) => ({ type: 'Prepend', prepend: g.pick(['▁', 'x', ' ']) }),
    (g) => ({ type: 'Replace', pattern: patterns(g), content: g.pick(['', ' ', '▁', 'b', ' a ']) }),
    (g) => ({ type: 'BertNormalizer', clean_text: g.coin(), handle_chinese_chars: g.coin(),
              strip_accents: g.pick([null, true, false]), lowercase: g.coin() }),
    () => ({ type: 'ByteLevel' }),
];
const preTokenizers = [
    () => ({ type: 'Whitespace' }), () => ({ type: 'WhitespaceSplit' }), () => ({ type: 'BertPreTokenizer' }),
    () => ({ type: 'UnicodeScripts' }),
    (g) => ({ type: 'FixedLength', length: 1 + g.random(4) }),
    (g) => ({ type: 'Digits', individual_digits: g.coin() }),
    (g) => ({ type: 'Punctuation', behavior: g.pick(behaviors) }),
    (g) => ({ type: 'CharDelimiterSplit', delimiter: g.pick([' ', 'a', '-', '▁']) }),
    (g) => ({ type: 'Split', pattern: splitPatterns(g), behavior: g.pick(behaviors), invert: g.coin() }),
    (g) => ({ type: 'ByteLevel', add_prefix_space: g.coin(), trim_offsets: true, use_regex: g.coin() }),
    (g) => {
        if (g.coin()) // the older generation
            return { type: 'Metaspace', replacement: g.pick(['▁', '_']), add_prefix_space: true };
        return { type: 'Metaspace', replacement: g.pick(['▁', '_']), prepend_scheme: g.pick(['always', 'first', 'never']),
                 split: g.coin() };
    },
];

// None, one, or a sequence of some, with a sequence inside it at times.
function component(g, makers, members) {
    const some = () => Array.from({ length: g.random(4) }, () => g.pick(makers)(g));
    switch (g.random(4)) {
    case 0: return null;
    case 1: return g.pick(makers)(g);
    case 2: return { type: 'Sequence', [members]: some() };
    default: return { type: 'Sequence', [members]: [...some(), { type: 'Sequence', [members]: some() }] };
    }
}

// ---- models ----

function shuffled(g, list) {
    const copy = [...new Set(list)];
    for (let i = copy.length - 1; i > 0; i--) {
        const j = g.random(i + 1);
        [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
}
const numbered = (tokens) => Object.fromEntries(tokens.map((token, id) => [token, id]));
const bytePieces = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

// The characters that texts become: plain, or in the byte alphabet.
const characters = (g, bytes) => shuffled(g, (bytes ? [...letters, ...stems].map(spellBytes).flatMap((t) => [...t])
    : [...letters, ...stems.flatMap((t) => [...t])])).filter(() => g.random(12) > 0);

function makeBpe(g, bytes, said = {}) {
    const prefix = 'prefix' in said ? said.prefix : g.random(4) ? null : g.pick(['@@', '##', '']);
    const suffix = 'suffix' in said ? said.suffix : g.random(3) ? null : g.pick(['</w>', '_', '']);
    const unknown = 'unknown' in said ? said.unknown : g.pick([null, '<unk>', '<unk>', '<gone>']), all = !g.coin();
    const base = characters(g, bytes);
    const tokens = [...base];
    const spelled = new Set(base);
    const put = (token) => { if (!spelled.has(token)) { spelled.add(token); tokens.push(token); } };
    if (prefix) base.forEach((c) => put(prefix + c));
    if (suffix) base.forEach((c) => put(c + suffix));
    if (prefix && suffix) base.forEach((c) => put(prefix + c + suffix));
    if (unknown === '<unk>') put(unknown);
    const fallback = 'fallback' in said ? said.fallback : g.random(3) === 0;
    if (fallback) bytePieces.forEach(put);
    const merges = [], seen = new Set();
    for (let i = 0; i < 250; i++) {
        const left = g.pick(tokens), right = g.pick(tokens);
        const inside = prefix || '';
        if (left.startsWith('<0x') || right.startsWith('<0x') || left === unknown || right === unknown ||
            (suffix && left.endsWith(suffix)) || !right.startsWith(inside) || seen.has(left + '\0' + right) ||
            /\s/.test(left + right) || [...left, ...right].length > 6)
            continue;
        seen.add(left + '\0' + right);
        merges.push([left, right]);
        put(left + right.slice(inside.length));
    }
    return { type: 'BPE', dropout: null, unk_token: unknown, continuing_subword_prefix: prefix, end_of_word_suffix: suffix,
             fuse_unk: g.coin(), byte_fallback: fallback, ignore_merges: g.random(3) === 0 && all,
             vocab: numbered(tokens), merges: g.coin() ? merges : merges.map((pair) => pair.join(' ')) };
}

function makeWords(g, bytes) {
    const spell = bytes ? spellBytes : (text) => text;
    const words = [...stems, ...letters, ...stems.map((t) => t.toLowerCase()), ...stems.map((t) => `▁${t}`), 'x', ' a',
        ...stems.map((t) => t.slice(0, 2))].map(spell);
    return shuffled(g, words).filter(() => g.random(6) > 0);
}

function makeWordLevel(g, bytes) {
    const unknown = g.pick(['[UNK]', '[UNK]', '<gone>']);
    return { type: 'WordLevel', vocab: numbered(['[UNK]', ...makeWords(g, bytes)]), unk_token: unknown };
}

function makeWordPiece(g, bytes) {
    const prefix = g.pick(['##', '##', '', '@']);
    const pieces = [...new Set([...characters(g, bytes), ...makeWords(g, bytes)])];
    const inside = pieces.filter(() => g.coin()).map((piece) => prefix + piece);
    return { type: 'WordPiece', unk_token: g.pick(['[UNK]', '[UNK]', '<gone>']), continuing_subword_prefix: prefix,
             max_input_chars_per_word: g.pick([100, 5]),
             vocab: numbered([...new Set(['[UNK]', ...pieces, ...inside])]) };
}

function makeUnigram(g, bytes) {
    const fallback = g.random(3) === 0;
    const pieces = [...new Set([...characters(g, bytes), ...makeWords(g, bytes)])];
    const vocab = [['<unk>', 0], ...pieces.map((piece) => [piece, -1 - g.random(1000) / 100])];
    if (fallback) bytePieces.forEach((piece) => vocab.push([piece, -12]));
    return { type: 'Unigram', unk_id: 0, vocab, byte_fallback: fallback };
}

// ---- the rest ----

// An added token that the vocabulary has keeps its id there. Where a Replace could leave nothing of one, none is looked
// for in normal form: the library then finds it between the bytes of a character, and dies.
function added(g, ids, emptied) {
    let next = ids.size;
    return ['<x>', 'ab', '가', '[a b]', 'Ω'].filter(() => g.random(4) === 0).map((content) => ({
        id: ids.has(content) ? ids.get(content) : next++, content, single_word: g.random(4) === 0,
        lstrip: g.random(4) === 0, rstrip: g.random(4) === 0, normalized: g.coin() && !emptied, special: false }));
}

// One puts tokens around a text, at most: the library takes what a first has made for a pair of texts.
function postProcessor(g, first) {
    const template = () => ({
        type: 'TemplateProcessing',
        single: [...(g.coin() ? [{ SpecialToken: { id: 'S', type_id: 0 } }] : []), { Sequence: { id: 'A', type_id: 0 } },
            ...(g.coin() ? [{ SpecialToken: { id: 'E', type_id: 0 } }] : [])],
        pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
        special_tokens: { S: { id: 'S', ids: [first, 1], tokens: ['S', 'T'] }, E: { id: 'E', ids: [2], tokens: ['E'] } },
    });
    const pair = (type) => ({ type, sep: ['[SEP]', 3], cls: ['[CLS]', 4], trim_offsets: true, add_prefix_space: false });
    const trims = () => ({ type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true });
    const one = () => g.coin() ? template() : pair(g.pick(['BertProcessing', 'RobertaProcessing']));
    switch (g.random(5)) {
    case 0: return null;
    case 1: return one();
    case 2: return trims();
    case 3: return { type: 'Sequence', processors: [trims(), one()] };
    default: return { type: 'Sequence', processors: [{ type: 'Sequence', processors: [one()] }, trims()] };
    }
}

const hasBytes = (node) => JSON.stringify(node).includes('"ByteLevel"');

// One tokenizer.json. KIND: the model's type, or any.
function makeTokenizer(g, kind) {
    const normalizer = component(g, normalizers, 'normalizers');
    const preTokenizer = component(g, preTokenizers, 'pretokenizers');
    const bytes = (hasBytes(normalizer) || hasBytes(preTokenizer)) && g.random(5) > 0;
    const makers = { BPE: makeBpe, WordLevel: makeWordLevel, WordPiece: makeWordPiece, Unigram: makeUnigram };
    const model = makers[kind || g.pick(Object.keys(makers))](g, bytes);
    const ids = new Map(Array.isArray(model.vocab) ? model.vocab.map(([token], id) => [token, id])
        : Object.entries(model.vocab));
    // A Replace of several characters leaves the place of the last in the library, of them all in attn, and ByteLevel that
    // of a whole character, of a byte in attn, so that what begins with them begins elsewhere; only this scheme asks.
    if (JSON.stringify(normalizer).includes('"Replace"') || hasBytes(normalizer) || hasBytes(preTokenizer))
        JSON.stringify(preTokenizer, (key, value) => {
            if (value && value.prepend_scheme === 'first') value.prepend_scheme = 'always';
            return value;
        });
    const tokens = added(g, ids, JSON.stringify(normalizer).includes('"Replace"'));
    return { version: '1.0', truncation: null, padding: null, added_tokens: tokens, normalizer, pre_tokenizer: preTokenizer,
             post_processor: postProcessor(g, 5), decoder: null, model };
}

// ---- tokenizers of the shapes that are published ----

const sequence = (members, ...list) => ({ type: 'Sequence', [members]: list });
const normal = (...list) => sequence('normalizers', ...list), split = (...list) => sequence('pretokenizers', ...list);
const byteLevel = (add_prefix_space, use_regex) => ({ type: 'ByteLevel', add_prefix_space, trim_offsets: true, use_regex });
const plain = { prefix: null, suffix: null, unknown: null, fallback: false };
const bpe = (said, bytes = false) => (g) => makeBpe(g, bytes, { ...plain, ...said });

const shapes = {
    'clip': [normal({ type: 'NFC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Lowercase' }),
        split({ type: 'Split', pattern: { Regex: "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+" },
                behavior: 'Removed', invert: true }, byteLevel(false, true)),
        bpe({ prefix: '', suffix: '</w>', unknown: '<unk>' }, true)],
    'gpt-1': [{ type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
        { type: 'BertPreTokenizer' }, bpe({ suffix: '</w>', unknown: '<unk>' })],
    'falcon': [null, split({ type: 'Punctuation', behavior: 'Contiguous' }, byteLevel(false, true),
        { type: 'Digits', individual_digits: false }, { type: 'Split', pattern: { Regex: '[0-9][0-9][0-9]' },
                                                        behavior: 'Isolated', invert: false }), bpe({}, true)],
    'groups-of-digits': [null, split({ type: 'Split', pattern: { Regex: '\\d+' }, behavior: 'Isolated', invert: false },
        { type: 'Split', pattern: { Regex: '(?=(\\d{3})+(?!\\d))' }, behavior: 'Isolated', invert: false }),
        bpe({ unknown: '<unk>' })],
    'word-edges': [{ type: 'Replace', pattern: { Regex: '\\s+' }, content: '_' },
        { type: 'Split', pattern: { Regex: '\\b' }, behavior: 'Isolated', invert: false }, bpe({ unknown: '<unk>' })],
    'continuing-prefix': [{ type: 'Lowercase' }, { type: 'Whitespace' }, bpe({ prefix: '@@', unknown: '<unk>' })],
    'both-marks-and-bytes': [null, { type: 'WhitespaceSplit' },
        bpe({ prefix: '##', suffix: '</w>', unknown: '<unk>', fallback: true })],
    'byte-level-normalizer': [normal({ type: 'NFC' }, { type: 'ByteLevel' }),
        { type: 'Split', pattern: { Regex: '\u0120?[^\u0120]+|\u0120+' }, behavior: 'Isolated', invert: false }, bpe({}, true)],
    'words': [null, { type: 'Whitespace' }, (g) => makeWordLevel(g, false)],
    'words-by-bytes': [null, split({ type: 'WhitespaceSplit' }, byteLevel(false, false)), (g) => makeWordLevel(g, true)],
    'k-mers': [{ type: 'Lowercase' }, { type: 'FixedLength', length: 3 }, (g) => makeWordLevel(g, false)],
    'pieces': [normal({ type: 'NFD' }, { type: 'Lowercase' }, { type: 'StripAccents' }), { type: 'Whitespace' },
        (g) => makeWordPiece(g, false)],
    'pieces-metaspace': [null, split({ type: 'Digits', individual_digits: true }, { type: 'Metaspace', replacement: '▁',
        add_prefix_space: true, prepend_scheme: 'first' }), (g) => makeWordPiece(g, false)],
    'pieces-unsplit': [null, null, (g) => makeWordPiece(g, false)],
    'scripts': [{ type: 'NFKC' }, split({ type: 'UnicodeScripts' }, { type: 'Metaspace', replacement: '▁' }),
        (g) => makeUnigram(g, false)],
    'metaspace-old': [null, { type: 'Metaspace', replacement: '▁', str_rep: '▁', add_prefix_space: true },
        (g) => makeUnigram(g, false)],
    'metaspace-whole': [null, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'never', split: false },
        (g) => makeUnigram(g, false)],
    ...Object.fromEntries(behaviors.map((behavior) => [`punctuation-${behavior}`,
        [null, { type: 'Punctuation', behavior }, bpe({ unknown: '<unk>' })]])),
};

// The tokenizer.json of each shape, by its name.
function makeShapes() {
    return Object.fromEntries(Object.entries(shapes).map(([name, [normalizer, pre_tokenizer, model]], i) => [name,
        { version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer, pre_tokenizer, post_processor: null,
          decoder: null, model: model(generator(7919 + i)) }]));
}

module.exports = { generator, makeText, makeTokenizer, makeShapes };
