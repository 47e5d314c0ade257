"""What PyTorch says about the source programs (programs.mjs): whether their outputs are right, and what cuDNN and cuBLAS need for the same.

  programs-torch.py check CASES    CASES: JSON list of {name, op, inputs, output}; a tensor is {file, dtype, shape}, its raw bytes in `file`
  programs-torch.py time           library times by CUDA graph, one line of JSON

`check` prints a line of JSON a case. The reference is computed in float64 on the GPU (a convolution as the sum of its taps' products),
which is exact for integers here; beside it stands torch's own float32 operator, TF32 off. --cpu: without a GPU.
"""
import json
import math
import statistics
import sys
import time

import numpy as np
import torch

DEVICE = "cpu" if "--cpu" in sys.argv else "cuda"
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def load(tensor):
    """Elements as a float64 tensor. int4 and int1 are 32-bit words, the first element most significant."""
    dtype, shape = tensor["dtype"], tensor["shape"]
    count = math.prod(shape)
    plain = {"float16": "<f2", "float32": "<f4", "float64": "<f8", "int8": "i1", "uint8": "u1", "int32": "<i4", "int64": "<i8"}
    if dtype in plain:
        values = np.fromfile(tensor["file"], plain[dtype])
    elif dtype == "bfloat16":
        values = (np.fromfile(tensor["file"], "<u2").astype(np.uint32) << 16).view(np.float32)
    elif dtype in ("int4", "int1"):
        bits = int(dtype[3:])
        words = np.fromfile(tensor["file"], "<u4")
        shifts = np.arange(32 - bits, -1, -bits, dtype=np.uint32)
        values = ((words[:, None] >> shifts) & (2**bits - 1)).astype(np.int32).reshape(-1)
        if bits == 4:
            values = np.where(values > 7, values - 16, values)
    else:
        raise ValueError(f"no reader for {dtype}")
    values = values[:count].reshape(shape)
    return torch.from_numpy(values).to(DEVICE).double()


# Data to (N, H, W, C), kernel to (KH, KW, CI, CO), output to (N, H, W, C).
def outer_inner(x):
    """(N, H, W, C, n, c) to (N n, H, W, C c)."""
    N, H, W, C, n, c = x.shape
    return x.permute(0, 4, 1, 2, 3, 5).reshape(N * n, H, W, C * c)


def kernel_tiles(w):
    KH, KW, I, O, i, o = w.shape
    return w.permute(0, 1, 2, 4, 3, 5).reshape(KH, KW, I * i, O * o)


def same(x):
    return x


LAYOUTS = {
    "nchw": (lambda x: x.permute(0, 2, 3, 1), lambda w: w.permute(2, 3, 1, 0), lambda y: y.permute(0, 2, 3, 1)),
    "hwcn": (lambda x: x.permute(3, 0, 1, 2), same, lambda y: y.permute(3, 0, 1, 2)),
    "nhwc": (same, same, same),
    "nhwcnc": (outer_inner, kernel_tiles, outer_inner),
}


def convolution(x, w, stride, padding):
    N, H, W, C = x.shape
    KH, KW, _, O = w.shape
    shape = (N, H + 2 * padding, W + 2 * padding, C)
    padded = torch.zeros(shape, dtype=x.dtype, device=x.device)
    padded[:, padding : padding + H, padding : padding + W, :] = x
    OH, OW = (shape[1] - KH) // stride + 1, (shape[2] - KW) // stride + 1
    total = None
    for ry in range(KH):
        for rx in range(KW):
            part = padded[:, ry : ry + stride * (OH - 1) + 1 : stride, rx : rx + stride * (OW - 1) + 1 : stride, :]
            product = part.reshape(N * OH * OW, C) @ w[ry, rx]
            total = product if total is None else total + product
    return total.reshape(N, OH, OW, O)


