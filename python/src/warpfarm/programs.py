"""Programs that a farm builds and runs: canonical JSON, named by its digest."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from .blobs import Blob, Bundle, values_of


@dataclass(frozen=True)
class Tensor:
    """An array on the device.

    `fill`: random, zeros, as in docs/contracts.md, such as {"kind": "range", "from": "0", "to": "1"}; or a NumPy array, whose
    elements travel to the farm once.
    """

    name: str
    dtype: str
    shape: Sequence[int]
    role: str = "in"
    fill: Any = None
    tolerance: Optional[Tuple[float, float]] = None

    @property
    def values(self) -> Optional[Blob]:
        """A fill that holds the elements of an array."""
        if self.fill is None or isinstance(self.fill, (str, Mapping)):
            return None
        return self.fill if isinstance(self.fill, Blob) else values_of(self.name, self.dtype, self.shape, self.fill)

    def json(self) -> dict[str, Any]:
        values = self.values
        fill = self.fill if self.fill is not None else ("random" if self.role in ("in", "inout") else "zeros")
        if values is not None:
            fill = {"kind": "blob", "digest": values.digest}
        said: dict[str, Any] = {"name": self.name, "dtype": self.dtype, "shape": list(self.shape), "role": self.role, "fill": fill}
        if self.tolerance is not None:
            atol, rtol = self.tolerance
            said["tolerance"] = {"atol": number_text(atol), "rtol": number_text(rtol)}
        return said


@dataclass(frozen=True)
class Scalar:
    """A value that is passed to a kernel."""

    dtype: str
    value: Union[int, float]

    def json(self) -> dict[str, Any]:
        return {"scalar": self.dtype, "value": number_text(self.value)}


@dataclass(frozen=True)
class Kernel:
    """A launch. `args`: names of tensors, and scalars, in the order of its parameters; None = all tensors, in order."""

    entry: str
    grid: Sequence[int]
    block: Sequence[int]
    shared_bytes: int = 0
    cluster: Sequence[int] = (1,)
    args: Optional[Sequence[Union[str, Scalar]]] = None
    # All blocks run at once and may wait for one another.
    cooperative: bool = False

    def json(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "entry": self.entry,
            "grid": _three(self.grid),
            "block": _three(self.block),
            "shared_bytes": self.shared_bytes,
            "cluster": _three(self.cluster),
        }
        if self.args is not None:
            said["args"] = [arg if isinstance(arg, str) else arg.json() for arg in self.args]
        if self.cooperative:
            said["cooperative"] = True
        return said


@dataclass(frozen=True)
class Program:
    """Bytes and the digest that names them. `uploads` are the blobs that a farm needs for it; they are sent before it is
    measured.
    """

    bytes: bytes
    uploads: Tuple[Blob, ...] = ()
    digest: str = field(init=False)
    target: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", "sha256:" + hashlib.sha256(self.bytes).hexdigest())
        object.__setattr__(self, "target", str(json.loads(self.bytes)["target"]))


def document(said: Mapping[str, Any], uploads: Sequence[Blob] = ()) -> Program:
    """The Program of a JSON document, written as RFC 8785 says. Documents hold strings, integers, arrays and objects with ASCII
    names.
    """
    return Program(json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(), tuple(uploads))


def ptx(text: str, target: str, kernels: Sequence[Kernel], tensors: Sequence[Tensor], flags: Sequence[str] = ()) -> Program:
    """A program of PTX text, which the farm's builders assemble with the given flags of ptxas."""
    said = _launched("ptx", target, kernels, tensors)
    return document({**said, "text": text, "flags": list(flags)}, _values(tensors))


def cubin(code: bytes, target: str, kernels: Sequence[Kernel], tensors: Sequence[Tensor]) -> Program:
    """A program of a cubin, whose ELF, entry and architecture the farm's builders check."""
    said = _launched("cubin", target, kernels, tensors)
    return document({**said, "code": base64.b64encode(code).decode()}, _values(tensors))


def cuda(
    files: Mapping[str, str],
    target: str,
    kernels: Sequence[Kernel],
    tensors: Sequence[Tensor],
    defines: Optional[Mapping[str, Union[str, int]]] = None,
    flags: Sequence[str] = (),
    bundles: Sequence[Bundle] = (),
    compiler: Optional[str] = None,
) -> Program:
    """A program of CUDA text. Exactly one of its files ends in .cu.

    `bundles`: folders of headers, searched in this order before the toolkit's. `compiler`: nvcc or nvrtc, by default the
    builder's choice.
    """
    said = _launched("cuda_source", target, kernels, tensors)
    if bundles:
        said["bundles"] = [bundle.digest for bundle in bundles]
    if compiler is not None:
        said["compiler"] = compiler
    macros = {name: str(value) for name, value in (defines or {}).items()}
    return document({**said, "files": dict(files), "defines": macros, "flags": list(flags)}, [*bundles, *_values(tensors)])


_RECORDED = """// Gives an output what was recorded of it.
extern "C" __global__ void recorded(unsigned char *to, const unsigned char *from, long long bytes) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += step) to[i] = from[i];
}
"""


def outputs(target: str, tensors: Sequence[Tensor], arrays: Mapping[str, Any]) -> Program:
    """A reference whose outputs are the given NumPy arrays. `tensors`: the tensors of the programs that are compared with it."""
    written = [tensor for tensor in tensors if tensor.role in ("out", "inout")]
    if {tensor.name for tensor in written} != set(arrays):
        names = ", ".join(tensor.name for tensor in written)
        raise ValueError(f"arrays are given for {', '.join(arrays) or 'nothing'}; the outputs are {names}")
    taken = {tensor.name for tensor in tensors}
    kernels, recorded = [], []
    for tensor in written:
        values = values_of(tensor.name, tensor.dtype, tensor.shape, arrays[tensor.name])
        name = f"recorded_{tensor.name}"[:60]
        while name in taken:
            name += "_"
        taken.add(name)
        recorded.append(Tensor(name, tensor.dtype, tensor.shape, role="workspace", fill=values))
        size = len(values.bytes)
        args = [tensor.name, name, Scalar("int64", size)]
        kernels.append(Kernel("recorded", grid=(min(1024, -(-size // 256)),), block=(256,), args=args))
    return cuda({"recorded.cu": _RECORDED}, target, kernels, [*tensors, *recorded])


def _values(tensors: Sequence[Tensor]) -> list[Blob]:
    return [values for values in (tensor.values for tensor in tensors) if values is not None]


def _launched(kind: str, target: str, kernels: Sequence[Kernel], tensors: Sequence[Tensor]) -> dict[str, Any]:
    return {
        "version": 1,
        "kind": kind,
        "target": target,
        "kernels": [kernel.json() for kernel in kernels],
        "args": [tensor.json() for tensor in tensors],
    }


def _three(axes: Sequence[int]) -> list[int]:
    return [*(int(axis) for axis in axes), 1, 1, 1][:3]


def number_text(value: Union[int, float]) -> str:
    """The number as ECMAScript prints it."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e21):
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if exponent == "":
        return digits
    power = int(exponent)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('.', '').lstrip('-')) - 1 - power}f}"
    return f"{digits}e{'+' if power > 0 else '-'}{abs(power)}"
