"""Writes small node tests of the ONNX package (github.com/onnx/onnx, Apache-2.0) as JSON lines, for templates/src/onnx.

    python3 test-support/onnx-cases.py OP... > templates/src/onnx/testdata/node-cases.jsonl

Each line has the node, its inputs and the outputs that the package's reference computes with NumPy. An input that has to be known
(a shape, axes, bounds) is a constant; int64 is int32, as from-onnx has it.
"""
import json
import sys

import numpy as np

# The package of Debian 12 uses names that NumPy 1.24 no longer has.
for word, kind in {"float": float, "bool": bool, "int": int, "object": object}.items():
    setattr(np, word, kind)

import onnx
from onnx.backend.test.case.node import collect_testcases

# Numbers of a case, cases of an operator, and numbers of the one case of an operator that has no smaller one.
MOST_NUMBERS, MOST_CASES, MOST_ALONE = 150, 4, 2500
DTYPES = {"int64": "int32"}
UNKNOWN_DTYPES = ("uint16", "uint32", "uint64", "int16")
# Operators whose further outputs are for training.
FIRST_OUTPUT = ("LayerNormalization", "BatchNormalization", "Dropout")


def numbers(array):
    return [
        ("nan" if np.isnan(x) else "inf" if x > 0 else "-inf") if isinstance(x, float) and not np.isfinite(x) else x
        for x in (float(f"{v:.7g}") if array.dtype.kind == "f" else int(v) for v in array.reshape(-1))
    ]


def tensor(name, array):
    dtype = str(array.dtype)
    return {"name": name, "dtype": DTYPES.get(dtype, dtype), "shape": list(array.shape), "data": numbers(array)}


def is_known(op, position, array, others):
    if position == 0 or op in ("Gather", "Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Where"):
        return False
    return array.ndim <= 1 and (array.dtype == np.int64 or (op in ("Clip", "Pad", "Resize") and array.dtype.kind == "f"))


def case_of(case):
    graph = case.model.graph
    if len(graph.node) != 1 or graph.initializer or len(case.data_sets) != 1:
        return None
    node = graph.node[0]
    arrays, results = ([np.asarray(a) if isinstance(a, np.generic) else a for a in part] for part in case.data_sets[0])
    count = 1 if node.op_type in FIRST_OUTPUT else len(results)
    results = results[:count]
    if not all(isinstance(a, np.ndarray) and a.dtype.kind in "fiub" and str(a.dtype) not in UNKNOWN_DTYPES for a in [*arrays, *results]):
        return None
    if sum(a.size for a in [*arrays, *results]) > MOST_ALONE or any(a.size == 0 for a in arrays + results):
        return None
    attributes = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, float):
            value = float(f"{value:.7g}")
        elif not isinstance(value, (int, list)):
            return None
        attributes[attribute.name] = value
    given = [name for name in node.input if name]
    constants, inputs = [], []
    for name, array in zip(given, arrays):
        position = list(node.input).index(name)
        if is_known(node.op_type, position, array, arrays):
            word = ("value_float" if array.ndim == 0 else "value_floats") if array.dtype.kind == "f" else ("value_int" if array.ndim == 0 else "value_ints")
            found = numbers(array)
            constants.append({"op": "Constant", "outputs": [name], "attributes": {word: found[0] if array.ndim == 0 else found}})
        else:
            inputs.append(tensor(name, array))
    names = [name for name in node.output if name][:count]
    last = {"op": node.op_type, "inputs": list(node.input), "outputs": list(node.output)[:count], "attributes": attributes}
    return {
        "case": case.name,
        "inputs": inputs,
        "nodes": [*constants, last],
        "outputs": [tensor(name, array) for name, array in zip(names, results)],
    }


cases = {}
for case in collect_testcases(None):
    line = case_of(case)
    if line is not None:
        cases.setdefault(line["nodes"][-1]["op"], {}).setdefault(line["case"], line)
def size_of(line):
    return sum(len(tensor["data"]) for tensor in [*line["inputs"], *line["outputs"]])


for op in sys.argv[1:]:
    found = sorted(cases.get(op, {}).values(), key=size_of)
    small = [line for line in found if size_of(line) <= MOST_NUMBERS]
    for line in small[:MOST_CASES] or found[:1]:
        print(json.dumps(line, separators=(",", ":")))
