"""Operators as capture records them: FOLDER/NAME.onnx, and what PyTorch computes, NAME.json. operators.py FOLDER

It prints what it refuses, what calls of 3 ms take by a GPU's events, and the times of nodes of which two calls are one.
"""

import contextlib
import importlib
import json
import pathlib
import sys
import types

import torch
import torch.nn.functional as F

# The package needs gRPC, capture does not.
package = types.ModuleType("warpfarm")
package.__path__ = [str(pathlib.Path(__file__).resolve().parents[4] / "python/src/warpfarm")]
sys.modules["warpfarm"] = package
torch_capture, torch_timing = (importlib.import_module(f"warpfarm.{name}") for name in ("torch_capture", "torch_timing"))


def whole(x):
    return (x * 10).to(torch.int32)


def attention(q, k, v, enable_gqa=False):
    """What PyTorch 2.5 has under this name: older ones lack it, or its groups of heads."""
    if enable_gqa:
        k, v = (x.repeat_interleave(q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1) @ v


library = torch.library.Library("made_here", "DEF")
library.define("scaled_dot_product_attention(Tensor q, Tensor k, Tensor v, *, bool enable_gqa=False) -> Tensor")
library.impl("scaled_dot_product_attention", attention, "CompositeExplicitAutograd")
attend = torch.ops.made_here.scaled_dot_product_attention

# Each of a tensor of these extents.
cases = {
    "linear_scale_alone": ([1, 2, 7, 9], lambda x: torch.nn.Upsample(scale_factor=2, mode="bilinear")(x)),
    "narrow": ([4, 7], lambda x: torch.narrow(x, 1, -3, 2) * 1),
    "transposed_vector": ([4], lambda x: x.t() + 1),
    "last": ([6, 7], lambda x: x[-3:, :-1] * 1),
    "parts": ([2, 6], lambda x: torch.cat(x.tensor_split(4, 1)[::2], 1)),
    "conv_alone": ([2, 8, 9], lambda x: F.conv2d(x, torch.arange(72.0).reshape(4, 2, 3, 3), padding=1)),
    "conv_transpose_alone": ([3, 9], lambda x: F.conv_transpose1d(x, torch.arange(24.0).reshape(3, 2, 4), stride=3)),
    "max_pool_alone": ([2, 8, 9], lambda x: F.max_pool2d(x, 3, 2, 1)),
    "max_pool_indices": ([2, 8, 9], lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True)[0] * 1),
    "avg_pool_alone": ([2, 8, 9], lambda x: F.avg_pool2d(x, (2, 3))),
    "adaptive_pool_alone": ([2, 8, 9], lambda x: F.adaptive_avg_pool2d(x, 1)),
    "adaptive_pool_parts": ([2, 8, 9], lambda x: F.adaptive_avg_pool2d(x, (2, 3))),
    "scalar": ([3], lambda x: x[1] * 2),
    "floor_divide_whole": ([3, 5], lambda x: whole(x) // 3),
    "floor_divide_negative": ([3, 5], lambda x: whole(x) // -4),

    "div_trunc": ([3, 5], lambda x: torch.div(x, 0.3, rounding_mode="trunc")),
    "div_floor": ([3, 5], lambda x: torch.div(x, 0.3, rounding_mode="floor")),
    "div_whole_floor": ([3, 5], lambda x: torch.div(whole(x), 3, rounding_mode="floor")),
    "div_whole_trunc": ([3, 5], lambda x: torch.div(whole(x), 3, rounding_mode="trunc")),
    "div_whole": ([3, 5], lambda x: whole(x) / 3),
    "floor_divide": ([3, 5], lambda x: x // 0.7),
    "nearest_scale": ([1, 2, 7, 9], lambda x: F.interpolate(x, scale_factor=1.7, mode="nearest")),
    "nearest_size": ([1, 2, 7, 9], lambda x: F.interpolate(x, size=(5, 13), mode="nearest")),
    "linear_scale": ([1, 2, 7, 9], lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear")),
    "linear_scales": ([1, 2, 7, 9], lambda x: F.interpolate(x, scale_factor=(0.6, 2.3), mode="bilinear")),
    "linear_scale_of_size": (
        [1, 2, 7, 9],
        lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True),
    ),
    "linear_size": ([1, 2, 7, 9], lambda x: F.interpolate(x, size=(5, 13), mode="bilinear")),
    "linear_corners": ([1, 2, 7, 9], lambda x: F.interpolate(x, size=(5, 13), mode="bilinear", align_corners=True)),
    "linear_corners_scale": (
        [1, 2, 7, 9],
        lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", align_corners=True),
    ),
    "argmax": ([3, 5], lambda x: x.argmax()),
    "argmax_kept": ([3, 5], lambda x: torch.argmax(x, None, True)),
    "argmin_axis": ([3, 5], lambda x: x.argmin(-2, keepdim=True)),
    "max_axis": ([3, 5], lambda x: torch.cat([x.max(-1)[0], x.max(-1)[1].float()])),
    "std_axes": ([3, 5, 4], lambda x: x.std(dim=(0, -1), unbiased=False)),
    "std_correction": ([3, 5, 4], lambda x: torch.std(x, dim=1, correction=0)),
    "var": ([3, 5, 4], lambda x: x.var()),
    "norm": ([3, 5], lambda x: x.norm()),
    "norm_1": ([3, 5], lambda x: x.norm(p=1, dim=-1, keepdim=True)),
    "mean_axes": ([4, 5, 2], lambda x: x.mean((-1, 0), keepdim=True)),
    "addmm": ([4, 4], lambda x: torch.addmm(x, x, x, beta=0.5, alpha=2)),
    "addmm_row": ([4, 4], lambda x: torch.addmm(x[0], x, x, beta=0.0)),
    "rsub": ([4, 4], lambda x: torch.rsub(x, 1.5, alpha=2)),
    "rsub_tensor": ([4, 4], lambda x: torch.rsub(x, x.t(), alpha=2)),
    "sub": ([4, 4], lambda x: torch.sub(x, x.t(), alpha=3)),
    "conv_same": ([1, 3, 9], lambda x: F.conv1d(x, torch.arange(24.0).reshape(2, 3, 4), padding="same")),
    "conv_transpose": (
        [1, 3, 9],
        lambda x: F.conv_transpose1d(x, torch.arange(24.0).reshape(3, 2, 4), stride=3, padding=1, output_padding=2),
    ),
    "max_pool_ceil": ([1, 2, 8, 9], lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True)),
    "avg_pool_ceil": ([1, 2, 8, 9], lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)),
    "avg_pool_border": ([1, 2, 8, 9], lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=True)),
    "adaptive_pool": ([1, 2, 8, 9], lambda x: F.adaptive_avg_pool2d(x, (2, 3))),
    "glu": ([4, 5], lambda x: F.glu(x, 0)),
    "softmax_type": ([4, 5], lambda x: F.softmax(x.half(), -1, dtype=torch.float32)),
    "split": ([4, 5], lambda x: torch.cat(torch.split(x, 2, -1)[::-1], -1)),
    "chunk": ([4, 7], lambda x: torch.cat(torch.chunk(x, 3, 1)[1:], 1)),
    "select": ([4, 7], lambda x: x[:, -2] + x[-1, -1]),
    "slice": ([6, 7], lambda x: x[1:-1:2, ::3] * 1),
    "pad_reflect": ([1, 6, 7], lambda x: F.pad(x, (2, 1), mode="reflect")),
    "pad_value": ([1, 6, 7], lambda x: F.pad(x, (2, 1, 0, 3), value=1.5)),
    "pad_less": ([1, 6, 7], lambda x: F.pad(x, (-2, 1))),
    "pad_circular": ([1, 6, 7], lambda x: F.pad(x, (2, 1), mode="circular")),
    "pow": ([3, 4], lambda x: x**2 + x.abs() ** 1.5 + 2**x),
    "clamp": ([3, 4], lambda x: x.clamp(min=0.1) + x.clamp(max=-0.1)),
    "gelu_tanh": ([3, 4], lambda x: F.gelu(x, approximate="tanh")),
    "hardsigmoid": ([3, 4], lambda x: F.hardsigmoid(x * 4)),
    "softplus": ([3, 4], lambda x: F.softplus(x * 30)),
    "relus": ([3, 4], lambda x: F.leaky_relu(x, 0.3) + F.elu(x, 0.5) + F.selu(x)),
    "expand": ([3, 4], lambda x: x[:, None].expand(-1, 2, -1) * 1),
    "repeat": ([3, 4], lambda x: x.repeat(2, 1, 3)),
    "index": ([3, 4], lambda x: x[torch.tensor([2, 0, -1])]),
    "index_select": ([3, 4], lambda x: x.index_select(1, torch.tensor([2, 0, 3]))),
    "group_norm": ([2, 6, 5], lambda x: F.group_norm(x, 3, torch.arange(6.0) + 1, torch.arange(6.0))),
    "batch_norm": ([2, 3, 4], lambda x: F.batch_norm(x, torch.arange(3.0), torch.arange(3.0) + 0.5, torch.arange(3.0))),
    "round": ([3, 4], lambda x: torch.round(whole(x) / 4)),
    "masked": ([3, 4], lambda x: x.masked_fill(x > 0, -2.0)),
    "in_place": ([3, 4], lambda x: x.add_(1).mul_(2).relu_()),
    "ne": ([3, 4], lambda x: (x.round() != 0).float()),
    "attention_of_one_batch": ([2, 4, 3, 5], lambda x: attend(x, x[1:] + 1, x[:1] * 2)),
    "attention_of_one_query": ([2, 4, 3, 5], lambda x: attend(x[:1, :1], x, x * 2)),
    "attention_of_one_head": ([2, 4, 3, 5], lambda x: attend(x, x[:, 1:2], x[:, :1] * 2, enable_gqa=True)),
    "attention_of_as_many_heads": ([2, 4, 3, 5], lambda x: attend(x, x + 1, x * 2, enable_gqa=True)),
    "attention_of_fewer_dims": ([2, 4, 3, 5], lambda x: attend(x, x[0, 1], x[1])),
    "pixel_shuffle": ([1, 8, 2, 3], lambda x: F.pixel_shuffle(x, 2)),
}

