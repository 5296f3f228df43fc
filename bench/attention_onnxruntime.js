// The same work in onnxruntime-node, in bench/attention's columns (the last two are empty).
//   node attention_onnxruntime.js MODULES GRAPHS causal|full|layer N THREADS RUNS
// MODULES: a node_modules with onnxruntime-node; GRAPHS: what attention_onnx.py made.
'use strict';
const path = require('path');
const [modules, graphs, what, nText, threadsText, runsText] = process.argv.slice(2);
const ort = require(path.resolve(modules, 'onnxruntime-node'));
const n = +nText, threads = +threadsText, runs = +runsText, width = 768;

function tensor() {
  const numbers = new Float32Array(n * width);
  for (let i = 0; i < numbers.length; i++) numbers[i] = Math.random() * 4 - 2;
  return new ort.Tensor('float32', numbers, [1, n, width]);
}

(async () => {
  const session = await ort.InferenceSession.create(path.join(graphs, what + '.onnx'), {
    intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3});
  const feeds = what === 'layer' ? {x: tensor()} : {q: tensor(), k: tensor(), v: tensor()};
  const times = [];
  await session.run(feeds);
  for (let i = 0; i < runs; i++) {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  times.sort((a, b) => a - b);
  const median = times[runs >> 1];
  const core = 4 * n * n * width * (what === 'full' ? 1 : 0.5);
  const operations = core + (what === 'layer' ? 8 * n * width * width : 0);
  const version = require(path.resolve(modules, 'onnxruntime-node', 'package.json')).version;
  console.log([what === 'layer' ? 'causal layer' : what, n, 12, 64, threads, 'onnxruntime ' + version,
    median.toFixed(3), times[0].toFixed(3), (operations / median / 1e6).toFixed(1), '', ''].join('\t'));
})();
