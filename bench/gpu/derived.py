"""The operators of derived-cases.mjs by PyTorch: eager and torch.compile, each replayed as a CUDA graph. One line of JSON for each name.

  derived.py eager|compiled NAME...

An operator that fails says why in its line. Microseconds: the median of rounds, each of which replays a graph that holds enough calls to last about a millisecond. TF32 off.
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as F

torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True

CASES = {
    "conv2d": ([(1, 512, 7, 7), (512, 512, 3, 3)], lambda d, w: F.conv2d(d, w, padding=1)),
    "conv2d_dilated": ([(1, 64, 28, 28), (64, 64, 3, 3)], lambda d, w: F.conv2d(d, w, padding=2, dilation=2)),
    "conv2d_grouped": ([(1, 128, 28, 28), (128, 32, 3, 3)], lambda d, w: F.conv2d(d, w, padding=1, groups=4)),
    "depthwise": ([(1, 128, 56, 56), (128, 1, 3, 3)], lambda d, w: F.conv2d(d, w, padding=1, groups=128)),
    "conv1d": ([(4, 64, 1024), (64, 64, 5)], lambda d, w: F.conv1d(d, w, padding=2)),
    "conv3d": ([(1, 16, 8, 28, 28), (32, 16, 3, 3, 3)], lambda d, w: F.conv3d(d, w, padding=1)),
    "conv2d_transposed": ([(1, 64, 14, 14), (64, 32, 4, 4)], lambda d, w: F.conv_transpose2d(d, w, stride=2, padding=1)),
    "matmul": ([(512, 512), (512, 512)], torch.matmul),
    "batched_matmul": ([(8, 128, 128), (8, 128, 128)], torch.matmul),
    "matmul_f16": ([(512, 512), (512, 512)], torch.matmul),
    "softmax": ([(512, 1024)], lambda x: F.softmax(x, dim=-1)),
    "layer_norm": ([(512, 1024), (1024,), (1024,)], lambda x, g, b: F.layer_norm(x, (1024,), g, b)),
    "max_pool": ([(1, 64, 112, 112)], lambda x: F.max_pool2d(x, 3, stride=2, padding=1)),
    "mean": ([(8, 512, 7, 7)], lambda x: x.mean(dim=(2, 3))),
    "elementwise_chain": ([(1024, 1024), (1024, 1024), (1024,)], lambda x, y, b: torch.relu(x + b) + y),
    "matvec": ([(2048, 2048), (2048,)], torch.matmul),
}
WIDE = 4096
LARGE = {
    "softmax": ([(16384, WIDE)], lambda x: F.softmax(x, dim=-1)),
    "layer_norm": ([(16384, WIDE), (WIDE,), (WIDE,)], lambda x, g, b: F.layer_norm(x, (WIDE,), g, b)),
    "elementwise_chain": ([(8192, 8192), (8192, 8192), (8192,)], lambda x, y, b: torch.relu(x + b) + y),
    "conv2d": ([(128, 64, 56, 56), (64, 64, 3, 3)], lambda d, w: F.conv2d(d, w, padding=1)),
    "depthwise": ([(1, 8192, 56, 56), (8192, 1, 3, 3)], lambda d, w: F.conv2d(d, w, padding=1, groups=8192)),
    "matmul": ([(4096, 4096), (4096, 4096)], torch.matmul),
    "max_pool": ([(1, 2048, 112, 112)], lambda x: F.max_pool2d(x, 3, stride=2, padding=1)),
    "mean": ([(512, 2048, 7, 7)], lambda x: x.mean(dim=(2, 3))),
    "matvec": ([(16384, 8192), (8192,)], torch.matmul),
}
for name, case in LARGE.items():
    CASES[f"large_{name}"] = CASES[f"large_{name}_f16"] = case
for depth in (64, 128):
    for mask in ("", "_causal"):
        CASES[f"attention_{depth}{mask}_f16"] = (
            [(4, 16, 4096, depth)] * 3,
            lambda q, k, v, is_causal=mask != "": F.scaled_dot_product_attention(q, k, v, is_causal=is_causal),
        )
ROUNDS = 15


def replayed(call):
    """Microseconds of one call."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            call()
        stream.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record(stream)
        for _ in range(10):
            call()
        end.record(stream)
        stream.synchronize()
        count = max(10, min(2000, int(10 / max(start.elapsed_time(end), 1e-3))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(count):
                call()
        times = []
        for _ in range(ROUNDS + 2):
            start.record(stream)
            graph.replay()
            end.record(stream)
            stream.synchronize()
            times.append(start.elapsed_time(end) * 1e3 / count)
    return statistics.median(times[2:])


def timed(what, name):
    shapes, call = CASES[name]
    dtype = torch.float16 if name.endswith("_f16") else torch.float32
    tensors = [torch.randn(shape, device="cuda", dtype=dtype) for shape in shapes]
    if what == "compiled":
        compiled = torch.compile(call, mode="max-autotune-no-cudagraphs", dynamic=False)
        return {"compiled": replayed(lambda: compiled(*tensors))}
    found = {"eager": replayed(lambda: call(*tensors))}
    if name.startswith("large_"):
        # As many bytes read and written, half of them each.
        count = (sum(x.numel() for x in tensors) + call(*tensors).numel()) // 2
        one, other = (torch.empty(count, device="cuda", dtype=dtype) for _ in range(2))
        found["copy"] = replayed(lambda: one.copy_(other))
    return found


what, *names = sys.argv[1:]
for name in names:
    try:
        with torch.no_grad():
            found = timed(what, name)
    except Exception as error:  # Triton may be missing, or memory.
        found = {"why": f"{type(error).__name__}: {error}"[:200]}
    torch.cuda.empty_cache()
    print(json.dumps({"name": name, "torch": torch.__version__, **found}), flush=True)
