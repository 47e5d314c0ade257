"""PyTorch's operators in ONNX's words: for each, a function of the recorder (`r`), its result and its arguments, which gives the
name of the result (or names, None for one that is not recorded). Choices follow PyTorch's own exporter, so both give equal tasks."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable

import torch

ONNX_TYPES = {
    **{torch.float32: 1, torch.uint8: 2, torch.int8: 3, torch.int32: 6, torch.int64: 7},
    **{torch.bool: 9, torch.float16: 10, torch.float64: 11, torch.bfloat16: 16},
}
operators: dict[str, Callable[..., Any]] = {}


def operator(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def put(make: Callable[..., Any]) -> Callable[..., Any]:
        operators.update({name: make for name in names})
        return make

    return put


def rank(x: torch.Tensor, dim: int) -> int:
    return dim + x.dim() if dim < 0 else dim


def _list(x: Any, count: int) -> list[int]:
    values = list(x) if isinstance(x, (tuple, list)) else [x]
    return [int(v) for v in (values * count if len(values) == 1 else values)]


def operand(r: Any, x: Any, dtype: torch.dtype) -> str:
    """A tensor or number as an operand of this type."""
    if not isinstance(x, torch.Tensor):
        return r.constant(x, dtype)
    return r.name(x) if x.dtype == dtype else r.node("Cast", [r.name(x)], to=ONNX_TYPES[dtype])


def refuse(why: str) -> None:
    raise ValueError(why)


def reshaped(r, name, shape):
    return r.node("Reshape", [name, r.constant([int(n) for n in shape])])


# Of one element

_ONE = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "abs": "Abs", "neg": "Neg"}
_ONE |= {"sign": "Sign", "floor": "Floor", "ceil": "Ceil", "round": "Round", "sin": "Sin", "cos": "Cos", "erf": "Erf"}
_ONE |= {"reciprocal": "Reciprocal", "logical_not": "Not", "bitwise_not": "Not", "hardswish": "HardSwish", "mish": "Mish"}
for _name, _op in _ONE.items():
    operators[_name] = lambda r, out, x, op=_op: r.node(op, [r.name(x)])


@operator("silu")
def _silu(r, out, x):
    return r.node("Mul", [r.name(x), r.node("Sigmoid", [r.name(x)])])


@operator("gelu")
def _gelu(r, out, x, approximate="none"):
    return r.node("Gelu", [r.name(x)], approximate=None if approximate == "none" else approximate)


@operator("rsqrt")
def _rsqrt(r, out, x):
    return r.node("Reciprocal", [r.node("Sqrt", [r.name(x)])])


@operator("square")
def _square(r, out, x):
    return r.node("Mul", [r.name(x), r.name(x)])


@operator("hardsigmoid")
def _hardsigmoid(r, out, x):
    return r.node("HardSigmoid", [r.name(x)], alpha=1 / 6)


@operator("leaky_relu")
def _leaky_relu(r, out, x, negative_slope=0.01):
    return r.node("LeakyRelu", [r.name(x)], alpha=float(negative_slope))


@operator("elu")
def _elu(r, out, x, alpha=1.0, scale=1.0, input_scale=1.0):
    if scale != 1 or input_scale != 1:
        return r.node("Selu", [r.name(x)], alpha=float(alpha), gamma=float(scale))
    return r.node("Elu", [r.name(x)], alpha=float(alpha))


@operator("softplus")
def _softplus(r, out, x, beta=1, threshold=20):
    return r.node("Softplus", [r.name(x)]) if beta == 1 else refuse("softplus has beta %s; 1 is recorded" % beta)


@operator("prelu")
def _prelu(r, out, x, weight):
    shape = [1, weight.numel()] + [1] * (x.dim() - 2) if weight.numel() > 1 else [1]
    return r.node("PRelu", [r.name(x), reshaped(r, r.name(weight), shape[1:] if x.dim() > 1 else shape)])


@operator("clamp", "hardtanh", "clamp_min", "clamp_max", "relu6")
def _clamp(r, out, x, least=None, most=None, **given):
    return r.node("Clip", [r.name(x)] + ["" if end is None else operand(r, end, x.dtype) for end in (least, most)])


operators["relu6"] = lambda r, out, x: _clamp(r, out, x, 0, 6)
operators["hardtanh"] = lambda r, out, x, min_val=-1, max_val=1: _clamp(r, out, x, min_val, max_val)
operators["clamp"] = lambda r, out, x, min=None, max=None: _clamp(r, out, x, min, max)
operators["clamp_min"] = lambda r, out, x, min: _clamp(r, out, x, min)
operators["clamp_max"] = lambda r, out, x, max: _clamp(r, out, x, None, max)


@operator("to", "_to_copy", "type_as", "float", "half", "int", "long", "bool")
def _cast(r, out, x, *args, **kwargs):
    return r.name(x) if out.dtype == x.dtype else r.node("Cast", [r.name(x)], to=ONNX_TYPES[out.dtype])


# Of two

_TWO = {"mul": "Mul", "pow": "Pow", "minimum": "Min", "maximum": "Max", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
_TWO |= {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}
_COMPARED = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}


def _two(r, op, a, b, dtype):
    return r.node(op, [operand(r, a, dtype), operand(r, b, dtype)])


for _name, _op in _TWO.items():
    operators[_name] = lambda r, out, a, b, op=_op: _two(r, op, a, b, out.dtype)
for _name, _op in _COMPARED.items():
    operators[_name] = lambda r, out, a, b, op=_op: _two(r, op, a, b, torch.result_type(a, b))


@operator("ne")
def _ne(r, out, a, b):
    return r.node("Not", [_two(r, "Equal", a, b, torch.result_type(a, b))])


@operator("add", "sub", "rsub")
def _add(r, out, a, b, alpha=1, op="Add"):
    scaled = operand(r, b, out.dtype) if alpha == 1 else r.node("Mul", [operand(r, b, out.dtype), r.constant(alpha, out.dtype)])
    return r.node(op, [operand(r, a, out.dtype), scaled])


operators["sub"] = lambda r, out, a, b, alpha=1: _add(r, out, a, b, alpha, "Sub")
operators["rsub"] = lambda r, out, a, b, alpha=1: _add(r, out, b, a, alpha, "Sub")


@operator("div", "true_divide")
def _div(r, out, a, b, rounding_mode=None):
    made = _two(r, "Div", a, b, out.dtype)
    if not out.is_floating_point():
        # ONNX rounds whole quotients towards 0.
        return made if rounding_mode == "trunc" else _whole_floor(r, a, b, out.dtype)
    if rounding_mode == "trunc":
        return r.node("Mul", [r.node("Sign", [made]), r.node("Floor", [r.node("Abs", [made])])])
    return r.node("Floor", [made]) if rounding_mode == "floor" else made


def _whole_floor(r, a, b, dtype):
    """The remainder has the divisor's sign, so without it the division leaves nothing over."""
    less = r.node("Sub", [operand(r, a, dtype), _two(r, "Mod", a, b, dtype)])
    return r.node("Div", [less, operand(r, b, dtype)])


