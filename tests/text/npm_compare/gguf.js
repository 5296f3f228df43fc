// Compares our token ids with llama.cpp's (npm's node-llama-cpp ships it) for every name of tokenizer.ggml.pre.
//
//   node gguf.js ATTN SHARED MODULES [TEXTS [SEED]]
//   node gguf.js --store FILE SHARED MODULES
//
// The second writes what tests/text/split/test_pre.c reads (tests/data/text/pre.json): llama.cpp's ids of some texts.
// ATTN: the built program; SHARED: the outside data (GPT-2's vocabulary); MODULES: a node_modules folder. A GGUF file is
// made for each name: GPT-2's tokens and merges, or a small BPE over characters where the name stands for one. Exit status
// 0: no difference but where llama.cpp says that its pattern is not the published one, 1: differences, 77: no package.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { generator, makeText } = require('./generate.js');

const storing = process.argv[2] === '--store';
const [attn, shared, modules] = process.argv.slice(2 + storing);
const nTexts = storing ? 24 : Number(process.argv[5] || 150);
const seed = storing ? 77 : Number(process.argv[6] || 1);

const names = process.env.ATTN_NAMES ? process.env.ATTN_NAMES.split(' ') : ['gpt-2', 'phi-2', 'roberta-bpe', 'mpt', 'olmo', 'gigachat', 'mellum', 'modern-bert', 'a.x-4.0', 'jina-es',
    'jina-de', 'jina-v2-es', 'jina-v2-de', 'jina-v1-en', 'jina-v2-code', 'jais', 'exaone4', 'trillion', 'granite-docling',
    'llama3', 'llama-v3', 'llama-bpe', 'falcon3', 'falcon-h1', 'pixtral', 'midm-2.0', 'lfm2', 'jina-v5-nano', 'dbrx',
    'smaug-bpe', 'glm4', 'chatglm-bpe', 'qwen2', 'deepseek-r1-qwen', 'kormo', 'f2llmv2', 'megrez', 'stablelm2', 'hunyuan',
    'solar-open', 'grok-2', 'starcoder', 'refact', 'command-r', 'smollm', 'codeshell', 'exaone', 'minerva-7b', 'mellum2',
    'gpt-4o', 'llama4', 'kanana2', 'talkie', 'minimax-m2', 'granite-embed-multi-97m', 'default', 'falcon', 'jais-2',
    'deepseek-llm', 'deepseek-coder', 'deepseek-v3', 'hunyuan-dense', 'joyai-llm', 'hy_v4', 'spark2_5', 'youtu', 'qwen35',
    'poro-chat', 'bloom', 'gpt3-finnish', 'viking', 'tekken', 'chameleon', 'tiny_aya', 'cohere2moe', 'kimi-k2', 'superbpe',
    'bailingmoe', 'bailingmoe2', 'llada-moe', 'seed-coder', 'ufakzeka', 'afmoe', 'laguna', 'exaone-moe', 'minicpm5',
    'gemma4', 'granite-embed-multi-311m', 'sarvam-moe', 'whitespace'];
const overCharacters = new Set(['gemma4', 'granite-embed-multi-311m', 'sarvam-moe', 'whitespace']);

// ---- a GGUF file of metadata alone ----

const u32 = (value) => { const b = Buffer.alloc(4); b.writeUInt32LE(value); return b; };
const u64 = (value) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(value)); return b; };
const string = (text) => { const bytes = Buffer.from(text); return Buffer.concat([u64(bytes.length), bytes]); };
const values = {
    u32: (value) => [u32(4), u32(value)], bool: (value) => [u32(7), Buffer.from([value ? 1 : 0])],
    string: (value) => [u32(8), string(value)],
    strings: (list) => [u32(9), u32(8), u64(list.length), ...list.map(string)],
    i32s: (list) => [u32(9), u32(5), u64(list.length), ...list.map(u32)],
};
function writeGguf(file, entries) {
    const pairs = entries.flatMap(([key, type, value]) => [string(key), ...values[type](value)]);
    fs.writeFileSync(file, Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(entries.length), ...pairs]));
}

