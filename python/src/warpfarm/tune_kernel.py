"""A kernel's text and NumPy arrays as a search on an embedded farm."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from .command import find_command, run_search
from .programs import Scalar


def tune_kernel(
    entry: str,
    source: str,
    arrays: Mapping[str, Any],
    tunables: Mapping[str, Sequence[Any]],
    *,
    grid: Sequence[Union[int, str]],
    block: Sequence[Union[int, str]],
    outputs: Sequence[str],
    args: Optional[Sequence[Union[str, Scalar]]] = None,
    problem: Optional[Mapping[str, int]] = None,
    constraints: Sequence[str] = (),
    tolerances: Optional[Mapping[str, Tuple[float, float]]] = None,
    search: Optional[Mapping[str, Any]] = None,
    device: str = "cuda",
    log: Union[str, pathlib.Path, None] = None,
    command: Optional[Sequence[str]] = None,
) -> Mapping[str, Any]:
    """Finds the fastest tunables of a CUDA kernel on this machine, and returns the report of `warpfarm tune`.

    `arrays`: the tensors by the names of the parameters, NumPy arrays. Those of `outputs` are written, and only their types and
    shapes count; the others travel as they are. `tunables`: the values of each, which reach the text as macros. `grid` and `block`:
    up to three numbers or expressions of tunables and `problem`, such as "n / BLOCK". `args`: names of arrays, and scalars, in the
    order of the parameters; None = all arrays, in order. Every config must give the outputs of the first one. `search`: fields of a
    search (docs/contracts.md), such as {"budget": {"trials": 200}}. Raises FarmError.
    """
    command = find_command() if command is None else command
    log_words = [] if log is None else ["--log", os.path.abspath(log)]
    with tempfile.TemporaryDirectory(prefix="warpfarm-kernel-") as folder:
        kernel = pathlib.Path(folder, f"{entry}.cu")
        kernel.write_text(source)
        spec = {
            "problem": dict(problem or {}),
            "tunables": {name: list(values) for name, values in tunables.items()},
            "constraints": list(constraints),
            "args": [_argument(each, arrays, outputs, tolerances or {}, folder) for each in (args or list(arrays))],
            "kernels": [{"entry": entry, "grid": list(grid), "block": list(block)}],
        }
        kernel.with_suffix(".json").write_text(json.dumps(spec))
        words = [*command, "tune", os.fspath(kernel), "--json", "--device", device, *log_words]
        return run_search(words, search)


def _argument(
    each: Union[str, Scalar],
    arrays: Mapping[str, Any],
    outputs: Sequence[str],
    tolerances: Mapping[str, Tuple[float, float]],
    folder: str,
) -> Mapping[str, Any]:
    if isinstance(each, Scalar):
        return {"scalar": each.dtype, "value": each.value}
    if each not in arrays:
        raise ValueError(f"args names {each!r}; the arrays are {', '.join(arrays)}")
    array = arrays[each]
    said: dict[str, Any] = {"name": each, "dtype": str(array.dtype), "shape": list(array.shape)}
    if each in tolerances:
        atol, rtol = tolerances[each]
        said["tolerance"] = {"atol": atol, "rtol": rtol}
    if each in outputs:
        return {**said, "role": "out"}
    file = f"{each}.npy"
    pathlib.Path(folder, file).write_bytes(_npy(array))
    return {**said, "fill": {"file": f"./{file}"}}


#: NumPy's letters of the types that files of arrays may have.
_LETTERS = {
    **{"float16": "<f2", "float32": "<f4", "float64": "<f8", "int8": "|i1", "uint8": "|u1"},
    **{"int32": "<i4", "int64": "<i8", "uint32": "<u4", "uint64": "<u8", "bool": "|b1"},
}


def _npy(array: Any) -> bytes:
    """The elements row by row, as a file of NumPy's format 1."""
    letters = _LETTERS.get(str(array.dtype))
    if letters is None:
        raise TypeError(f"an array is {array.dtype}; tune_kernel takes {', '.join(_LETTERS)}")
    shape = tuple(int(extent) for extent in array.shape)
    header = f"{{'descr': '{letters}', 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + array.tobytes()
