// Compares our token ids with the npm packages' on random Unicode.
//
//   node compare.js ENCODE_FILE SHARED MODULES [BYTES] [SEED]
//
// ENCODE_FILE: the built tests/text/encode_file; SHARED: the outside data; MODULES: a node_modules folder.
// One row of `suites` per vocabulary: how to make the reference, and which file ours reads. Exit status 0:
// no difference but the known ones (each argued below), 1: differences, 77: nothing could be compared.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const [encodeFile, shared, modules] = process.argv.slice(2);
const wanted = Number(process.argv[5] || 1 << 20);
const seed = Number(process.argv[6] || 1);

// ---- random texts ----

let state = seed >>> 0 || 1;
function random(n) { // xorshift32
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state % n;
}
const pick = (list) => list[random(list.length)];

// Code points that node's Unicode knows and our library's older one does not can not be compared: their
// categories differ. Random texts leave them out.
const unassigned = spawnSync(encodeFile, ['-u']).stdout.toString().trim().split('\n')
    .map((line) => line.split(' ').map(Number));
const isNewer = (code) => unassigned.some(([low, high]) => code >= low && code <= high) &&
    !/\p{Cn}/u.test(String.fromCodePoint(code));
function anyCodePoint() {
    for (;;) {
        const code = random(4) ? random(0x30000) : random(0x110000);
        if ((code < 0xD800 || code > 0xDFFF) && !isNewer(code))
            return String.fromCodePoint(code);
    }
}
const range = (low, high) => {
    for (;;) {
        const code = low + random(high - low + 1);
        if (!isNewer(code))
            return String.fromCodePoint(code);
    }
};
const words = ['the', 'Hello', 'tokenization', 'WORLD', 'naïve', 'Café', 'ΣΊΣΥΦΟΣ', 'İstanbul', 'Straße', 'ẞ',
    'нещо', 'Български', 'कान', 'ไทย', 'عربي', 'עברית', 'fisherman', '어부가', '그물을', '我想在', 'アップル', 'ひらがな',
    'ﬁne', 'Å', 'Ω', '½', '①', '٣', '１２３', 'don\'t', 'we\'LL', 'I\'ve', 'you’re', 'x'.repeat(101), '[MASK]', '[UNK]', '[mask]', ' [SEP]'];
const spaces = [' ', '  ', '\t', '\n', '\r\n', '\n\n', '   ', '\u00a0', '\u2003', '\u3000', '\u2028', '\u0085', '\u000b',
    '\u000c', '\u001c', '\u1680', '\u180e', '\u200b', '\ufeff', '\u202f', '        '];
const makers = [
    () => pick(words),
    () => pick(words) + pick(spaces),
    () => pick(spaces),
    () => anyCodePoint(),
    () => range(0x20, 0x7e),
    () => range(0x20, 0x7e) + range(0x20, 0x7e) + range(0x20, 0x7e),
    () => range(0x61, 0x7a) + range(0x300, 0x36f),
    () => range(0x61, 0x7a) + range(0x300, 0x36f) + range(0x300, 0x36f) + range(0x302a, 0x302f),
    () => range(0xac00, 0xd7a3),
    () => range(0xac00, 0xd7a3).normalize('NFD'),
    () => range(0x1100, 0x11ff),
    () => range(0x4e00, 0x9fff),
    () => range(0xf900, 0xfaff),
    () => range(0x370, 0x3ff) + range(0x370, 0x3ff),
    () => range(0x1f00, 0x1fff),
    () => range(0x900, 0x97f) + range(0x900, 0x97f),
    () => range(0x1f300, 0x1faff),
    () => '👩‍👩‍👧',
    () => range(0, 0x1f),
    () => range(0x80, 0x9f),
    () => String(random(100000)),
    () => pick(['.', ',', '!', '?', '-', '…', '¿', '、', '。', '٪', '⁂', '‿', '«']),
];
function makeTexts() {
    const texts = [];
    for (let size = 0; size < wanted;) {
        let text = '';
        for (let n = random(40); n >= 0; n--)
            text += pick(makers)();
        texts.push(text);
        size += Buffer.byteLength(text);
    }
    return texts;
}

// ---- the two sides ----

function ours(vocabulary, texts, options) {
    const records = [];
    for (const text of texts) {
        const bytes = Buffer.from(text);
        records.push(Buffer.from(bytes.length + '\n'), bytes);
    }
    const run = spawnSync(encodeFile, [...(options || []), vocabulary],
                          { input: Buffer.concat(records), maxBuffer: 1 << 30 });
    if (run.status !== 0)
        throw new Error('encode_file failed: ' + run.stderr);
    return run.stdout.toString().split('\n').slice(0, texts.length);
}
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const module_ = (name) => require(path.join(modules, name));

// The package looks at UTF-16 units when it sets ideographs apart, so those beyond U+FFFF stay glued to their
// neighbours; BERT's own tokenizer (and the package's model, the Rust library) looks at code points. The
// reference gets the spaces that it should have put.
const spaceIdeographs = (text) =>
    text.replace(/[\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu, ' $& ');

const suites = [
    {
        name: 'WordPiece (bert/vocab.txt) and @huggingface/tokenizers',
        vocabulary: path.join(shared, 'data/vocab/bert/vocab.txt'),
        reference() {
            const { Tokenizer } = module_('@huggingface/tokenizers');
            const tokenizer = new Tokenizer(json(path.join(shared, 'data/vocab/bert/tokenizer.json')), {});
            return (text) => tokenizer.encode(spaceIdeographs(text), { add_special_tokens: false }).ids;
        },
    },
    ...require('./suites.js')({ shared, json, module_, makeTexts }),
];

// ---- the comparison ----

let compared = 0;
let differences = 0;
for (const suite of suites) {
    let reference;
    try {
        fs.accessSync(suite.vocabulary);
        reference = suite.reference();
    } catch (error) {
        console.log(`SKIP: ${suite.name}: ${error.message.split('\n')[0]}`);
        continue;
    }
    state = seed >>> 0 || 1;
    const texts = (suite.texts || makeTexts)();
    const lines = ours(suite.vocabulary, texts, suite.options);
    let wrong = 0;
    texts.forEach((text, i) => {
        const expected = Array.from(reference(text)).join(' ');
        if (expected === lines[i] || (suite.known && suite.known(text, expected, lines[i])))
            return;
        if (wrong++ < 5)
            console.log(`${suite.name}: ${JSON.stringify(text)}\n  reference ${expected}\n  ours      ${lines[i]}`);
    });
    const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    console.log(`${suite.name}: ${texts.length} texts, ${size} bytes, ${wrong} differences`);
    compared++;
    differences += wrong;
}
process.exit(compared === 0 ? 77 : differences > 0 ? 1 : 0);