@operator("floor_divide")
def _floor_divide(r, out, a, b):
    return _div(r, out, a, b, "floor")


@operator("glu")
def _glu(r, out, x, dim=-1):
    first, gate = r.node("Split", [r.name(x), r.constant([out.shape[dim]] * 2)], 2, axis=rank(x, dim))
    return r.node("Mul", [first, r.node("Sigmoid", [gate])])


@operator("where")
def _where(r, out, condition, a, b):
    return r.node("Where", [r.name(condition), operand(r, a, out.dtype), operand(r, b, out.dtype)])


@operator("masked_fill")
def _masked_fill(r, out, x, mask, value):
    return r.node("Where", [r.name(mask), operand(r, value, x.dtype), r.name(x)])


# Products and windows


@operator("matmul", "mm", "bmm", "mv")
def _matmul(r, out, a, b):
    return r.node("MatMul", [r.name(a), r.name(b)])


@operator("addmm")
def _addmm(r, out, c, a, b, beta=1, alpha=1):
    return r.node("Gemm", [r.name(a), r.name(b), r.name(c)], alpha=float(alpha), beta=float(beta))


@operator("linear")
def _linear(r, out, x, weight, bias=None):
    if x.dim() == 2 and bias is not None:
        return r.node("Gemm", [r.name(x), r.name(weight), r.name(bias)], alpha=1.0, beta=1.0, transB=1)
    turned = r.node("Transpose", [r.name(weight)], perm=[1, 0])
    made = r.node("MatMul", [r.name(x), turned])
    return made if bias is None else r.node("Add", [r.name(bias), made])


