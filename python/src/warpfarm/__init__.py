"""Measures and tunes GPU kernels on a Warpfarm.

    import warpfarm

    farm = warpfarm.Farm("farm.example.org:9290")
    out = warpfarm.Tensor("c", "float32", [1024], role="out")
    program = warpfarm.ptx(text, "cuda/sm_90", [warpfarm.Kernel("add", grid=(8,), block=(128,))], [out])
    print(farm.measure(program, reference=plain).seconds)

`capture` records a PyTorch model for `warpfarm suite from-onnx`. `farm.tune` runs a search through the warpfarm command, `tune_kernel` one of a kernel and arrays on a farm of this machine. `@warpfarm.tune` is put around a kernel with `@triton.autotune`.
"""

import os as _os
import typing as _typing

from .blobs import Blob, Bundle, bundle
from .client import Farm, Result
from .errors import FarmError
from .programs import Kernel, Program, Scalar, Tensor, cubin, cuda, document, outputs, ptx
from .triton_tuner import tune
from .tune_kernel import tune_kernel


def capture(model: _typing.Any, example: _typing.Any, path: "str | _os.PathLike[str]" = "model.onnx", time: bool = True) -> str:
    """Records the operators of a PyTorch model, as it runs on the example, into an ONNX file: warpfarm.torch_capture.capture."""
    from .torch_capture import capture as record

    return record(model, example, path, time)


__all__ = [
    "Blob",
    "Bundle",
    "Farm",
    "FarmError",
    "Kernel",
    "Program",
    "Result",
    "Scalar",
    "Tensor",
    "bundle",
    "capture",
    "cubin",
    "cuda",
    "document",
    "outputs",
    "ptx",
    "tune",
    "tune_kernel",
]
