"""Runs networks of networks.testing.ts by PyTorch, and their exports beside them; prints each one's greatest error over the outputs'
greatest value. One process runs all, because loading PyTorch takes longer than that.

  networks.py (NETWORK.json MODEL_FOLDER)...
"""
import importlib.util
import itertools
import json
import sys

import numpy
import torch
import torch.nn.functional as F


def convolution(x, w, b=None, pads=(0, 0, 0, 0), strides=(1, 1)):
    assert pads[:2] == pads[2:]
    return F.conv2d(x, w, b, stride=strides, padding=pads[:2])


OPERATORS = {
    "Conv": convolution,
    "ConvTranspose": lambda x, w, b, strides: F.conv_transpose2d(x, w, b, stride=strides),
    "BatchNormalization": lambda x, scale, bias, mean, variance: F.batch_norm(x, mean, variance, scale, bias),
    "LayerNormalization": lambda x, scale, bias: F.layer_norm(x, x.shape[-1:], scale, bias),
    "Relu": F.relu,
    "Gelu": F.gelu,
    "Sigmoid": torch.sigmoid,
    "Softmax": lambda x: F.softmax(x, -1),
    "Add": torch.add,
    "Mul": torch.mul,
    "MatMul": torch.matmul,
    "Gemm": lambda a, b, c: a @ b + c,
    "MaxPool": lambda x, kernel_shape, strides: F.max_pool2d(x, kernel_shape, strides),
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True),
    "Flatten": lambda x: x.flatten(1),
    "Reshape": lambda x, shape: x.reshape(shape),
    "Transpose": lambda x, perm: x.permute(perm),
    "Split": lambda x, axis, split: x.split(split, axis),
    "Concat": lambda *x, axis: torch.cat(x, axis),
    "Resize": lambda x, scales: F.interpolate(x, scale_factor=scales[2:], mode="nearest"),
}


def run(network, x):
    values = {"x": torch.from_numpy(x)}
    for name, shape in network["weights"].items():
        values[name] = torch.tensor(network["values"][name], dtype=torch.float32).reshape(shape)
    for node in itertools.chain(*network["tasks"]):
        made = OPERATORS[node["op"]](*[values[name] for name in node["inputs"]], **node["attributes"])
        for name, value in zip(node["outputs"], made if isinstance(made, tuple) else [made]):
            values[name] = value
    return values[network["output"]].numpy()


def error(network_file, folder):
    with open(network_file) as file:
        network = json.load(file)
    spec = importlib.util.spec_from_file_location("model", folder + "/model.py")
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    loaded = model.load(folder)
    worst = 0.0
    for seed in range(2):
        x = numpy.random.RandomState(seed).standard_normal(network["input"]).astype("f4")
        expected, (got,) = run(network, x), loaded(x=x).values()
        assert got.shape == expected.shape, (got.shape, expected.shape)
        assert numpy.std(expected) > 1e-3, "the network's output is constant"
        worst = max(worst, float(numpy.abs(got - expected).max() / numpy.abs(expected).max()))
    return worst


torch.set_num_threads(1)
for pair in zip(sys.argv[1::2], sys.argv[2::2]):
    print(error(*pair))
