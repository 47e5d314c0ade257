"""The second half of torch_operators: rows, and the arrangement of elements."""

from __future__ import annotations

from typing import Any, Callable

import torch

from .torch_operators import operand, operator, operators, rank, refuse, reshaped


# Rows


@operator("softmax", "_softmax")
def _softmax(r, out, x, dim, *dtype, **given):
    return r.node("Softmax", [operand(r, x, out.dtype)], axis=dim)


@operator("log_softmax", "_log_softmax")
def _log_softmax(r, out, x, dim, *dtype, **given):
    return r.node("LogSoftmax", [operand(r, x, out.dtype)], axis=dim)


@operator("layer_norm", "native_layer_norm")
def _layer_norm(r, out, x, shape, weight=None, bias=None, eps=1e-5, *enabled):
    first = out[0] if isinstance(out, tuple) else out
    scale = r.name(torch.ones(list(shape), dtype=x.dtype) if weight is None else weight)
    inputs = [r.name(x), scale] + ([] if bias is None else [r.name(bias)])
    made = r.node("LayerNormalization", inputs, axis=-len(shape), epsilon=float(eps))
    return made if first is out else [made, None, None]


@operator("rms_norm")
def _rms_norm(r, out, x, shape, weight=None, eps=None):
    scale = r.name(torch.ones(list(shape), dtype=x.dtype) if weight is None else weight)
    epsilon = torch.finfo(x.dtype).eps if eps is None else eps
    return r.node("RMSNormalization", [r.name(x), scale], axis=-len(shape), epsilon=float(epsilon))


@operator("batch_norm")
def _batch_norm(r, out, x, weight, bias, mean, variance, training, momentum, eps, *cudnn):
    if training or mean is None:
        refuse("a batch norm takes the statistics of its batch; with those that it has learnt it is recorded")
    ones, zeros = torch.ones_like(mean), torch.zeros_like(mean)
    parts = [ones if weight is None else weight, zeros if bias is None else bias, mean, variance]
    return r.node("BatchNormalization", [r.name(x), *(r.name(part) for part in parts)], epsilon=float(eps))


@operator("instance_norm")
def _instance_norm(r, out, x, weight, bias, mean, variance, use_input_stats, momentum, eps, *cudnn):
    if not use_input_stats:
        return operators["batch_norm"](r, out, x, weight, bias, mean, variance, False, momentum, eps)
    unit = [torch.full([x.shape[1]], value, dtype=x.dtype) for value in (1.0, 0.0)]
    given = [unit[i] if part is None else part for i, part in enumerate((weight, bias))]
    return r.node("InstanceNormalization", [r.name(x), *(r.name(part) for part in given)], epsilon=float(eps))


@operator("group_norm")
def _group_norm(r, out, x, groups, weight=None, bias=None, eps=1e-5, *cudnn):
    flat = reshaped(r, r.name(x), [x.shape[0], groups, -1])
    unit = [r.name(torch.full([groups], value, dtype=x.dtype)) for value in (1.0, 0.0)]
    made = reshaped(r, r.node("InstanceNormalization", [flat, *unit], epsilon=float(eps)), list(x.shape))
    per_channel = [x.shape[1]] + [1] * (x.dim() - 2)
    if weight is not None:
        made = r.node("Mul", [made, reshaped(r, r.name(weight), per_channel)])
    return made if bias is None else r.node("Add", [made, reshaped(r, r.name(bias), per_channel)])


def _reduction(op: str) -> Callable[..., Any]:
    def make(r, out, x, dim=None, keepdim=False, **given):
        dims = None if dim is None or dim == [] else [dim] if isinstance(dim, int) else list(dim)
        given_type = operand(r, x, out.dtype)
        return r.node(op, [given_type] + ([] if dims is None else [r.constant(dims)]), keepdims=int(keepdim))

    return make


for _name, _op in {"mean": "ReduceMean", "sum": "ReduceSum", "amax": "ReduceMax", "amin": "ReduceMin", "prod": "ReduceProd"}.items():
    operators[_name] = _reduction(_op)
operators["logsumexp"] = _reduction("ReduceLogSumExp")


def _largest(reduce: str, place: str, pick: str) -> Callable[..., Any]:
    def make(r, out, x, dim=None, keepdim=False):
        if isinstance(dim, torch.Tensor):
            return r.node(pick, [operand(r, x, out.dtype), operand(r, dim, out.dtype)])
        if dim is None:
            return r.node(reduce, [r.name(x)], keepdims=0)
        values = r.node(reduce, [r.name(x), r.constant([dim])], keepdims=int(keepdim))
        return [values, r.node(place, [r.name(x)], axis=dim, keepdims=int(keepdim))]

    return make


operators["max"], operators["min"] = _largest("ReduceMax", "ArgMax", "Max"), _largest("ReduceMin", "ArgMin", "Min")


@operator("norm", "linalg_vector_norm")
def _norm(r, out, x, p=2, dim=None, keepdim=False, **given):
    if p not in (1, 2, None):
        refuse("a norm of order %s; 1 and 2 are recorded" % p)
    return _reduction("ReduceL1" if p == 1 else "ReduceL2")(r, out, x, dim, keepdim)


