"""Networks as capture records them, FOLDER/NAME.onnx, and as PyTorch exports the first three, NAME-exported.onnx.

  capture.py FOLDER   writes them, and prints "--"; after a line of its input it runs the exported plans beside PyTorch, and prints
                      each greatest error over the greatest output
"""
import importlib
import itertools
import json
import pathlib
import sys
import types

import torch
import torch.nn as nn
import torch.nn.functional as F
from networks import networks

# The package needs gRPC, capture does not.
package = types.ModuleType("warpfarm")
package.__path__ = [str(pathlib.Path(__file__).resolve().parents[4] / "python/src/warpfarm")]
sys.modules["warpfarm"] = package
from warpfarm import torch_timing
from warpfarm.torch_capture import CaptureError, capture


class Masked(nn.Module):
    """Operators that the others lack: a mask of conditions that two nodes read, changes in place, a loop of Python, a shared weight."""

    def __init__(self):
        super().__init__()
        self.norm, self.shared = nn.GroupNorm(3, 6), nn.Linear(5, 5)
        self.register_buffer("scale", torch.linspace(0.5, 1.5, 5))

    def forward(self, x, y):
        kept = x > y.mean(-1, keepdim=True)
        z = self.norm(x).masked_fill(kept, 0.0)
        for _ in range(2):
            z = F.hardtanh(self.shared(z)) * self.scale
        z.add_(torch.where(kept, y, x), alpha=2)
        first, second = z.chunk(2, 1)
        z = torch.stack([first, second.relu_()], 1).flatten(1, 2)
        q, k = (part.reshape(2, 6, 1, 5).transpose(1, 2) for part in (z, y))
        a = F.scaled_dot_product_attention(q, k, q) if hasattr(F, "scaled_dot_product_attention") else (q @ k.mT / 5**0.5).softmax(-1) @ q
        return F.pad(a.squeeze(1), (1, 2))[:, 1:5], kept


class Layers(nn.Module):
    """Layers that PyTorch would fuse, that change constants in place, and operators that are taken apart."""

    def __init__(self):
        super().__init__()
        self.lstm, self.attention = nn.LSTM(8, 3, batch_first=True), nn.MultiheadAttention(8, 2, batch_first=True)
        self.layer, self.norm = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.InstanceNorm1d(4)

    def forward(self, x):
        total = torch.zeros(2, 4, 8)
        total.add_(x).mul_(2)
        most, _ = x.max(-1)
        made = self.lstm(x)[0], self.attention(x, x, x)[0], self.layer(x), self.norm(x), F.normalize(x, dim=-1), total
        return *made, F.selu(x), F.glu(x, 1), torch.einsum("bct,bcu->btu", x, x), most, x.var(-1), x.std(1, unbiased=False), x // 0.5


class Timed(nn.Module):
    """Operators that are folded into another, one several times, a view and a copy of one."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.inner, self.head = nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen.add_(x.sum())
        x = F.relu_(self.norm(self.conv(x)))
        y = x.flatten(2).transpose(1, 2).contiguous()
        for _ in range(3):
            y = self.inner(y)
        return self.head(y * torch.sigmoid(y)).transpose(1, 2)


def capture_timed():
    """By a clock that goes on a second each time that it is read."""
    clock, model, x = torch_timing.time, Timed(), torch.randn(1, 3, 5, 5)
    torch_timing.time = types.SimpleNamespace(perf_counter=itertools.count().__next__)
    capture(model, x, f"{folder}/timed.onnx")
    assert torch.equal(model.seen, x.sum()), "the repeats change nothing"
    torch_timing.time = clock


def check_refusals():
    class Bad(nn.Module):
        def __init__(self, run):
            super().__init__()
            self.forward = run

    def stale(x):
        row = x[0]
        x.mul_(2)
        return row + 1

    cases = {
        "item": lambda x: x * x.sum().item(),
        "operator": lambda x: torch.cumsum(x, 0),
        "alias": stale,
        "constant": lambda x: torch.ones(3),
        "batch": lambda x: F.batch_norm(x, None, None, training=True),
        "pool": lambda x: F.adaptive_avg_pool1d(x, 3),
    }
    for name, run in cases.items():
        try:
            capture(Bad(run), torch.randn(2, 4, 4), f"{folder}/bad.onnx")
            print(name, "is taken")
        except CaptureError as error:
            print(name, "|", error)
    for example in (3, (torch.zeros(2), "x")):
        try:
            capture(nn.ReLU(), example, f"{folder}/bad.onnx")
        except CaptureError as error:
            print(error)


folder = sys.argv[1]
torch.manual_seed(1)
all_networks = {name: (model, (x,)) for name, (model, x, _) in networks.items()}
layers, of_layers = Layers().eval(), torch.randn(2, 4, 8)
all_networks["masked"] = (Masked().eval(), (torch.randn(2, 6, 5), torch.randn(2, 6, 5)))
for name, (model, inputs) in all_networks.items():
    was = [x.clone() for x in inputs]
    training = model.train().training
    capture(model, inputs if len(inputs) > 1 else inputs[0], f"{folder}/{name}.onnx", time=name == "masked")
    assert model.training == training and all(torch.equal(a, b) for a, b in zip(was, inputs)), "capture leaves all as it was"
    model.eval()
    if name in networks:
        count = 2 if name == "unet" else 1
        path = f"{folder}/{name}-exported.onnx"
        torch.onnx.export(model, inputs[0], path, input_names=["x"], output_names=[f"y{i}" for i in range(count)], opset_version=17)
capture(layers, of_layers, f"{folder}/layers.onnx")
with open(f"{folder}/layers.json", "w") as file, torch.no_grad():
    json.dump({"x": of_layers.flatten().tolist(), "y": [y.flatten().tolist() for y in layers(of_layers)]}, file)
capture_timed()
check_refusals()

# One process for both, because loading PyTorch takes as long as all the rest.
print("--", flush=True)
sys.stdin.readline()
for name, (model, inputs) in all_networks.items():
    sys.path.insert(0, f"{folder}/{name}")
    exported = importlib.reload(sys.modules["model"]) if "model" in sys.modules else importlib.import_module("model")
    given = [x.int() if x.dtype == torch.int64 else x for x in inputs]
    names = ["x"] if len(given) == 1 else [f"x{i}" for i in range(len(given))]
    made = exported.load(f"{folder}/{name}")(**{n: x.numpy() for n, x in zip(names, given)})
    with torch.no_grad():
        wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = [torch.from_numpy(y.copy()) for y in made.values()]
    assert [y.dtype for y in got] == [y.dtype for y in wanted], [y.dtype for y in got]
    print(name, max(float((g.double() - w.double()).abs().max() / w.double().abs().max()) for g, w in zip(got, wanted)))
