"""Writes an ONNX file (onnx/onnx.proto of github.com/onnx/onnx): the few messages that a list of operators needs, in the wire format
of protocol buffers. Weights lie in a file of their own beside it, so it has no limit of size."""

from __future__ import annotations

import os
import struct
from typing import Any, NamedTuple

OPSET = 20
# The first in which nodes have metadata.
_IR_VERSION = 10
_ALIGN = 64
# Shapes, axes and scalars stay in the file itself.
_SMALL = 256


class Node(NamedTuple):
    op: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    seconds: float | None = None


class Weight(NamedTuple):
    """`type`: of TensorProto.DataType. `data`: little-endian and row-major."""

    name: str
    type: int
    shape: list[int]
    data: bytes


def _varint(n: int) -> bytes:
    n &= 2**64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _number(field: int, n: int) -> bytes:
    return _varint(field << 3) + _varint(n)


def _part(field: int, data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return _part(1, name) + _part(4, value) + _number(20, 3)
    if isinstance(value, int):
        return _part(1, name) + _number(3, int(value)) + _number(20, 2)
    if isinstance(value, float):
        return _part(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    return _part(1, name) + b"".join(_number(8, int(n)) for n in value) + _number(20, 7)


def _metadata(field: int, name: str, value: str) -> bytes:
    return _part(field, _part(1, "warpfarm." + name) + _part(2, value))


def _node(node: Node) -> bytes:
    time = b"" if node.seconds is None else _metadata(9, "seconds", repr(node.seconds))
    names = b"".join(_part(1, name) for name in node.inputs) + b"".join(_part(2, name) for name in node.outputs)
    return names + _part(3, node.outputs[0]) + _part(4, node.op) + b"".join(_part(5, _attribute(*item)) for item in node.attributes.items()) + time


def _info(name: str, kind: int, shape: list[int]) -> bytes:
    tensor = _number(1, kind) + _part(2, b"".join(_part(1, _number(1, extent)) for extent in shape))
    return _part(1, name) + _part(2, _part(1, tensor))


class OnnxFile:
    """`framework`: what timed the nodes, and on which device."""

    def __init__(self, nodes: list[Node], framework: dict[str, str]):
        self._framework = b"".join(_metadata(14, *item) for item in framework.items())
        self._graph = b"".join(_part(1, _node(node)) for node in nodes) + _part(2, "captured")
        self._weights: list[Weight] = []

    def input(self, name: str, kind: int, shape: list[int]) -> None:
        self._graph += _part(11, _info(name, kind, shape))

    def output(self, name: str, kind: int, shape: list[int]) -> None:
        self._graph += _part(12, _info(name, kind, shape))

    def weight(self, weight: Weight) -> None:
        self._weights.append(weight)

    def write(self, path: str) -> None:
        parts, offset = [self._graph], 0
        beside = path + ".data"
        with open(beside, "wb") as data:
            for weight in self._weights:
                tensor = b"".join(_number(1, extent) for extent in weight.shape) + _number(2, weight.type) + _part(8, weight.name)
                if len(weight.data) <= _SMALL:
                    parts.append(_part(5, tensor + _part(9, weight.data)))
                    continue
                data.write(weight.data + bytes(-len(weight.data) % _ALIGN))
                entries = {"location": os.path.basename(beside), "offset": str(offset), "length": str(len(weight.data))}
                offset += len(weight.data) + -len(weight.data) % _ALIGN
                tensor += b"".join(_part(13, _part(1, key) + _part(2, value)) for key, value in entries.items())
                parts.append(_part(5, tensor + _number(14, 1)))
        if offset == 0:
            os.remove(beside)
        with open(path, "wb") as file:
            file.write(_number(1, _IR_VERSION) + _part(7, b"".join(parts)) + _part(8, _part(1, "") + _number(2, OPSET)) + self._framework)
