// Compares our token ids with those of the tokenizers library itself (Rust; npm's @anush008/tokenizers is built of it) on
// generated tokenizer.json files and random texts.
//
//   node library.js ENCODE_FILE MODULES [FILES [SEED]]
//   node library.js --store FOLDER MODULES
//
// The second writes what tests/text/vocab/test_library.c reads (tests/data/text/library): a tokenizer.json for each of the
// shapes that are published and for some made at random, and the library's ids of texts.
// ENCODE_FILE: the built tests/text/encode_file; MODULES: a node_modules folder. Where the library fails (an unknown
// token that the vocabulary lacks) so must we. Exit status 0: no difference, 1: differences, 77: no package.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { generator, makeText, makeTokenizer, makeShapes } = require('./generate.js');

const storing = process.argv[2] === '--store';
const [encodeFile, modules] = process.argv.slice(2 + storing);
const nFiles = Number(process.argv[4] || 400);
const seed = Number(process.argv[5] || 1);
const nTexts = 20;

function ours(file, texts) {
    const records = texts.flatMap((text) => [Buffer.from(Buffer.byteLength(text) + '\n'), Buffer.from(text)]);
    const run = spawnSync(encodeFile, ['-s', '-p', file], { input: Buffer.concat(records), maxBuffer: 1 << 28 });
    if (run.status !== 0)
        return texts.map(() => 'refused: ' + run.stderr.toString().trim());
    return run.stdout.toString().split('\n').slice(0, texts.length);
}

async function theirs(tokenizer, text) {
    try {
        return Array.from((await tokenizer.encode(text)).getIds()).join(' ');
    } catch (error) {
        return 'error: ' + error.message;
    }
}

// Both fail, whatever the words; a text of which nothing is known is no error for the library.
const same = (a, b) => a === b || (a.startsWith('error:') && b.startsWith('error:')) ||
    b.startsWith('error: nothing of the text is in the vocabulary');

function random(seed, i) {
    const g = generator(seed * 100003 + i);
    for (let warm = 0; warm < 8; warm++) g.random(2);
    return g;
}

async function store(folder, Tokenizer) {
    const files = makeShapes(), list = [];
    for (let i = 0; i < 24; i++)
        files[`random-${i}`] = makeTokenizer(random(1000, i));
    for (const [name, made] of Object.entries(files)) {
        const json = JSON.stringify(made), tokenizer = Tokenizer.fromString(json), g = random(2000, list.length);
        const texts = Array.from({ length: 12 }, () => makeText(g)), ids = [];
        for (const text of texts)
            ids.push(await theirs(tokenizer, text));
        fs.writeFileSync(path.join(folder, `${name}.json`), json + '\n');
        list.push({ file: `${name}.json`, texts, ids: ids.map((line) => line.startsWith('error:') ? 'error' : line) });
    }
    fs.writeFileSync(path.join(folder, 'ids.json'), '[\n' + list.map((entry) => JSON.stringify(entry)).join(',\n') + '\n]\n');
}

async function main() {
    let Tokenizer;
    try {
        ({ Tokenizer } = require(path.join(modules, '@anush008/tokenizers')));
    } catch (error) {
        console.log(`SKIP: the tokenizers library: ${error.message.split('\n')[0]}`);
        process.exit(77);
    }
    if (storing) {
        await store(encodeFile, Tokenizer);
        return;
    }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attn-library-'));
    const counts = { files: 0, texts: 0, differences: 0, rejected: 0 };
    for (let i = 0; i < nFiles; i++) {
        const g = random(seed, i), made = makeTokenizer(g), file = path.join(folder, 'tokenizer.json'), json = JSON.stringify(made);
        let tokenizer;
        try {
            tokenizer = Tokenizer.fromString(json);
        } catch (error) {
            counts.rejected++;
            continue;
        }
        fs.writeFileSync(file, json);
        const texts = Array.from({ length: nTexts }, () => makeText(g));
        const lines = ours(file, texts);
        let wrong = 0;
        for (let t = 0; t < nTexts; t++) {
            const expected = await theirs(tokenizer, texts[t]);
            if (same(expected, lines[t]))
                continue;
            if (wrong++ === 0) {
                const show = { ...made, model: { ...made.model, vocab: undefined, merges: undefined } };
                console.log(`file ${i}: ${JSON.stringify(show)}\n  ${JSON.stringify(texts[t])}\n  library ${expected}\n` +
                            `  ours    ${lines[t]}`);
                if (process.env.ATTN_KEEP) fs.copyFileSync(file, path.join(process.env.ATTN_KEEP, `${i}.json`));
            }
        }
        counts.files++;
        counts.texts += nTexts;
        counts.differences += wrong;
    }
    fs.rmSync(folder, { recursive: true, force: true });
    console.log(`the tokenizers library: ${counts.files} files (${counts.rejected} it does not take), ${counts.texts} texts, ` +
                `${counts.differences} differences`);
    process.exit(counts.differences > 0 ? 1 : 0);
}

main();
