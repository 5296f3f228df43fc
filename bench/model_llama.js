// The forward pass of bench/model in llama.cpp, on the same numbers, for comparison.
//   node bench/model_llama.js MODULES MODEL.gguf [N] [THREADS] [RUNS] [FLASH: 0|1] [BATCH] [CACHE: F16|F32]
// MODULES: a node_modules with node-llama-cpp; MODEL.gguf: what bench/model_gguf.py made.
// One line like bench/model's: what, n, threads, which, median ms, best ms, then the first logits of the last token, as
// bench/model_torch.py prints them. llama.cpp takes BATCH tokens at a time (all N, where nothing is said) and makes
// logits of the last alone.
'use strict';
const path = require('path');
const {pathToFileURL} = require('url');
const [modules, file, nText = '1024', threadsText = '1', runsText = '3', flash = '1',
  batchText = nText, cache = 'F16'] = process.argv.slice(2);
const n = +nText, threads = +threadsText, runs = +runsText, batch = +batchText, first = [0, 1, 2, 3];

function milliseconds() {
  if (threads > 1) return Number(process.hrtime.bigint()) / 1e6;
  const {user, system} = process.cpuUsage();  // other jobs disturb it less
  return (user + system) / 1e3;
}

(async () => {
  const package_ = path.resolve(modules, 'node-llama-cpp');
  const {getLlama} = await import(pathToFileURL(path.join(package_, 'dist', 'index.js')));
  const llama = await getLlama({gpu: false, build: 'never', maxThreads: threads, progressLogs: false});
  const model = await llama.loadModel({modelPath: path.resolve(file), useMmap: true});
  const context = await model.createContext({
    contextSize: n + 256,  // with no room behind the prompt the package shifts it and evaluates a part again
    batchSize: batch, threads, flashAttention: flash === '1',
    experimentalKvCacheKeyType: cache, experimentalKvCacheValueType: cache});
  const sequence = context.getSequence(), times = [];
  const input = Array.from({length: n}, (_, i) => i * 7919 % 50257);
  input[n - 1] = [input[n - 1], {generateNext: {logits: {filter: {tokens: first}}}}];
  let logits;
  for (let run = 0; run <= runs; run++) {  // the first warms up
    await sequence.clearHistory();
    const start = milliseconds();
    const out = await sequence.controlledEvaluate(input);
    if (run > 0) times.push(milliseconds() - start);
    logits = out[n - 1].next.logits;
  }
  times.sort((a, b) => a - b);
  const version = require(path.join(package_, 'package.json')).version;
  const which = `node-llama-cpp ${version} ${flash === '1' ? 'flash' : 'plain'} batch ${batch} ${cache}`;
  const shown = first.map((id) => logits.get(id).toFixed(6)).join(' ');
  console.log(['forward, last logits', n, threads, which, times[runs >> 1].toFixed(1), times[0].toFixed(1),
    shown].join('\t'));
  await llama.dispose();
})();