// ---- vocabularies ----

function gpt2() {
    const folder = path.join(shared, 'data/vocab/gpt2');
    const vocab = JSON.parse(fs.readFileSync(path.join(folder, 'vocab.json'), 'utf8'));
    const tokens = Object.entries(vocab).sort((a, b) => a[1] - b[1]).map(([token]) => token);
    const merges = fs.readFileSync(path.join(folder, 'merges.txt'), 'utf8').split('\n')
        .filter((line, i) => line !== '' && !(i === 0 && line.startsWith('#version')));
    return { tokens, merges, types: tokens.map((token) => token === '<|endoftext|>' ? 3 : 1) };
}

function characters(withBytes) {
    const bytes = !withBytes ? [] : Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
    const base = ['<bos>', ...bytes, ...'▁abcdeABÉ12.,!?-_$\n가나中文'];
    const pairs = [['a', 'b'], ['d', 'e'], ['▁', 'a'], ['▁a', 'b'], ['ab', 'c'], ['de', 'a'], ['.', '.'], ['1', '2'],
        ['▁', '▁'], ['가', '나'], ['dea', 'd'], ['▁', 'de'], ['12', '12'], ['▁▁', '▁▁']];
    return { tokens: [...base, ...pairs.map((pair) => pair.join(''))], merges: pairs.map((pair) => pair.join(' ')),
             types: base.map((token, i) => i === 0 ? 3 : token.startsWith('<0x') ? 6 : 1).concat(pairs.map(() => 1)) };
}

function makeFile(folder, name, vocabulary) {
    const file = path.join(folder, `${name}.gguf`), bos = vocabulary.types.indexOf(3);
    writeGguf(file, [['general.architecture', 'string', 'llama'], ['tokenizer.ggml.model', 'string', 'gpt2'],
        ['tokenizer.ggml.pre', 'string', name], ['tokenizer.ggml.tokens', 'strings', vocabulary.tokens],
        ['tokenizer.ggml.token_type', 'i32s', vocabulary.types], ['tokenizer.ggml.merges', 'strings', vocabulary.merges],
        ['tokenizer.ggml.bos_token_id', 'u32', bos], ['tokenizer.ggml.eos_token_id', 'u32', bos]]);
    return file;
}

// ---- texts: those of generate.js, and what these patterns part ----

const stems = ["don't", "WE'LL", "you'Re", '1', '12', '123', '1234', '12345', '1234567', '१२३४', '²³', 'Hello', 'HTTPServer',
    'camelCase', 'naïve', 'Ελλάδα', 'Привет', 'नमस्ते', 'สวัสดี', 'עברית', '東京タワー', 'ひらがな', '한국어', 'ㄅㄆㄇ', '！？', '…', '。', '、',
    '“x”', '$5', '<=>', 'a+b', '~^|`', '@#%&', '(x)', '[y]', '{z}', 'x/y', '//', 'foo_bar', '-', '--', "'s", 'e\u0301', '😀👩‍👧',
    'ǅ', 'ʰ', 'Ⅷ', '<sentinel:3>', 'IMGIMGABZ'];
const gaps = [' ', '  ', '   ', '    ', '\n', '\n\n', '\r\n', '\t', ' \n', '\n ', '', '', ' ', '\u00a0', '\u3000'];
function text(g) {
    if (g.random(3) === 0)
        return makeText(g).replace(/[▁\u200d]/gu, '');
    let made = g.pick(gaps);
    for (let n = g.random(8); n >= 0; n--)
        made += g.pick(stems) + g.pick(gaps);
    return made;
}

