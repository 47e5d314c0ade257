"""Triton's kernels on a farm, against Triton's own figures, on one GPU.

    npm run build
    cd python && /usr/bin/python3 setup.py -q bdist_wheel -d dist && cd ..     # where protoc is; the wheel travels
    python3 -m pip install -q --no-index --no-deps --target /tmp/site python/dist/warpfarm-*.whl
    PYTHONPATH=/tmp/site python3 bench/gpu/triton-remote.py [--dry] [--rounds N] [--size N]

The Python is one that has PyTorch, Triton, grpcio and protobuf. About four minutes on an H100. Exit code 1 when something is not
as expected:

  winner   a matrix product and a softmax, tuned here by Triton and on a farm by two changed lines: what the farm finds is as fast
           here as Triton's best, within 3 %; nothing is launched here before it is known; its answer is PyTorch's
  times    the winner's cubin and PTX by `warpfarm measure`, between two of Triton's do_bench (a cold cache, events) and between
           two of do_bench_cudagraph (a warm one, graphs): within 1 % each. A large product takes the GPU to its limit of power,
           and its clock falls while it runs. So both sides run for seconds with a warm cache; with a cold one a farm rests
           between runs, and Triton does not: where the clocks differ by over 2 %, the ratio is printed and not judged

--size N: rows of the product's square matrices, instead of 4096.
--dry: a farm without a GPU starts, and the package reaches it.
"""

import json
import os
import pathlib
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import warpfarm
from warpfarm import triton_tuner

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRY = "--dry" in sys.argv
ROUNDS = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 3
SIZE = int(sys.argv[sys.argv.index("--size") + 1]) if "--size" in sys.argv else 4096
WARPFARM = ["node", str(ROOT / "bin" / "warpfarm.js")]
failures = []


