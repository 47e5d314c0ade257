"""ResNet-50, MobileNet-v2, EfficientNet-B0 and BERT-base with random weights, for networks.mjs. Needs PyTorch alone.

  networks.py export FOLDER...     writes FOLDER/model.onnx
  networks.py measure FOLDER       compares FOLDER/lib (`warpfarm export --plan`) with PyTorch and times both

A folder is named NETWORK_BATCH_TYPE, such as resnet50_1_float32. Each has a line of JSON. --device cpu and --small (a few narrow layers) serve to try the script where there is no GPU. TF32 is off.
"""
import argparse
import json
import os
import statistics
import sys
import time
import types

import torch
import torch.nn.functional as F
from torch import nn

torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True
RUNS = 100


def conv(ins, outs, size=3, stride=1, groups=1, act=None):
    parts = [nn.Conv2d(ins, outs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outs)]
    return nn.Sequential(*parts, *([act()] if act else []))


class Bottleneck(nn.Module):
    def __init__(self, ins, width, stride):
        super().__init__()
        outs = 4 * width
        self.body = nn.Sequential(conv(ins, width, 1, act=nn.ReLU), conv(width, width, 3, stride, act=nn.ReLU), conv(width, outs, 1))
        self.shortcut = nn.Identity() if ins == outs and stride == 1 else conv(ins, outs, 1, stride)

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet50(small):
    width, depths = (8, [1, 2]) if small else (64, [3, 4, 6, 3])
    layers, ins = [conv(3, width, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)], width
    for stage, depth in enumerate(depths):
        for i in range(depth):
            layers.append(Bottleneck(ins, width << stage, 2 if stage > 0 and i == 0 else 1))
            ins = 4 * (width << stage)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, 1000))


class Squeeze(nn.Module):
    def __init__(self, channels, inner):
        super().__init__()
        self.down, self.up = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.up(F.silu(self.down(x.mean((2, 3), keepdim=True)))))


