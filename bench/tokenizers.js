// How fast the npm packages tokenize: what bench/tokenizers runs for its right-hand columns.
//
//   node tokenizers.js MODULES PACKAGE VOCABULARY TEXT COPIES RUNS
//
// TEXT -: one line. Prints: load seconds, encode seconds (best of RUNS), number of ids of one text, their running hash.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, name, vocabulary, textFile, copies, runs] = process.argv.slice(2);
const module_ = (which) => require(path.join(path.resolve(modules), which));
const beside = (file) => path.join(path.dirname(vocabulary), file);

// A loader gives a function from a text to its ids.
const packages = {
    bert() {
        const { Tokenizer } = module_('@huggingface/tokenizers');
        return () => {
            const tokenizer = new Tokenizer(JSON.parse(fs.readFileSync(beside('tokenizer.json'), 'utf8')), {});
            return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
        };
    },
    gpt2() {
        const { Tiktoken } = module_('tiktoken');
        const ranks = module_('tiktoken/encoders/gpt2.json');
        let encoder;
        return () => {
            if (encoder)
                encoder.free();
            encoder = new Tiktoken(ranks.bpe_ranks, ranks.special_tokens, ranks.pat_str);
            return (text) => encoder.encode_ordinary(text);
        };
    },
};

const seconds = (work) => {
    const start = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - start) * 1e-9;
};
const load = packages[name]();
const text = textFile === '-' ? 'one line of text' : fs.readFileSync(textFile, 'utf8');
let encode, ids;
let bestLoad = Infinity;
let bestEncode = Infinity;
for (let run = 0; run < Number(runs); run++) {
    bestLoad = Math.min(bestLoad, seconds(() => { encode = load(); }));
    bestEncode = Math.min(bestEncode, seconds(() => {
        for (let i = 0; i < Number(copies); i++)
            ids = encode(text);
    }));
}
let sum = 0;
for (const id of ids)
    sum = (Math.imul(sum, 31) + id) >>> 0;
console.log(bestLoad, bestEncode, ids.length, sum);