def _spread(root: bool) -> Callable[..., Any]:
    def make(r, out, x, dim=None, unbiased=True, keepdim=False, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        dims = list(range(x.dim())) if dim in (None, []) else [dim] if isinstance(dim, int) else list(dim)
        count = 1
        for d in dims:
            count *= x.shape[d]
        less = int(unbiased) if correction is None else correction
        centred = r.node("Sub", [r.name(x), r.node("ReduceMean", [r.name(x), r.constant(dims)], keepdims=1)])
        total = r.node("ReduceSumSquare", [centred, r.constant(dims)], keepdims=int(keepdim))
        made = r.node("Div", [total, r.constant(count - less, x.dtype)])
        return r.node("Sqrt", [made]) if root else made

    return make


operators["var"], operators["std"] = _spread(False), _spread(True)


def _extreme(op: str) -> Callable[..., Any]:
    def make(r, out, x, dim=None, keepdim=False):
        if dim is None:
            first = r.node(op, [reshaped(r, r.name(x), [-1])], axis=0, keepdims=0)
            return reshaped(r, first, out.shape) if keepdim else first
        return r.node(op, [r.name(x)], axis=dim, keepdims=int(keepdim))

    return make


operators["argmax"], operators["argmin"] = _extreme("ArgMax"), _extreme("ArgMin")


# Arrangement


@operator("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as", "_reshape_alias")
def _viewed(r, out, x, *args, **kwargs):
    if out.dtype != x.dtype:
        refuse("it reads the bytes of %s as %s" % (x.dtype, out.dtype))
    return reshaped(r, r.name(x), out.shape) if out.shape != x.shape else r.name(x)


def _transpose(r, x, perm):
    """As one with the transpose before it, of which exporters make one too."""
    name = r.name(x)
    before = next((node for node in reversed(r.nodes) if node.outputs == [name]), None)
    if before is not None and before.op == "Transpose":
        return r.node("Transpose", before.inputs, perm=[before.attributes["perm"][d] for d in perm])
    return r.node("Transpose", [name], perm=perm)


@operator("permute")
def _permute(r, out, x, dims):
    return _transpose(r, x, [rank(x, d) for d in dims])


@operator("transpose", "t", "swapaxes", "numpy_T", "mT", "adjoint")
def _swapped(r, out, x, a=-2, b=-1):
    if x.dim() < 2:
        return r.name(x)
    perm = list(range(x.dim()))
    perm[a], perm[b] = perm[b], perm[a]
    return _transpose(r, x, perm)


@operator("expand", "expand_as", "broadcast_to")
def _expand(r, out, x, *args, **kwargs):
    return r.node("Expand", [r.name(x), r.constant(list(out.shape))])


@operator("repeat")
def _repeat(r, out, x, repeats):
    return r.node("Tile", [reshaped(r, r.name(x), [1] * (len(repeats) - x.dim()) + list(x.shape)), r.constant(list(repeats))])


def _cut(r, x, dim, start, end, step=1):
    return r.node("Slice", [r.name(x), *(r.constant([int(n)]) for n in (start, end, dim, step))])


@operator("slice")
def _slice(r, out, x, dim=0, start=None, end=None, step=1):
    first, last = start or 0, x.shape[dim] if end is None else min(end, x.shape[dim])
    return r.name(x) if out.shape == x.shape else _cut(r, x, rank(x, dim), first, last, step)


@operator("narrow")
def _narrow(r, out, x, dim, start, length):
    first = int(start) + x.shape[dim] if start < 0 else int(start)
    return _cut(r, x, rank(x, dim), first, first + length)


@operator("select")
def _select(r, out, x, dim, index):
    at = index + x.shape[dim] if index < 0 else index
    return reshaped(r, _cut(r, x, rank(x, dim), at, at + 1), out.shape)


@operator("split", "split_with_sizes", "chunk", "tensor_split", "unsafe_split", "unsafe_chunk")
def _split(r, out, x, sizes, dim=0):
    if len(out) == 1:
        return [r.name(x)]
    return r.node("Split", [r.name(x), r.constant([part.shape[dim] for part in out])], len(out), axis=rank(x, dim))


@operator("unbind")
def _unbind(r, out, x, dim=0):
    return [_select(r, part, x, dim, i) for i, part in enumerate(out)]


@operator("cat", "concat", "concatenate")
def _cat(r, out, tensors, dim=0):
    return r.node("Concat", [operand(r, x, out.dtype) for x in tensors if x.numel() > 0], axis=rank(out, dim))


@operator("stack")
def _stack(r, out, tensors, dim=0):
    at = rank(out, dim)
    shape = [1 if d == at else n for d, n in enumerate(out.shape)]
    return r.node("Concat", [reshaped(r, r.name(x), shape) for x in tensors], axis=at)


@operator("pad", "constant_pad_nd")
def _pad(r, out, x, pad, mode="constant", value=None):
    if not isinstance(mode, str):
        mode, value = "constant", mode
    before = [0] * (x.dim() - len(pad) // 2) + list(pad[::2])[::-1]
    after = [0] * (x.dim() - len(pad) // 2) + list(pad[1::2])[::-1]
    word = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    return r.node("Pad", [r.name(x), r.constant(before + after), r.constant(value or 0, x.dtype)], mode=word)


@operator("embedding")
def _embedding(r, out, weight, index, *given, **more):
    return r.node("Gather", [r.name(weight), r.name(index)])


@operator("index_select")
def _index_select(r, out, x, dim, index):
    return r.node("Gather", [r.name(x), r.name(index)], axis=rank(x, dim))


@operator("index")
def _index(r, out, x, indices):
    given = [(d, index) for d, index in enumerate(indices) if index is not None]
    if len(given) != 1 or given[0][1].dtype == torch.bool:
        refuse("a tensor is indexed by %d tensors or by conditions; one of whole numbers is recorded" % len(given))
    return r.node("Gather", [r.name(x), r.name(given[0][1])], axis=given[0][0])


@operator("pixel_shuffle")
def _pixel_shuffle(r, out, x, factor):
    return r.node("DepthToSpace", [r.name(x)], blocksize=factor, mode="CRD")