function ours(file, texts) {
    const run = spawnSync(attn, ['-v', file, '-p', 'tokens', '-f', 'tsv', '--no-header', '--columns=text,id', '-q',
        '--unknown=skip', '--keep-newline', ...texts.flatMap((t) => ['-T', t])], { maxBuffer: 1 << 28 });
    const lists = texts.map(() => []);
    for (const line of run.stdout.toString().split('\n').filter((l) => l !== '')) {
        const [index, id] = line.split('\t');
        lists[Number(index)].push(id);
    }
    return { lists: lists.map((ids) => ids.join(' ')), error: run.stderr.toString() };
}

// Their patterns lose marks (and letters without case) that the published ones have, or their own code takes digits before
// a letter by threes, which the published pattern leaves to the next: said there beside the patterns.
const letterMarks = /\p{M}|[ʰǅ]|\p{Lo}/u, digitsBeforeLetters = /\d[\p{L}_]/u;
const known = {
    'gpt-4o': letterMarks, 'llama4': letterMarks, 'kanana2': letterMarks, 'talkie': letterMarks, 'minimax-m2': letterMarks,
    'granite-embed-multi-97m': letterMarks, 'tekken': letterMarks, 'tiny_aya': digitsBeforeLetters,
    'cohere2moe': digitsBeforeLetters,
};

async function main() {
    let getLlama;
    try {
        ({ getLlama } = await import(path.join(modules, 'node-llama-cpp/dist/index.js')));
    } catch (error) {
        console.log(`SKIP: llama.cpp: ${error.message.split('\n')[0]}`);
        process.exit(77);
    }
    const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'disabled' });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attn-gguf-')), g = generator(seed);
    const all = Array.from({ length: nTexts }, () => text(g)).filter((t) => t !== '');
    const bytes = gpt2(), plain = characters(true), withoutBytes = characters(false);
    let differences = 0, skipped = 0;
    const lists = [];
    for (const name of names) {
        // llama.cpp dies of two blanks in a row behind this name
        const texts = name === 'whitespace' ? all.map((t) => t.replace(/\s+/gu, ' ')) : all;
        const file = makeFile(folder, name, name === 'whitespace' ? withoutBytes : overCharacters.has(name) ? plain : bytes);
        const found = storing ? null : ours(file, texts), stored = [];
        const model = await llama.loadModel({ modelPath: file, vocabOnly: true });
        let wrong = 0;
        texts.forEach((t, i) => {
            const begins = model.tokens.shouldPrependBosToken ? [model.tokens.bos] : [];
            const expected = [...begins, ...model.tokenize(t, false)].join(' ');
            if (storing) {
                stored.push(known[name] && known[name].test(t) ? null : expected);
                return;
            }
            if (expected === found.lists[i])
                return;
            if (known[name] && known[name].test(t)) {
                skipped++;
                return;
            }
            if (wrong++ < 2)
                console.log(`${name}: ${JSON.stringify(t)}\n  llama.cpp ${expected}\n  ours      ${found.lists[i]} ${found.error}`);
        });
        await model.dispose();
        const characters = name === 'whitespace' ? 2 : Number(overCharacters.has(name)), key = JSON.stringify(stored);
        const same = lists.find((entry) => JSON.stringify(entry.ids) === key && entry.characters === characters);
        same ? same.names.push(name) : lists.push({ names: [name], characters, ids: stored });
        fs.rmSync(file);
        if (wrong > 0)
            console.log(`${name}: ${wrong} of ${texts.length} texts differ`);
        differences += wrong;
    }
    fs.rmSync(folder, { recursive: true, force: true });
    if (storing) {
        fs.writeFileSync(attn, `{"texts":${JSON.stringify(all)},\n"characters":${JSON.stringify([plain, withoutBytes])},\n` +
            `"ways":[\n${lists.map((entry) => JSON.stringify(entry)).join(',\n')}\n]}\n`);
        return process.exit(0);
    }
    console.log(`llama.cpp: ${names.length} names, ${all.length} texts, ${differences} differences, ${skipped} known ones`);
    process.exit(differences > 0 ? 1 : 0);
}

main();