folder = sys.argv[1]
for name, (shape, run) in cases.items():
    torch.manual_seed(len(name))
    x = torch.randn(shape)
    with torch.no_grad():
        y = run(x.clone())
    torch_capture.capture(run, x, f"{folder}/{name}.onnx", time=False)
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump({"x": x.flatten().tolist(), "shape": list(y.shape), "y": y.flatten().double().tolist()}, file)

refused = {
    "view": lambda x: x.view(torch.int32),
    "heads": lambda x: attend(x[:, None], x[:2, None] + 1, x[:, None], enable_gqa=True),
    "heads of values": lambda x: attend(x[:, None], x[:, None], x[:2, None], enable_gqa=True),
    "factors": lambda x: F.interpolate(x[None], scale_factor=1.99999999, mode="linear"),
}
for name, run in refused.items():
    try:
        torch_capture.capture(run, torch.randn(4, 4), f"{folder}/refused.onnx", time=False)
        print(name, "is taken")
    except torch_capture.CaptureError as error:
        print(error)


class Event:
    """Of a device on which each call takes 3 ms."""

    done = 0

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = 3.0 * Event.done

    def elapsed_time(self, end):
        return end.at - self.at


def call():
    Event.done += 1


torch.cuda.Event, torch.cuda.synchronize = Event, lambda: None
torch.cuda.device = lambda device: contextlib.nullcontext()
print(round(torch_timing.seconds_of(call, torch.device("cuda")), 9))
Node = torch_capture.Node
nodes = [Node("Relu", ["x"], ["t0"], {}), Node("Split", ["t0"], ["a", "b"], {}), Node("Neg", ["b"], ["y"], {})]
print([node.seconds for node in torch_capture._timed(nodes, [(1.0, ["t0"]), (2.0, ["t0"]), (4.0, ["a", "b"])])])
