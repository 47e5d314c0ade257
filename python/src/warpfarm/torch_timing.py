"""How long PyTorch takes for an operator, and on which device, in a farm's name of its kind."""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from typing import Any, Callable

import torch

_WARM_UP, _REPEATS = 3, 9
# Of a GPU between two events, which take some microseconds themselves.
_CALLS = 10
# Flags of /proc/cpuinfo by level of the x86-64 psABI, from the second.
_X86_LEVELS = (
    "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3",
    "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "avx512f avx512bw avx512cd avx512dq avx512vl",
)


def framework_on(device: torch.device) -> dict[str, str] | None:
    """The framework, the device and the key of its kind; None of a device that no farm measures."""
    if device.type == "cuda" and torch.version.cuda:
        key = "cuda/sm_%d%d" % torch.cuda.get_device_capability(device)
        return {"framework": "PyTorch %s" % torch.__version__, "device": torch.cuda.get_device_name(device), "key": key}
    machine = platform.machine().lower()
    if device.type != "cpu" or machine not in ("x86_64", "amd64", "arm64", "aarch64"):
        return None
    facts = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf8", errors="replace") as file:
            facts = file.read()
    flags, name = (re.search(r"^%s\s*:\s*(.*)$" % word, facts, re.M) for word in ("flags", "model name"))
    has = set(flags[1].split()) if flags else set()
    lacking = [not has.issuperset(level.split()) for level in _X86_LEVELS]
    level = [*lacking, True].index(True) + 1
    return {
        "framework": "PyTorch %s" % torch.__version__,
        "device": "%s, threads: %d" % (" ".join(name[1].split()) if name else machine, torch.get_num_threads()),
        "key": "cpu/x86-64-v%d" % level if machine in ("x86_64", "amd64") else "cpu/arm64",
    }


def seconds_of(call: Callable[[], Any], device: torch.device) -> float:
    """The median of several repeats after a warm-up: by events on a GPU, by the clock elsewhere."""
    for _ in range(_WARM_UP):
        call()
    if device.type != "cuda":
        times = []
        for _ in range(_REPEATS):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return statistics.median(times)
    with torch.cuda.device(device):
        events = [torch.cuda.Event(enable_timing=True) for _ in range(_REPEATS + 1)]
        torch.cuda.synchronize()
        events[0].record()
        for event in events[1:]:
            for _ in range(_CALLS):
                call()
            event.record()
        torch.cuda.synchronize()
        return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:])) / 1000 / _CALLS