def expected(op, inputs):
    """(float64 reference, torch's own operator in float32 or None, function to put the output in the same order)."""
    a, b = inputs
    if op["kind"] == "conv2d":
        to_data, to_kernel, to_output = LAYOUTS[op["layout"]]
        x, w = to_data(a), to_kernel(b)
        reference = convolution(x, w, op["stride"], op["padding"])
        nchw, oihw = x.permute(0, 3, 1, 2).float(), w.permute(3, 2, 0, 1).float().contiguous()
        own = torch.nn.functional.conv2d(nchw, oihw, stride=op["stride"], padding=op["padding"])
        return reference, own.permute(0, 2, 3, 1), to_output
    x, w = (a.t() if op["transposeA"] else a), (b.t() if op["transposeB"] else b)
    return x @ w, (x.float() @ w.float() if op["isFloat"] else None), same


def norm(x):
    return float(torch.linalg.vector_norm(x))


def check(path):
    with open(path) as file:
        cases = json.load(file)
    for case in cases:
        began = time.perf_counter()
        try:
            reference, own, order = expected(case["op"], [load(t) for t in case["inputs"]])
            output = order(load(case["output"]))
            assert tuple(output.shape) == tuple(reference.shape), f"{tuple(output.shape)} is not {tuple(reference.shape)}"
            difference = output - reference
            size = norm(reference)
            found = {
                "maxAbs": float(abs(difference).max()),
                "relative": norm(difference) / size,
                "largest": float(abs(reference).max()),
                "notNumbers": int((output != output).sum()),
                "elements": math.prod(reference.shape),
            }
            if own is not None:
                found["relativeToOwn"] = norm(output - own.double()) / size
                found["ownRelative"] = norm(own.double() - reference) / size
            # JSON has no infinity and no NaN.
            found = {key: value if math.isfinite(value) else None for key, value in found.items()}
        except Exception as error:  # one case must not cost the others
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"name": case["name"], **found, "seconds": time.perf_counter() - began}), flush=True)


def graph_us(work, wanted_ms=30.0):
    """Median microseconds of one call, by replays of a graph of calls between events."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            work()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record(side)
        for _ in range(5):
            work()
        end.record(side)
    torch.cuda.synchronize()
    calls = max(1, min(500, int(wanted_ms / 3 / (start.elapsed_time(end) / 5))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            work()
    replays = 3
    graph.replay()
    values = []
    for _ in range(7):
        start.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        values.append(1e3 * start.elapsed_time(end) / (replays * calls))
    return {"us": statistics.median(values), "all": values, "calls": calls}


def library_times():
    torch.backends.cudnn.benchmark = True
    conv = torch.nn.functional.conv2d
    draw = lambda *shape, dtype=torch.float16: (torch.randint(-256, 256, shape, device="cuda") / 256).to(dtype)
    last = torch.channels_last

    def convolutions(dtype, fmt):
        x = draw(256, 256, 14, 14, dtype=dtype).contiguous(memory_format=fmt)
        w = draw(512, 256, 3, 3, dtype=dtype).contiguous(memory_format=fmt)
        return lambda: conv(x, w, padding=1)

    def product(n, l, m, dtype):
        a, b = draw(n, l, dtype=dtype), draw(l, m, dtype=dtype)
        return lambda: torch.matmul(a, b)

    def small():
        x, w = draw(1, 512, 7, 7, dtype=torch.float32), draw(512, 512, 3, 3, dtype=torch.float32)
        return lambda: conv(x, w, padding=1)

    jobs = {
        "cuDNN conv 256x256x14x14-512 fp16 channels_last": lambda: convolutions(torch.float16, last),
        "cuDNN conv 256x256x14x14-512 fp32": lambda: convolutions(torch.float32, torch.contiguous_format),
        "cuDNN conv 1x512x7x7-512 fp32": small,
        "cuBLAS 32x512 by 512x512 fp16": lambda: product(32, 512, 512, torch.float16),
        "cuBLAS 4096^3 fp16": lambda: product(4096, 4096, 4096, torch.float16),
        "cuBLAS 4096^3 bf16": lambda: product(4096, 4096, 4096, torch.bfloat16),
    }
    found = {}
    for name, make in jobs.items():
        try:
            with torch.no_grad():
                found[name] = graph_us(make())
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    versions = {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "device": torch.cuda.get_device_name(0)}
    print(json.dumps({"versions": versions, "times": found}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(sys.argv[2])
    elif sys.argv[1] == "time":
        library_times()
    else:
        raise SystemExit(f"check or time, not {sys.argv[1]}")
