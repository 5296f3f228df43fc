#!/usr/bin/env python3
"""Make the graphs that attention_onnxruntime.js runs, in directory argv[1]: the core of 12 heads of 64
(com.microsoft MultiHeadAttention, causal and full) and a layer (com.microsoft Attention with its projections and
the output's). Needs Debian's python3-onnx."""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH = 12, 768


def value(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "n", WIDTH])


def weights(name, *shape):
    numbers = np.random.default_rng(0).standard_normal(shape) * 0.03
    return numpy_helper.from_array(numbers.astype(np.float32), name)


def save(path, nodes, inputs, initializers=()):
    graph = helper.make_graph(nodes, "g", [value(i) for i in inputs], [value("o")], list(initializers))
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets)
    model.ir_version = 8
    onnx.save(model, path)


def main(directory):
    def core(causal):
        return [helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["o"], domain="com.microsoft",
                                 num_heads=HEADS, unidirectional=causal)]

    os.makedirs(directory, exist_ok=True)
    save(os.path.join(directory, "causal.onnx"), core(1), ["q", "k", "v"])
    save(os.path.join(directory, "full.onnx"), core(0), ["q", "k", "v"])
    layer = [helper.make_node("Attention", ["x", "W", "B"], ["a"], domain="com.microsoft", num_heads=HEADS,
                              unidirectional=1),
             helper.make_node("MatMul", ["a", "Wo"], ["o"])]
    bias = numpy_helper.from_array(np.zeros(3 * WIDTH, np.float32), "B")
    save(os.path.join(directory, "layer.onnx"), layer, ["x"],
         [weights("W", WIDTH, 3 * WIDTH), bias, weights("Wo", WIDTH, WIDTH)])


main(sys.argv[1])
