"""`@warpfarm.tune` around a kernel with `@triton.autotune`: its configs are compiled here and measured on a farm.

    @warpfarm.tune("farm.example.org:9290", outputs=["c_ptr"])
    @triton.autotune(configs=[...], key=["M", "N", "K"])
    @triton.jit
    def matmul(a_ptr, b_ptr, c_ptr, M, N, K, ..., BLOCK: tl.constexpr): ...

What Triton compiles is sent as a cubin with its launch; nothing is launched here until the winner is known. The winner is put
into Triton's own cache for the key, so this launch and later ones use it and time nothing. Tensors are filled on the farm, with the
sizes and types of the local ones: their contents are not sent. The first config that compiles is the reference.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

from .client import Farm, Result
from .errors import FarmError
from .programs import Kernel, Program, Scalar, Tensor, cubin

_SCALARS = {
    "i1": "int8",
    "u1": "int8",
    "i8": "int8",
    "u8": "uint8",
    "i32": "int32",
    "u32": "int32",
    "i64": "int64",
    "u64": "int64",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}
_NAME = re.compile(r"^[A-Za-z_]\w{0,63}$")


@dataclass(frozen=True)
class Trial:
    """A config and its result; `result` is None where Triton could not compile the config."""

    config: Any
    result: Optional[Result]
    message: str = ""


class RemoteAutotuner:
    """Takes the place of Triton's Autotuner, which it keeps as `autotuner`."""

    def __init__(
        self,
        autotuner: Any,
        farm: Union[Farm, str],
        outputs: Sequence[str],
        fills: Mapping[str, Any],
        tolerances: Mapping[str, Tuple[float, float]],
        **options: Any,
    ):
        if not hasattr(autotuner, "configs") or not hasattr(autotuner, "fn"):
            raise TypeError("warpfarm.tune stands above @triton.autotune, which stands above @triton.jit")
        self.autotuner = autotuner
        self.trials: Sequence[Trial] = []
        self._farm = farm
        self._outputs = list(outputs)
        # What Triton zeroes before each launch is added to: it holds zeros here before the run that is checked.
        zeroed = [name for name in getattr(autotuner, "reset_to_zero", None) or [] if isinstance(name, str)]
        self._fills = {**dict.fromkeys(zeroed, "zeros"), **fills}
        self._tolerances = dict(tolerances)
        self._options = options

    def __getattr__(self, name: str) -> Any:
        return getattr(self.autotuner, name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.run(*args, grid=grid, **kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Tunes on the farm for a new key, then launches the winner on this machine."""
        self.best_config(*args, grid=grid, **kwargs)
        return self.autotuner.run(*args, grid=grid, warmup=warmup, **kwargs)

    def best_config(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        """The fastest config for these arguments. Launches nothing on this machine."""
        tuner = self.autotuner
        named = dict(zip(tuner.arg_names, args)) | {name: value for name, value in kwargs.items() if name in tuner.arg_names}
        if len(tuner.configs) == 1:
            return tuner.configs[0]
        key = _key_of(tuner, named)
        if key in tuner.cache:
            return tuner.cache[key]
        made: list[Tuple[Any, Program]] = []
        failed: list[Trial] = []
        for config in self._pruned(args, kwargs):
            try:
                made.append((config, self._program(config, args, kwargs, named, grid)))
            except Exception as error:  # noqa: BLE001 - a config that Triton refuses is no candidate
                failed.append(Trial(config, None, f"{type(error).__name__}: {error}"))
        if not made:
            raise FarmError(f"Triton compiles none of {len(tuner.configs)} configs; the first: {failed[0].message}", "NONE")
        measured = self._measured([program for _, program in made])
        self.trials = [*(Trial(config, result) for (config, _), result in zip(made, measured)), *failed]
        timed = [(result.seconds, i) for i, result in enumerate(measured) if result.seconds is not None]
        if not timed:
            first = measured[0]
            raise FarmError(f"none of {len(made)} configs ran on the farm; the first: {first.error}: {first.message}", "NONE")
        _, best = min(timed)
        config = made[best][0]
        tuner.cache[key] = config
        return config

    def _pruned(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The configs that `prune_configs_by` leaves, called as Triton calls it."""
        tuner = self.autotuner
        if not hasattr(tuner, "prune_configs"):
            return tuner.configs  # type: ignore[no-any-return]
        tuner.nargs = dict(zip(tuner.arg_names, args))
        try:
            return tuner.prune_configs(dict(kwargs))  # type: ignore[no-any-return]
        finally:
            tuner.nargs = None

    def _measured(self, programs: Sequence[Program]) -> Sequence[Result]:
        """Measures the programs; equal programs once."""
        unique = list({program.digest: program for program in programs}.values())
        farm = Farm(self._farm) if isinstance(self._farm, str) else self._farm
        try:
            found = dict(farm.measure_all(unique, unique[0], **self._options))
        finally:
            if farm is not self._farm:
                farm.close()
        by_digest = {program.digest: found[i] for i, program in enumerate(unique)}
        return [by_digest[program.digest] for program in programs]

    def _program(self, config: Any, args: Sequence[Any], kwargs: Mapping[str, Any], named: Mapping[str, Any], grid: Any) -> Program:
        given = {**kwargs, **config.all_kwargs()}
        compiled = _jitted(self.autotuner.fn).warmup(*args, grid=grid, **given)
        meta = {**named, **given}
        blocks = grid(meta) if callable(grid) else grid
        return program_of(compiled, {**named, **config.kwargs}, blocks, self._outputs, self._fills, self._tolerances)


def _jitted(fn: Any) -> Any:
    """The jitted function, below heuristics if there are any."""
    while not hasattr(fn, "warmup") and hasattr(fn, "fn"):
        fn = fn.fn
    return fn


def _key_of(tuner: Any, named: Mapping[str, Any]) -> Tuple[Any, ...]:
    """The key as Triton makes it: the values of the key, then the types of the arguments."""
    names = getattr(tuner, "keys", None) or getattr(tuner, "key", [])
    values = [named[name] for name in names if name in named]
    return tuple([*values, *(str(value.dtype) for value in named.values() if hasattr(value, "dtype"))])


def program_of(
    compiled: Any,
    named: Mapping[str, Any],
    grid: Sequence[int],
    outputs: Sequence[str],
    fills: Optional[Mapping[str, Any]] = None,
    tolerances: Optional[Mapping[str, Tuple[float, float]]] = None,
) -> Program:
    """A program of what Triton compiled (`kernel.warmup(...)`): its cubin, its launch, and tensors as large as the arguments."""
    launch, tensors = launch_of(compiled, named, grid, outputs, fills, tolerances)
    return cubin(compiled.asm["cubin"], target_of(compiled), [launch], tensors)


def target_of(compiled: Any) -> str:
    """The target of the code: `cuda/sm_90`, or `cuda/sm_90a` where the code needs it."""
    target = compiled.metadata.target
    return f"cuda/sm_{getattr(target, 'arch', target)}{_suffix(compiled.asm['ptx'])}"


def launch_of(
    compiled: Any,
    named: Mapping[str, Any],
    grid: Sequence[int],
    outputs: Sequence[str],
    fills: Optional[Mapping[str, Any]] = None,
    tolerances: Optional[Mapping[str, Tuple[float, float]]] = None,
) -> Tuple[Kernel, Sequence[Tensor]]:
    """The launch that Triton would make of its cubin or PTX."""
    meta, signature = compiled.metadata, compiled.src.signature
    tensors: list[Tensor] = []
    params: list[Union[str, Scalar]] = []
    for name, kind in _by_name(signature, named):
        if kind == "constexpr":
            continue
        value = named[name]
        if kind.startswith("*"):
            # Pointers to what is not written are marked by a k.
            of, fill = kind[1:].removeprefix("k"), (fills or {}).get(name)
            tensors.append(_tensor(name, value, of, name in outputs, fill, (tolerances or {}).get(name)))
            params.append(name)
        elif kind in _SCALARS:
            params.append(Scalar(_SCALARS[kind], value if "fp" in kind or "bf" in kind else _wrapped(kind, int(value))))
        else:
            raise ValueError(f"argument {name} has Triton's type {kind}, which a farm is not told yet")
    missing = [name for name in outputs if name not in params]
    if missing:
        raise ValueError(f"outputs names {', '.join(missing)}; the kernel's tensors are {', '.join(t.name for t in tensors)}")
    cluster = tuple(getattr(meta, "cluster_dims", None) or (getattr(meta, "num_ctas", 1), 1, 1))
    # Triton's grid is of clusters.
    blocks = [size * each for size, each in zip([*grid, 1, 1][:3], [*cluster, 1, 1][:3])]
    # Scratch memory stands behind the arguments: so much for each block, or null where the kernel uses none.
    missing_params = _parameters(compiled.asm["ptx"], meta.name) - len(params)
    for which in ("global_scratch", "profile_scratch")[: max(0, missing_params)]:
        size = getattr(meta, f"{which}_size", 0) or 0
        if size > 0:
            tensors.append(Tensor(which, "uint8", [size * math.prod(blocks)], role="workspace"))
        params.append(which if size > 0 else Scalar("int64", 0))
    params += [Scalar("int64", 0)] * max(0, missing_params - 2)
    cooperative = bool(getattr(meta, "launch_cooperative_grid", False))
    return Kernel(meta.name, blocks, (32 * meta.num_warps,), meta.shared, cluster, params, cooperative), tensors


def _wrapped(kind: str, value: int) -> int:
    """An unsigned number as the signed number with the same bits, because a farm has signed ones only."""
    bits = {"u32": 32, "u64": 64}.get(kind, 0)
    return value - 2**bits if bits and value >= 2 ** (bits - 1) else value


def _by_name(signature: Mapping[Any, str], named: Mapping[str, Any]) -> Sequence[Tuple[str, str]]:
    """Parameters by name; older versions of Triton number them."""
    names = list(named)
    return [(key if isinstance(key, str) else names[key], kind) for key, kind in signature.items()]


def _tensor(
    name: str, value: Any, kind: str, is_output: bool, fill: Any, tolerance: Optional[Tuple[float, float]] = None
) -> Tensor:
    if not _NAME.match(name):
        raise ValueError(f"{name} is no name of a tensor")
    if kind not in _SCALARS:
        raise ValueError(f"tensor {name} has Triton's type {kind}, which a farm has not")
    # With strides the kernel may touch whatever lies between the first element and the last.
    reach = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride())) if value.numel() > 0 else 1
    # What an output holds before matters where something is added to it.
    role = "in" if not is_output else "out" if fill is None else "inout"
    return Tensor(name, _SCALARS[kind], [max(1, reach)], role=role, fill=fill, tolerance=tolerance)