class Inverted(nn.Module):
    """Of MobileNet-v2 (act: ReLU6), and with a squeeze of EfficientNet (act: SiLU)."""

    def __init__(self, ins, outs, expand, size, stride, act, squeeze=False):
        super().__init__()
        inner = ins * expand
        layers = [conv(ins, inner, 1, act=act)] if expand > 1 else []
        layers.append(conv(inner, inner, size, stride, inner, act))
        self.body = nn.Sequential(*layers, *([Squeeze(inner, max(1, ins // 4))] if squeeze else []), conv(inner, outs, 1))
        self.adds = ins == outs and stride == 1

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def inverted_network(rows, act, squeeze, head, small):
    if small:
        rows, head = rows[:3], 64
    ins, layers = 32, [conv(3, 32, 3, 2, act=act)]
    for expand, outs, count, stride, size in rows:
        for i in range(1 if small else count):
            layers.append(Inverted(ins, outs, expand, size, stride if i == 0 else 1, act, squeeze))
            ins = outs
    return nn.Sequential(*layers, conv(ins, head, 1, act=act), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(head, 1000))


# Expansion, channels, blocks, stride, taps: table 2 of MobileNetV2 (2018), table 1 of EfficientNet (2019).
MOBILENET = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3), (6, 96, 3, 1, 3), (6, 160, 3, 2, 3), (6, 320, 1, 1, 3)]
EFFICIENT = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]


class Layer(nn.Module):
    """Of BERT. `fused`: as PyTorch runs attention; the export has its parts."""

    fused = True

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.after_attention, self.after_body = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (one(x).reshape(batch, tokens, self.heads, -1).transpose(1, 2) for one in (self.q, self.k, self.v))
        if self.fused and hasattr(F, "scaled_dot_product_attention"):
            mixed = F.scaled_dot_product_attention(q, k, v)
        else:
            mixed = torch.softmax(q @ k.transpose(2, 3) * (width // self.heads) ** -0.5, -1) @ v
        x = self.after_attention(x + self.o(mixed.transpose(1, 2).reshape(batch, tokens, width)))
        return self.after_body(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, small):
        super().__init__()
        width, heads, layers, words = (32, 2, 1, 100) if small else (768, 12, 12, 30522)
        self.words, self.places, self.norm = nn.Embedding(words, width), nn.Parameter(torch.randn(1, 128, width)), nn.LayerNorm(width)
        self.layers = nn.Sequential(*[Layer(width, heads) for _ in range(layers)])

    def forward(self, ids):
        return self.layers(self.norm(self.words(ids) + self.places))


NETWORKS = {
    "resnet50": resnet50,
    "mobilenet_v2": lambda small: inverted_network(MOBILENET, nn.ReLU6, False, 1280, small),
    "efficientnet_b0": lambda small: inverted_network(EFFICIENT, nn.SiLU, True, 1280, small),
    "bert_base": Bert,
}


def made(asked, folder):
    """The network, evaluated, whose batch norms hold the statistics of a batch; and an input."""
    name, batch, dtype = os.path.basename(os.path.abspath(folder)).rsplit("_", 2)
    torch.manual_seed(0)
    network = NETWORKS[name](asked.small)
    if name == "bert_base":
        x = torch.randint(0, 100, (int(batch), 128))
    else:
        x = torch.randn(int(batch), 3, *[32 if asked.small else 224] * 2)
        for one in network.modules():
            if isinstance(one, nn.BatchNorm2d):
                one.momentum = None
                nn.init.uniform_(one.weight, 0.5, 1.5)
                nn.init.uniform_(one.bias, -0.5, 0.5)
        with torch.no_grad():
            network.to(asked.device)(torch.randn(8, *x.shape[1:], device=asked.device))
    network = network.to(asked.device, getattr(torch, dtype)).eval()
    x = x.to(asked.device)
    return network, x.to(getattr(torch, dtype)) if x.is_floating_point() else x


def export(asked, folder):
    network, x = made(asked, folder)
    Layer.fused = False
    given = {"input_names": ["x"], "output_names": ["y"], "opset_version": 17}
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 5):
        # The exporter that needs no package besides PyTorch.
        given["dynamo"] = False
    path = os.path.join(folder, "model.onnx")
    try:
        torch.onnx.export(network, (x,), path, **given)
        return {"by": "torch.onnx", "torch": torch.__version__}
    except Exception as error:
        # Without the package's client, whose messages are generated when it is installed.
        package = types.ModuleType("warpfarm")
        package.__path__ = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python/src/warpfarm")]
        sys.modules["warpfarm"] = package
        from warpfarm.torch_capture import capture

        capture(network, x, path, False)
        return {"by": "warpfarm.capture", "torch": torch.__version__, "why": f"{type(error).__name__}: {error}"[:200]}


def graph_of(network, x):
    """A function that replays the network as a CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            network(x)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            network(x)
    torch.cuda.synchronize()
    return graph.replay


def seconds(call):
    """The median of RUNS runs: by events on a GPU, by the clock elsewhere."""
    for _ in range(3):
        call()
    if not torch.cuda.is_available():
        times = []
        for _ in range(10):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(RUNS + 1)]
    events[0].record()
    for event in events[1:]:
        call()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:])) / 1000


def measure(asked, folder):
    network, x = made(asked, folder)
    library = os.path.join(folder, "lib")
    sys.path.insert(0, library)
    import model

    loaded = model.load(library)
    with torch.no_grad():
        expected = network(x).double().cpu().numpy()
        # Indices may have a narrower type than PyTorch's.
        (got,) = loaded(x=x.cpu().numpy().astype(loaded.inputs[0]["dtype"])).values()
        ours = loaded.time(RUNS if asked.device == "cuda" else 10)
        error = float(abs(got.astype("float64") - expected).max() / abs(expected).max())
        found = {"ours": statistics.median(ours), "ours_least": min(ours), "error": error, "torch": torch.__version__}
        found["eager"] = seconds(lambda: network(x))
        if asked.device == "cuda":
            found["graph"] = seconds(graph_of(network, x))
            if x.dim() == 4:
                last = network.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
                found["graph_channels_last"] = seconds(graph_of(*last))
            found["device"] = torch.cuda.get_device_name()
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["export", "measure"])
    parser.add_argument("folders", nargs="+", metavar="folder")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    for folder in asked.folders:
        print(json.dumps((export if asked.what == "export" else measure)(asked, folder)), flush=True)
