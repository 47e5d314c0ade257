"""Times kernels of ours and the vendor library's operator interleaved, in one process, by CUDA graphs.

  interleaved.py SPECS.json     for each spec one line of JSON on stdout; with "check_only" the kernels run once, for a sanitizer; with
                                "profile" the library and they once each, warm, where a profiler looks; with "cold" each launch reads another set of inputs, so many that none finds its own in the L2 cache

SPECS: a list of {name, op, args, rounds, gap_ms, kernels: [{name, cubin, kernels: [{name, grid, block, dynamic_shared_bytes, args, attributes}],
       buffers: [{name, dtype, shape, role}], maps}]}; kernels, buffers and maps as in a manifest. op, with args:

  conv2d_nchw   {N, H, W, CO, CI, KH, KW, stride, padding, dilation, groups, dtype}; padding as templates take it, the last three may be absent
  conv2d_hwcn   the same arguments; the library has the same data as NCHW
  conv2d_nhwc   the same arguments; the library has the data in its channels-last form. With gradient: input the gradient of the data,
                for paddings that are alike at opposite sides. With epilogue [bias, relu], and such paddings, the library does all in
                one of cuDNN's kernels; `apart` is a convolution with bias, then ReLU in place
  matmul        {M, N, K, layout, dtype}; letters of A and B, T for transposed in memory. Of int8 the library is torch._int_mm,
                of float8_* torch._scaled_mm with its fast sums and bfloat16 results
  batched       the arguments of matmul, batch, and b (own or shared); the library is torch.matmul of the batch
  grouped       {groups, tiles, tile, N, K, dtype, layout, even}; rows sorted by group and padded to tiles. The groups are equal (even),
                or rows are drawn and some tiles stay unused. The library is a loop of products, one for each group, of the rows
                that it has; `dense` is one product of all tiles' rows
  w4            {M, N, K}; X and weights of 4 bits, packed, with their scales (template linear_w4). The library is torch.matmul of the
                same weights as float16
  rows          {op, shape, dtype}; softmax, layer_norm and rms_norm of the last dimension; the library is PyTorch compiled, and a copy
                of the tensor is timed too

Each round replays every variant once, after an idle gap; a graph holds enough launches to last about a millisecond. Outputs are poisoned
before the check and compared with float64: ||out - ref|| / ||ref||. The library is cuBLAS, or cuDNN with its exhaustive search; TF32 off.
"""
import ctypes
import itertools
import json
import math
import statistics
import sys
import time

import torch

torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True
DTYPES = {name: getattr(torch, name) for name in ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "int32")}
DRIVER = ctypes.CDLL("libcuda.so.1")
# cuda.h, CUtensorMapDataType; the other choices of a map are numbered from 0 in the order of these lists.
MAP_TYPES = {"uint8": 0, "int8": 0, "int32": 3, "int64": 5, "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9, "tfloat32": 11, "float8_e4m3fn": 0, "float8_e5m2": 0}
SWIZZLES, INTERLEAVES, L2_PROMOTIONS, OUTSIDE = [0, 32, 64, 128], [0, 16, 32], [0, 64, 128, 256], ["zeros", "nan"]
MAX_DYNAMIC_SHARED = 8
# cuda.h, CUlaunchAttributeID.
CLUSTER_DIMENSION, PROGRAMMATIC_STREAM_SERIALIZATION = 4, 6


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("count", ctypes.c_uint),
    ]


def asked(name, *args):
    code = getattr(DRIVER, name)(*args)
    if code != 0:
        raise RuntimeError("%s: CUDA error %d" % (name, code))


def random(shape, dtype, generator):
    """As a farm fills inputs by default, floats normal and whole numbers uniform: what a product costs depends on its bits."""
    if dtype == "int8":
        return torch.randint(-128, 128, shape, generator=generator, dtype=torch.int8).to("cuda")
    values = torch.randn(shape, generator=generator)
    return values.to("cuda").to(DTYPES[dtype])


def poison(dtype):
    return math.nan if dtype.is_floating_point else -0x5A5A5A5A


def graph_of(launch, seconds, sets):
    """A graph that replays `launch` for about a millisecond, with each of the sets of inputs, and how many launches that is."""
    number = sets * max(1, math.ceil(0.001 / seconds / sets))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(number):
            launch()
    return graph, number