def expect(what, holds, seen):
    print(f"{'ok  ' if holds else 'NOT '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


class Process:
    """A part of the farm: there when it says so."""

    def __init__(self, env, *words):
        self.said = []
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            [*WARPFARM, *words, "--exit-with-parent"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        threading.Thread(target=self._read, daemon=True).start()
        self._role = words[0]

    def _read(self):
        for line in self._process.stdout:
            self.said.append(line)
            self._lines.put(line)
        self._lines.put(None)

    def ready(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            line = self._lines.get(timeout=60)
            if line is None:
                break
            if line.startswith(f"{self._role} ready "):
                return line
        raise SystemExit(f"{self._role} did not start:\n{''.join(self.said)}")

    def end(self):
        self._process.terminate()
        self._process.wait(timeout=30)


def start_farm(home):
    env = {**os.environ, **{name: str(home / name) for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")}}
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        (home / name).mkdir(mode=0o700)
    tracker = Process(env, "tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", str(home / "store"))
    address = re.search(r"grpc=(\S+)", tracker.ready()).group(1)
    parts = [tracker, Process(env, "builder", "--tracker", address)]
    # PyTorch and Triton have the GPU too.
    if not DRY:
        parts.append(Process(env, "runner", "--tracker", address, "--device", "cuda:0", "--allow-shared"))
    for part in parts[1:]:
        part.ready()
    return env, address, parts


if not DRY:
    import torch
    import triton
    import triton.language as tl
    from triton.runtime.jit import JITFunction
    from triton.testing import do_bench, do_bench_cudagraph

    @triton.jit
    def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
        pid = tl.program_id(0)
        rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
        group = pid // (GROUP * cols)
        first = group * GROUP
        size = tl.minimum(rows - first, GROUP)
        row = first + (pid % (GROUP * cols)) % size
        col = (pid % (GROUP * cols)) // size
        m = (row * BM + tl.arange(0, BM)) % M
        n = (col * BN + tl.arange(0, BN)) % N
        k = tl.arange(0, BK)
        a = a_ptr + m[:, None] * K + k[None, :]
        b = b_ptr + k[:, None] * N + n[None, :]
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(0, tl.cdiv(K, BK)):
            total = tl.dot(tl.load(a), tl.load(b), total)
            a += BK
            b += BK * N
        m = row * BM + tl.arange(0, BM)
        n = col * BN + tl.arange(0, BN)
        tl.store(c_ptr + m[:, None] * N + n[None, :], total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))

    @triton.jit
    def softmax(out_ptr, in_ptr, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        x = tl.load(in_ptr + row * n_cols + at, mask=at < n_cols, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * n_cols + at, e / tl.sum(e, axis=0), mask=at < n_cols)

    def numbers(shape, dtype):
        """As the farm fills inputs, for what a product costs depends on its bits."""
        return (torch.randint(-256, 256, shape, device="cuda") / 256).to(dtype)

    launches = []
    run_of_triton = JITFunction.run

    def counted(self, *args, warmup=False, **kwargs):
        if not warmup:
            launches.append(self)
        return run_of_triton(self, *args, warmup=warmup, **kwargs)

    JITFunction.run = counted


def cases():
    """name: (jitted function, configs, key, outputs, tolerances, arguments, more arguments, grid, PyTorch's answer)"""
    size, rows, cols = SIZE, 16384, 4096
    a, b = numbers((size, size), torch.float16), numbers((size, size), torch.float16)
    c = torch.empty((size, size), device="cuda", dtype=torch.float16)
    tiles = [(128, 256, 64, 3, 8), (128, 128, 64, 3, 8), (128, 128, 64, 4, 4), (64, 256, 64, 4, 4), (64, 128, 64, 4, 4), (256, 128, 64, 3, 8)]
    configs = [triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 8}, num_stages=s, num_warps=w) for m, n, k, s, w in tiles]
    yield "matmul", matmul, configs, ["M", "N", "K"], ["c_ptr"], {"c_ptr": (0.1, 1e-2)}, (a, b, c, size, size, size), {}, (
        lambda meta: (triton.cdiv(size, meta["BM"]) * triton.cdiv(size, meta["BN"]),)
    ), (lambda: (c, a @ b, 0.25))
    x = numbers((rows, cols), torch.float32)
    y = torch.empty_like(x)
    warps = [triton.Config({}, num_warps=w) for w in (2, 4, 8, 16)]
    yield "softmax", softmax, warps, ["n_cols"], ["out_ptr"], {"out_ptr": (1e-7, 1e-4)}, (y, x, cols), {"BLOCK": triton.next_power_of_2(cols)}, (
        lambda meta: (rows,)
    ), (lambda: (y, torch.softmax(x, dim=1), 1e-6))


def winner(address, name, fn, configs, key, outputs, tolerances, args, more, grid, answer):
    local = triton.autotune(configs=configs, key=key)(fn)
    local[grid](*args, **more)
    timings = {config: times[0] if isinstance(times, (list, tuple)) else times for config, times in local.configs_timings.items()}

    # The two lines: the import above, and the one around the autotune.
    tuned = warpfarm.tune(address, outputs=outputs, tolerances=tolerances)(triton.autotune(configs=configs, key=key)(fn))
    launches.clear()
    begun = time.monotonic()
    found = tuned.best_config(*args, grid=grid, **more)
    seconds = time.monotonic() - begun
    for trial in tuned.trials:
        told = f"{trial.result.seconds * 1e6:.1f} us" if trial.result and trial.result.ok else trial.message or (trial.result and trial.result.message)
        print(f"     {name}: {trial.config}: {told}; here {1e3 * timings.get(trial.config, float('nan')):.1f} us")
    expect(f"{name}: nothing is launched here", len(launches) == 0, f"{len(launches)} launches in {seconds:.1f} s on the farm")
    ran = [trial for trial in tuned.trials if trial.result is not None and trial.result.ok]
    expect(f"{name}: every config agrees", len(ran) >= len(configs) - 1 and all(trial.result.checked for trial in ran), f"{len(ran)} of {len(configs)}")
    ratio = timings[found] / min(timings.values())
    same = "the same" if found == local.best_config else f"Triton's is {local.best_config}"
    expect(f"{name}: the farm's winner here", ratio <= 1.03, f"{ratio:.4f} times Triton's best; {same}")
    tuned[grid](*args, **more)
    torch.cuda.synchronize()
    expect(f"{name}: the winner is what is launched", len(launches) == 1, f"{len(launches)} launch")
    got, wanted, atol = answer()
    worst = (got.float() - wanted.float()).abs().max().item()
    expect(f"{name}: PyTorch's answer", worst <= atol, f"at most {worst:.2e} away")
    return found


def steady(bench, call):
    """Triton's figure when its first one has brought the GPU to the clock that it keeps."""
    bench(call)
    return bench(call)


MODES = {
    "cold": (
        ["--measure", "l2=flushed,timer=events,number=1,min_repeat=0ms,repeat=1000"],
        lambda call: do_bench(call, warmup=200, rep=400, return_mode="median"),
    ),
    "warm": (
        ["--measure", "timer=cuda_graph,repeat=5,min_repeat=900ms,run_timeout=30s"],
        lambda call: steady(lambda each: do_bench_cudagraph(each, rep=100, return_mode="median"), call),
    ),
}


class Clock:
    """The GPU's clock in MHz while a block runs, as nvidia-smi sees it: the median of the second half of its samples."""

    def __enter__(self):
        asked = ["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits", "-i", "0", "-lms", "50"]
        self._smi = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self

    def __exit__(self, *_):
        self._smi.terminate()
        samples = [int(line) for line in self._smi.communicate()[0].split("\n") if line.strip().isdigit()]
        self.mhz = statistics.median(samples[len(samples) // 2 :]) if samples else float("nan")


def times(home, env, address, name, fn, outputs, args, more, grid, config):
    given = {**more, **config.all_kwargs()}
    compiled = fn.warmup(*args, grid=grid, **given)
    named = {**dict(zip(fn.arg_names, args)), **more, **config.kwargs}
    launch, tensors = triton_tuner.launch_of(compiled, named, grid({**named, **given}), outputs)
    # `measure` fills no outputs.
    by_name = {tensor.name: {k: v for k, v in tensor.json().items() if (k, tensor.role) != ("fill", "out")} for tensor in tensors}
    said = launch.json()
    listed = [by_name[arg] if isinstance(arg, str) else {"scalar": arg["scalar"], "value": float(arg["value"]) if "float" in arg["scalar"] else int(arg["value"])} for arg in said["args"]]
    (home / "args.json").write_text(json.dumps(listed))
    (home / f"{name}.cubin").write_bytes(compiled.asm["cubin"])
    (home / f"{name}.ptx").write_text(compiled.asm["ptx"])
    launch = [f"entry={said['entry']}", f"shared_bytes={said['shared_bytes']}"]
    launch += [f"{axis}={'x'.join(map(str, said[axis]))}" for axis in ("grid", "block", "cluster")]
    flags = ["--launch", ",".join(launch), "--args", "args.json", "--measure", "check=none"]
    flags += ["--target", triton_tuner.target_of(compiled), "--tracker", address, "--json"]

    def measured(file, mode):
        ended = subprocess.run([*WARPFARM, "measure", f"./{file}", *flags, *MODES[mode][0]], env=env, cwd=home, capture_output=True, text=True)
        if ended.returncode != 0:
            expect(f"{name}: {file} is measured", False, ended.stdout + ended.stderr)
            return float("nan"), float("nan")
        said = json.loads(ended.stdout)
        return said["seconds"], said["result"].get("observations", {}).get("sm_clock_mhz", float("nan"))

    def call():
        fn[grid](*args, **given)

    for mode, (_, bench) in MODES.items():
        ratios, clocks = {"cubin": [], "ptx": []}, []
        for _ in range(ROUNDS):
            for kind, found in ratios.items():
                with Clock() as clock:
                    before = bench(call)
                seconds, mhz = measured(f"{name}.{kind}", mode)
                after = bench(call)
                found.append(seconds * 1e3 / ((before + after) / 2))
                clocks.append((mhz, clock.mhz))
        farm, here = (statistics.median(each) for each in zip(*clocks))
        for kind, found in ratios.items():
            ratio = statistics.median(found)
            shown = ", ".join(f"{each:.4f}" for each in found)
            told = f"{ratio:.4f} (of {shown}); {before * 1e3:.1f} us here; {farm:.0f} MHz on the farm, {here:.0f} here"
            what = f"{name}: {kind}, {mode} cache, over Triton's own"
            if abs(farm / here - 1) > 0.02:
                print(f"     {what}: {told}", flush=True)
            else:
                expect(what, abs(ratio - 1) <= 0.01, told)


def main():
    with tempfile.TemporaryDirectory(prefix="warpfarm-triton-") as folder:
        home = pathlib.Path(folder)
        env, address, parts = start_farm(home)
        try:
            if DRY:
                program = warpfarm.document({"version": 99, "kind": "ptx", "target": "cuda/sm_90"})
                try:
                    warpfarm.Farm(address).measure(program)
                except warpfarm.FarmError as error:
                    expect("the package reaches a farm", error.code == "INVALID_ARGUMENT", error)
                return
            print(f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}, Triton {triton.__version__}")
            for name, fn, configs, key, outputs, tolerances, args, more, grid, answer in cases():
                found = winner(address, name, fn, configs, key, outputs, tolerances, args, more, grid, answer)
                times(home, env, address, name, fn, outputs, args, more, grid, found)
        finally:
            for part in reversed(parts):
                part.end()
    if failures:
        print(f"not as expected: {'; '.join(failures)}")


main()
sys.exit(1 if failures else 0)