def _attend(r, out, q, k, v, mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    # The products broadcast what stands before the rows, one head too, but no group of heads.
    if enable_gqa and any(x.shape[-3] not in (1, q.shape[-3]) for x in (k, v)):
        heads = tuple(x.shape[-3] for x in (q, k, v))
        refuse("queries, keys and values have %d, %d and %d heads; repeat those of keys and values" % heads)
    rank = k.dim()
    turned = r.node("Transpose", [r.name(k)], perm=[*range(rank - 2), rank - 1, rank - 2])
    factor = r.constant(scale if scale is not None else 1 / math.sqrt(q.shape[-1]), q.dtype)
    scores = r.node("Mul", [r.node("MatMul", [r.name(q), turned]), factor])
    if is_causal:
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    if mask is not None and mask.dtype == torch.bool:
        scores = r.node("Where", [r.name(mask), scores, r.constant(-math.inf, q.dtype)])
    elif mask is not None:
        scores = r.node("Add", [scores, r.name(mask)])
    return r.node("MatMul", [r.node("Softmax", [scores], axis=-1), r.name(v)])


operators["scaled_dot_product_attention"] = _attend


def _conv(r, x, weight, bias, stride, padding, dilation, groups, transposed=False, output_padding=0):
    count = weight.dim() - 2
    stride, dilation = _list(stride, count), _list(dilation, count)
    kernel = list(weight.shape[2:])
    if padding in ("same", "valid"):
        total = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel)]
        pads = [t // 2 for t in total] + [t - t // 2 for t in total]
    else:
        pads = _list(padding, count) * 2
    extra = {"output_padding": _list(output_padding, count)} if transposed and any(_list(output_padding, count)) else {}
    inputs = [r.name(x), r.name(weight)] + ([] if bias is None else [r.name(bias)])
    op = "ConvTranspose" if transposed else "Conv"
    return r.node(op, inputs, dilations=dilation, group=groups, kernel_shape=kernel, pads=pads, strides=stride, **extra)


def _convolution(r, out, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv(r, x, weight, bias, stride, padding, dilation, groups)


def _transposed(r, out, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _conv(r, x, weight, bias, stride, padding, dilation, groups, True, output_padding)


def _max_pool(r, out, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    count = x.dim() - 2
    kernel = _list(kernel_size, count)
    sizes = {"kernel_shape": kernel, "pads": _list(padding, count) * 2, "strides": _list(stride or kernel, count)}
    dilations = _list(dilation, count)
    made = r.node("MaxPool", [r.name(x)], **sizes, ceil_mode=int(ceil_mode), dilations=dilations if max(dilations) > 1 else None)
    return [made, None] if isinstance(out, tuple) else made


def _average_pool(r, out, x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    if divisor_override is not None:
        refuse("avg_pool has a divisor_override; without it is recorded")
    count = x.dim() - 2
    kernel = _list(kernel_size, count)
    sizes = {"kernel_shape": kernel, "pads": _list(padding, count) * 2, "strides": _list(stride or kernel, count)}
    return r.node("AveragePool", [r.name(x)], **sizes, ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad))


def _adaptive(r, out, x, output_size):
    into, extents = list(out.shape[2:]), list(x.shape[2:])
    if all(n == 1 for n in into):
        return r.node("GlobalAveragePool", [r.name(x)])
    if any(n % m for n, m in zip(extents, into)):
        refuse("an adaptive pool goes from %r to %r; sizes that divide are recorded" % (extents, into))
    kernel = [n // m for n, m in zip(extents, into)]
    return r.node("AveragePool", [r.name(x)], kernel_shape=kernel, strides=kernel)


def _windows(make, count, r, out, x, *args, **kwargs):
    """Over `count` dimensions after batch and channels. A tensor without a batch gets one of 1, which its result lacks."""
    if x.dim() == count + 2:
        return make(r, out, x, *args, **kwargs)
    one = x.unsqueeze(0)
    r.declare(one, reshaped(r, r.name(x), one.shape))
    outs = out if isinstance(out, tuple) else (out,)
    wide = tuple(each.unsqueeze(0) for each in outs)
    made = make(r, wide if isinstance(out, tuple) else wide[0], one, *args, **kwargs)
    first, *rest = made if isinstance(made, list) else [made]
    narrow = reshaped(r, first, outs[0].shape)
    return [narrow, *rest] if isinstance(made, list) else narrow


for _count in (1, 2, 3):
    for _name, _make in {
        **{"conv%dd": _convolution, "conv_transpose%dd": _transposed, "avg_pool%dd": _average_pool, "adaptive_avg_pool%dd": _adaptive},
        **{"max_pool%dd": _max_pool, "max_pool%dd_with_indices": _max_pool},
    }.items():
        operators[_name % _count] = functools.partial(_windows, _make, _count)


def _resize(r, out, x, mode, align_corners, factors):
    """By factors where the model gives them: places are then theirs, and not those of the sizes, which are rounded."""
    given = [float(n) for factor in factors if factor is not None for n in (factor if isinstance(factor, (tuple, list)) else [factor])]
    sizes = torch.tensor(given) * torch.tensor([float(n) for n in x.shape[2:]]) if given else None
    if align_corners or sizes is None:
        by = ["", r.constant(list(out.shape))]
    elif sizes.floor().tolist() == [float(n) for n in out.shape[2:]]:
        by = [r.constant([1.0, 1.0, *given], torch.float32)]
    else:
        refuse("in float32 its factors %r give other sizes than %r; give sizes" % (given, list(out.shape[2:])))
    place = "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "half_pixel"
    nearest = "floor" if mode == "nearest" else None
    return r.node("Resize", [r.name(x), "", *by], mode=mode, coordinate_transformation_mode=place, nearest_mode=nearest)


for _name in ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"):
    operators[_name] = lambda r, out, x, size=None, *scales, output_size=None, **given: _resize(
        r, out, x, "nearest", False, [*scales, *given.values()]
    )
for _name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"):
    operators[_name] = lambda r, out, x, size, align_corners, *scales, **given: _resize(
        r, out, x, "linear", align_corners, [*scales, *given.values()]
    )