def timed(replay):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def encoded(recipe, tensors):
    """The 128 bytes of a tensor map, at an address that 64 divides, and what keeps them."""
    room = ctypes.create_string_buffer(128 + 64)
    address = (ctypes.addressof(room) + 63) // 64 * 64
    rank = len(recipe["dims"])
    turned = lambda kind, values: (kind * max(1, len(values)))(*reversed(values))
    pixels, box = recipe.get("im2col"), [turned(ctypes.c_uint32, recipe["box"])]
    if pixels:
        box = [turned(ctypes.c_int, pixels[side]) for side in ("lower", "upper")] + list(reversed(recipe["box"]))
    asked(
        "cuTensorMapEncodeIm2col" if pixels else "cuTensorMapEncodeTiled",
        ctypes.c_void_p(address),
        MAP_TYPES[recipe["type"]],
        rank,
        ctypes.c_void_p(tensors[recipe["buffer"]].data_ptr()),
        turned(ctypes.c_uint64, recipe["dims"]),
        turned(ctypes.c_uint64, recipe["strides_bytes"]),
        *box,
        turned(ctypes.c_uint32, recipe["element_strides"]),
        INTERLEAVES.index(recipe["interleave"]),
        SWIZZLES.index(recipe["swizzle"]),
        L2_PROMOTIONS.index(recipe["l2"]),
        OUTSIDE.index(recipe["oob"]),
    )
    return address, room