def _parameters(ptx: str, entry: str) -> int:
    header = re.search(rf"\.entry\s+{re.escape(entry)}\s*\((.*?)\)", ptx, re.S)
    return len(re.findall(r"\.param\b", header.group(1))) if header else 0


def _suffix(ptx: str) -> str:
    return "a" if re.search(r"^\.target\s+sm_\d+a\b", ptx, re.M) else ""


def tune(
    farm: Union[Farm, str],
    *,
    outputs: Sequence[str],
    fills: Optional[Mapping[str, Any]] = None,
    tolerances: Optional[Mapping[str, Tuple[float, float]]] = None,
    **options: Any,
) -> Callable[[Any], RemoteAutotuner]:
    """Decorates a function with `@triton.autotune`. `farm`: a Farm or its address. `outputs`: parameters that the kernel writes;
    it reads the others.

    `fills`: by parameter, its contents as in `Tensor.fill`. Indices need a fill, because random values lead out of bounds.
    Outputs that the kernel adds to need one too, except those in Triton's `reset_to_zero`. `tolerances`: by output, (atol, rtol)
    within which the configs must agree, because configs sum in different orders. Other options are those of `Farm.measure_all`, such
    as `selector`.
    """
    if sys.version_info < (3, 10):
        raise RuntimeError("warpfarm needs Python 3.10 or later")
    return lambda autotuner: RemoteAutotuner(autotuner, farm, outputs, fills or {}, tolerances or {}, **options)