def call_of(module, kernel, tensors, maps):
    """A launch of one kernel on PyTorch's stream."""
    function = ctypes.c_void_p()
    asked("cuModuleGetFunction", ctypes.byref(function), module, kernel["name"].encode())
    shared = kernel["dynamic_shared_bytes"]
    asked("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
    values = [ctypes.c_uint64(tensors[arg].data_ptr()) if isinstance(arg, str) else maps[arg["map"]] for arg in kernel["args"]]
    places = [ctypes.addressof(value) if isinstance(value, ctypes.c_uint64) else value[0] for value in values]
    params = (ctypes.c_void_p * len(places))(*places)
    kinds = [attribute["kind"] for attribute in kernel.get("attributes", [])]
    # Named for single blocks too, the attribute makes launches slower: a kernel of 132 blocks took 39 us in place of 25 on an H200.
    wanted = [(CLUSTER_DIMENSION, kernel["cluster"])] if max(kernel.get("cluster", [1])) > 1 else []
    wanted += [(PROGRAMMATIC_STREAM_SERIALIZATION, [1])] if "dependent" in kinds else []
    attributes = (LaunchAttribute * max(1, len(wanted)))()
    for attribute, (name, value) in zip(attributes, wanted):
        attribute.id = name
        attribute.value[: len(value)] = value

    def launch():
        stream = torch.cuda.current_stream().cuda_stream
        sizes = (ctypes.c_uint * 3)(*kernel["grid"]), (ctypes.c_uint * 3)(*kernel["block"])
        config = LaunchConfig(*sizes, shared, stream, attributes, len(wanted))
        asked("cuLaunchKernelEx", ctypes.byref(config), function, params, None)

    launch.keeps = values, attributes
    return launch


def ours(variant, inputs):
    """A launch of all kernels of an artifact, and its output. Inputs are given in the order of the buffers."""
    module = ctypes.c_void_p()
    with open(variant["cubin"], "rb") as file:
        asked("cuModuleLoadData", ctypes.byref(module), file.read())
    given = iter(inputs)
    tensors = {}
    for buffer in variant["buffers"]:
        if buffer["role"] == "in":
            tensors[buffer["name"]] = next(given)
        else:
            dtype = DTYPES[buffer["dtype"]]
            tensors[buffer["name"]] = torch.full(
                buffer["shape"], poison(dtype), dtype=dtype, device="cuda"
            )
    maps = [encoded(recipe, tensors) for recipe in variant["maps"]]
    calls = [call_of(module, kernel, tensors, maps) for kernel in variant["kernels"]]

    def launch():
        for call in calls:
            call()

    launch.keeps = tensors
    output = next(tensors[b["name"]] for b in variant["buffers"] if b["role"] == "out")
    return launch, output


def convolved(data, weights, args):
    """PyTorch pads before and after alike; what lies beyond that is a tensor of its own, made before the clock runs."""
    padding = args["padding"]
    four = [padding] * 4 if isinstance(padding, int) else list(padding) * (4 // len(padding))
    top, left, bottom, right = four
    if (top, left) != (bottom, right):
        form = torch.channels_last if data.is_contiguous(memory_format=torch.channels_last) else torch.contiguous_format
        data = torch.nn.functional.pad(data, (left, right, top, bottom)).contiguous(memory_format=form)
        top = left = 0
    rest = {name: args[name] for name in ("stride", "dilation", "groups") if name in args}
    return lambda: torch.nn.functional.conv2d(data, weights, padding=(top, left), **rest)


def data_gradient(result, weights, args):
    """`result`: the gradient of the convolution's result, channels last."""
    pair = lambda value: list(value) if isinstance(value, (list, tuple)) else [value, value]
    padding = pair(args["padding"])
    if padding[2:] not in ([], padding[:2]):
        raise ValueError(f"padding is {padding}; gradients of the library have the same at opposite sides")
    shape = [args["N"], args["CI"], args["H"], args["W"]]
    data = torch.empty(shape, device=result.device, dtype=result.dtype).contiguous(memory_format=torch.channels_last)
    windows = [pair(args["stride"]), padding[:2], pair(args.get("dilation", 1)), False, [0, 0], args.get("groups", 1)]
    # Of the gradients of data, weights and bias the first alone.
    backward = torch.ops.aten.convolution_backward
    return lambda: backward(result, data, weights, None, *windows, [True, False, False])[0]


def conv_sizes(args):
    return args["N"], args["H"], args["W"], args["CO"], args["CI"] // args.get("groups", 1), args["KH"], args["KW"]


def conv2d_nchw(args, generator):
    n, h, w, co, ci, kh, kw = conv_sizes(args)
    data = random([n, args["CI"], h, w], args["dtype"], generator)
    weights = random([co, ci, kh, kw], args["dtype"], generator)
    return [data, weights], convolved(data.double(), weights.double(), args)(), convolved(data, weights, args)


def conv2d_hwcn(args, generator):
    n, h, w, co, ci, kh, kw = conv_sizes(args)
    data = random([h, w, args["CI"], n], args["dtype"], generator)
    weights = random([kh, kw, ci, co], args["dtype"], generator)
    own = data.permute(3, 2, 0, 1).contiguous(), weights.permute(3, 2, 0, 1).contiguous()
    reference = convolved(own[0].double(), own[1].double(), args)().permute(2, 3, 1, 0)
    return [data, weights], reference, convolved(*own, args)


def conv2d_nhwc(args, generator):
    n, h, w, co, ci, kh, kw = conv_sizes(args)
    is_gradient = args.get("gradient") == "input"
    empty = torch.empty([n, args["CI"], h, w], device="meta"), torch.empty([co, ci, kh, kw], device="meta")
    shape = [n, *convolved(*empty, args)().shape[2:], co] if is_gradient else [n, h, w, args["CI"]]
    compute = data_gradient if is_gradient else convolved
    data = random(shape, args["dtype"], generator)
    weights = random([kh, kw, ci, co], args["dtype"], generator)
    # A view of NHWC as NCHW is what PyTorch calls channels last.
    own = data.permute(0, 3, 1, 2), weights.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    reference = compute(own[0].double(), own[1].double(), args)()
    if "epilogue" not in args:
        return [data, weights], reference.permute(0, 2, 3, 1), compute(*own, args)
    bias = random([co], args["dtype"], generator)
    reference = torch.relu(reference + bias.double()[:, None, None]).permute(0, 2, 3, 1)
    windows = [args["stride"], args["padding"], args.get("dilation", [1, 1])]
    fused = lambda: torch.cudnn_convolution_relu(*own, bias, *windows, args.get("groups", 1))
    apart = lambda: torch.relu_(torch.conv2d(*own, bias, *windows, args.get("groups", 1)))
    return [data, weights, bias], reference, fused, {"apart": apart}


def matmul(args, generator):
    m, n, k = args["M"], args["N"], args["K"]
    turned = [letter == "T" for letter in args["layout"]]
    a = random([k, m] if turned[0] else [m, k], args["dtype"], generator)
    b = random([n, k] if turned[1] else [k, n], args["dtype"], generator)
    left, right = a.t() if turned[0] else a, b.t() if turned[1] else b
    reference = left.double() @ right.double()
    if args["dtype"].startswith("float8"):
        return [a, b], reference, scaled(left, right)
    library = torch._int_mm if args["dtype"] == "int8" else torch.matmul
    return [a, b], reference, lambda: library(left, right)


def normal_on_device(dtype):
    on_device = torch.Generator("cuda").manual_seed(1)
    return lambda shape: torch.randn(shape, generator=on_device, device="cuda", dtype=DTYPES[dtype])


def batched(args, generator):
    count, m, n, k = args["batch"], args["M"], args["N"], args["K"]
    turned = [letter == "T" for letter in args["layout"]]
    normal = normal_on_device(args["dtype"])
    a = normal([count, k, m] if turned[0] else [count, m, k])
    b = normal(([] if args.get("b") == "shared" else [count]) + ([n, k] if turned[1] else [k, n]))
    left, right = a.mT if turned[0] else a, b.mT if turned[1] else b
    return [a, b], torch.matmul(left.double(), right.double()), lambda: torch.matmul(left, right)


def grouped(args, generator):
    groups, tiles, tile, n, k = (args[name] for name in ("groups", "tiles", "tile", "N", "K"))
    normal = normal_on_device(args["dtype"])
    if args["even"]:
        counts = [tiles // groups * tile] * groups
    else:
        drawn = torch.randint(groups, [(tiles - groups) * tile], generator=generator)
        counts = torch.bincount(drawn, minlength=groups).tolist()
    a, w = normal([tiles, tile, k]), normal([groups, n, k] if args["layout"] == "NT" else [groups, k, n])
    table, parts, at = torch.full([tiles], -1, dtype=torch.int32), [], 0
    flat, product = a.view(-1, k), torch.empty([tiles * tile, n], dtype=a.dtype, device="cuda")
    reference = torch.zeros([tiles * tile, n], dtype=torch.float64, device="cuda")
    for group, count in enumerate(counts):
        used = -(-count // tile)
        table[at : at + used] = group
        first, last = at * tile, at * tile + count
        flat[last : (at + used) * tile] = 0
        matrix = w[group].t() if args["layout"] == "NT" else w[group]
        reference[first:last] = flat[first:last].double() @ matrix.double()
        if count > 0:
            parts.append((flat[first:last], matrix, product[first:last]))
        at += used

    def loop():
        for left, right, out in parts:
            torch.mm(left, right, out=out)

    matrix, dense = w[0].t() if args["layout"] == "NT" else w[0], torch.empty_like(product)
    return [a, w, table.to("cuda")], reference.view(tiles, tile, n), loop, {"dense": lambda: torch.mm(flat, matrix, out=dense)}


def scaled(left, right):
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def rows(args, generator):
    functional, (_, n) = torch.nn.functional, args["shape"]
    normal = normal_on_device(args["dtype"])
    operators = {
        "softmax": (0, lambda x: functional.softmax(x, -1)),
        "layer_norm": (2, lambda x, scale, bias: functional.layer_norm(x, (n,), scale, bias)),
        "rms_norm": (1, lambda x, scale: functional.rms_norm(x, (n,), scale, 1e-5)),
    }
    count, of = operators[args["op"]]
    inputs = [normal(args["shape"]), *(normal([n]) for _ in range(count))]
    compiled = torch.compile(of, mode="max-autotune-no-cudagraphs", dynamic=False)
    other = torch.empty_like(inputs[0])
    return inputs, of(*(x.double() for x in inputs)), lambda: compiled(*inputs), {"copy": lambda: other.copy_(inputs[0])}


def w4(args, generator):
    m, n, k = args["M"], args["N"], args["K"]
    x = normal_on_device("float16")([m, k])
    scale = normal_on_device("float16")([k // 128, n])
    q = torch.randint(-8, 8, [n // 16, k // 16, 8, 4, 2, 2, 2], device="cuda", dtype=torch.int32)
    # The first of eight is the most significant.
    shifts = torch.arange(28, -4, -4, device="cuda", dtype=torch.int64)
    words = ((q.view(n // 16, k // 16, 32, 8).long() & 15) << shifts).sum(-1)
    packed = torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)
    # [n / 16, k / 16, n % 8, k % 8 / 2, k % 2, k / 8 % 2, n / 8 % 2]
    plain = q.permute(0, 6, 2, 1, 5, 3, 4).reshape(n, k)
    weights = plain.double() * scale.double().t().repeat_interleave(128, 1)
    halves = weights.half()
    return [x, packed, scale], x.double() @ weights.t(), lambda: torch.matmul(x, halves.t())


# More than the L2 cache of any GPU so far.
COLD_BYTES = 2**28


def in_turn(launches):
    several = itertools.cycle(launches)
    return lambda: next(several)()


def interval_of_median(values):
    """Bounds of the median at 95 %, whatever the distribution: by ranks, from the binomial's normal approximation."""
    ordered, n = sorted(values), len(values)
    below = math.floor((n - 1.96 * math.sqrt(n)) / 2) - 1
    return [ordered[max(0, below)], ordered[min(n - 1, n - 1 - below)]]


def measured(spec):
    operators = {each.__name__: each for each in (conv2d_nchw, conv2d_hwcn, conv2d_nhwc, matmul, batched, grouped, w4, rows)}
    make = lambda seed: operators[spec["op"]](spec["args"], torch.Generator().manual_seed(seed))
    inputs, reference, library, *others = make(1)
    least = sum(tensor.nbytes for tensor in inputs)
    count = math.ceil(COLD_BYTES / least) if spec.get("cold") else 1
    more = [make(1 + turn) for turn in range(1, count)]
    library = in_turn([library, *(other[2] for other in more)])

    if spec.get("check_only"):
        for variant in spec["kernels"]:
            print(variant["name"], flush=True)
            launch, output = ours(variant, inputs)
            launch()
            torch.cuda.synchronize()
        return {"name": spec["name"]}
    variants = {"library": (library, None), **{name: (call, None) for each in others for name, call in each.items()}}
    for variant in spec["kernels"]:
        launches, outputs = zip(*(ours(variant, each) for each in (inputs, *(other[0] for other in more))))
        variants[variant["name"]] = (in_turn(launches), outputs[0])
    if spec.get("profile"):
        for launch in [library, *(variants[variant["name"]][0] for variant in spec["kernels"])]:
            for _ in range(5):
                launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
        return {"name": spec["name"]}
    graphs, errors = {}, {}
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for name, (launch, output) in variants.items():
            for _ in range(5):
                launch()
            torch.cuda.synchronize()
            if output is not None:
                output.fill_(poison(output.dtype))
                for _ in range(count):
                    launch()
                torch.cuda.synchronize()
                errors[name] = float((output.double() - reference).norm() / reference.norm())
            seconds = min(timed(launch) for _ in range(5))
            graphs[name] = graph_of(launch, seconds, count)
        times = {name: [] for name in graphs}
        for graph, _ in graphs.values():
            graph.replay()
        torch.cuda.synchronize()
        for _ in range(spec["rounds"]):
            for name, (graph, number) in graphs.items():
                time.sleep(spec["gap_ms"] / 1000)
                graph.replay()
                times[name].append(timed(graph.replay) / number)
    answer = {
        name: {"us": 1e6 * statistics.median(all), "least_us": 1e6 * min(all), "launches": graphs[name][1], "error": errors.get(name)}
        for name, all in times.items()
    }
    ratios = {name: [a / b for a, b in zip(times["library"], all)] for name, all in times.items() if name != "library"}
    versions = {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "device": torch.cuda.get_device_name()}
    medians = {name: statistics.median(all) for name, all in ratios.items()}
    intervals = {name: interval_of_median(all) for name, all in ratios.items()}
    return {"name": spec["name"], "times": answer, "library_over_ours": medians, "intervals": intervals, **versions}


for each in json.load(open(sys.argv[1])):
    print(json.dumps(measured(each)), flush=True)
    torch.cuda.empty_cache()
