"""Records the operators of a PyTorch model as it runs, into an ONNX file for `warpfarm suite from-onnx`.

A TorchDispatchMode sees each operator with its real tensors, below the model's Python, so there is no graph to break: loops and
conditions are taken as they went for the example. In inference mode operators arrive whole (linear, not a transpose and a product).
Results that no input reaches are constants.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Any, Callable

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .onnx_file import Node, OnnxFile, Weight
from . import torch_rows as _torch_rows
from .torch_operators import ONNX_TYPES, operators
from .torch_timing import framework_on, seconds_of

# What they give depends on shapes alone.
_FILLED = ("ones_like", "zeros_like", "empty_like", "full_like", "new_ones", "new_zeros", "new_empty", "new_full", "new_tensor")
_SAME = ("contiguous", "clone", "detach", "alias", "lift_fresh", "dropout", "feature_dropout", "requires_grad_")


# Importing it puts its operators into the table.
assert _torch_rows.operators is operators


class CaptureError(ValueError):
    """The model cannot be recorded; the message names the operator."""


class _Recorder(TorchDispatchMode):
    """`device`: where each operator is timed; None: nothing is."""

    def __init__(self, names: dict[int, str], device: torch.device | None):
        super().__init__()
        self.nodes: list[Node] = []
        # Seconds of a call, and the results of its nodes; of a copy, the name of what is copied.
        self.times: list[tuple[float, list[str]]] = []
        self._device = device
        self.constants: dict[str, torch.Tensor] = {}
        self._parameters = names
        self._names: dict[int, str] = {}
        self._kept: list[torch.Tensor] = []
        self._stale: dict[int, str] = {}
        self._count = 0

    def declare(self, tensor: torch.Tensor, name: str) -> None:
        self._names[id(tensor)] = name
        self._stale.pop(id(tensor), None)
        # An id is a tensor's as long as the tensor is there.
        self._kept.append(tensor)

    def name(self, tensor: torch.Tensor, is_changed: bool = False) -> str:
        """Of a recorded tensor, or of a constant, of which a copy is kept where it may be changed later."""
        if id(tensor) in self._stale:
            raise CaptureError(
                "%s changed a tensor in place of which the model reads another view; write it out of place"
                % self._stale[id(tensor)]
            )
        if id(tensor) not in self._names:
            parameter = self._parameters.get(id(tensor))
            name = parameter or "constant_%d" % len(self.constants)
            self.declare(tensor, name)
            self.constants[name] = tensor if parameter and not is_changed else tensor.clone()
        return self._names[id(tensor)]

    def is_recorded(self, tensor: torch.Tensor) -> bool:
        return self._names.get(id(tensor), "") not in self.constants and id(tensor) in self._names

    def constant(self, values: Any, dtype: torch.dtype = torch.int64) -> str:
        return self.name(torch.tensor(values, dtype=dtype))

    def node(self, op: str, inputs: list[str], count: int = 1, **attributes: Any) -> Any:
        """Records an operator of ONNX; gives the names of its outputs, or the one."""
        outputs = ["t%d" % (self._count + i) for i in range(count)]
        self._count += count
        self.nodes.append(Node(op, inputs, outputs, {key: value for key, value in attributes.items() if value is not None}))
        return outputs[0] if count == 1 else outputs

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name.split("::")[-1]
        in_place = name.endswith("_") and not name.startswith("_")
        given = [x for x in _flat((args, kwargs)) if isinstance(x, torch.Tensor)]
        if not any(self.is_recorded(x) for x in given) or name in _FILLED:
            return func(*args, **kwargs)
        word = name.rstrip("_") if in_place else name
        if word in ("_local_scalar_dense", "item", "nonzero"):
            raise CaptureError("aten.%s reads what the inputs hold; only operators on tensors of known shapes are recorded" % name)
        if word not in operators and word not in _SAME:
            with self:
                made = func.decompose(*args, **kwargs)
            if made is NotImplemented:
                raise CaptureError("the operator aten.%s is not recorded; Warpfarm's docs/models.md lists those that are" % name)
            return made
        # An operator in place is timed on a copy, which the repeats change.
        timed = (args[0].clone(), *args[1:]) if in_place and self._device else args
        if in_place:
            self.name(args[0], is_changed=True)
        out, count = func(*args, **kwargs), len(self.nodes)
        try:
            names = self.name(args[0]) if word in _SAME else operators[word](self, out, *args, **kwargs)
        except (TypeError, ValueError) as error:
            if isinstance(error, CaptureError):
                raise
            raise CaptureError("aten.%s is not recorded: %s" % (name, error)) from error
        outs = out if isinstance(out, (tuple, list)) else (out,)
        # A view takes no time.
        if self._device and (in_place or not any(_is_of(outs[0], x) for x in given)):
            seconds = seconds_of(lambda: func(*timed, **kwargs), self._device)
            made = [name for node in self.nodes[count:] for name in node.outputs]
            self.times.append((seconds, made or [self.name(args[0])]))
        for tensor, one in zip(outs, [names] if isinstance(names, str) else names):
            if in_place:
                self._changed(tensor, "aten.%s" % name)
            if one is not None:
                self.declare(tensor, one)
        return out

    def _changed(self, tensor: torch.Tensor, by: str) -> None:
        for other in self._kept:
            if other is not tensor and _overlap(tensor, other):
                self._stale[id(other)] = by


def _is_of(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Do two tensors lie in the same memory?"""
    # From PyTorch 2 on the other word warns.
    first, second = (getattr(x, "untyped_storage", x.storage)() for x in (a, b))
    return bool(first.data_ptr() == second.data_ptr())


def _overlap(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Do two tensors share an element of memory?"""
    if 0 in (a.numel(), b.numel()) or not _is_of(a, b):
        return False
    if a.dtype != b.dtype:
        return True
    marks = torch.zeros(len(a.storage()), dtype=torch.bool)
    marks.as_strided(a.size(), a.stride(), a.storage_offset()).fill_(True)
    return bool(marks.as_strided(b.size(), b.stride(), b.storage_offset()).any())


def _flat(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return _flat(list(x.values()))
    return [one for part in x for one in _flat(part)] if isinstance(x, (tuple, list)) else [x]


@contextlib.contextmanager
def _plain_operators(model: torch.nn.Module):
    """Evaluation, and no fused transformer layers, whose operators are one."""
    training = {part: part.training for part in model.modules()}
    model.eval()
    try:
        with _Seen():
            yield
    finally:
        for part, was in training.items():
            part.training = was


class _Seen(TorchFunctionMode):
    """Attention and transformer layers take no fused operator where somebody looks at their functions."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _used(nodes: list[Node], outputs: list[str]) -> tuple[list[Node], set[str]]:
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.outputs):
            kept.append(node)
            needed.update(node.inputs)
    return kept[::-1], needed


def _timed(nodes: list[Node], times: list[tuple[float, list[str]]]) -> list[Node]:
    """Each call's time is that of the last of its nodes."""
    places = {name: i for i, node in enumerate(nodes) for name in node.outputs}
    sums: dict[int, float] = {}
    for seconds, names in times:
        of = max((places.get(name, -1) for name in names), default=-1)
        sums[of] = sums.get(of, 0.0) + seconds
    return [node._replace(seconds=sums.get(i)) for i, node in enumerate(nodes)]


def _bytes(tensor: torch.Tensor) -> bytes:
    whole = tensor.detach().cpu().contiguous()
    return ctypes.string_at(whole.data_ptr(), whole.numel() * whole.element_size())


def capture(model: Callable[..., Any], example: Any, path: str | os.PathLike[str] = "model.onnx", time: bool = True) -> str:
    """Runs the model on the example (a tensor, or a tuple of them) and writes PATH, and its weights to PATH.data beside it.

    Shapes are those of the example. `time`: each operator is run some times more, alone, and its node has the median seconds. It
    is timed on the device of the first input. `warpfarm suite from-onnx PATH` makes a suite of the file. Returns PATH. Raises
    CaptureError that names the operator which cannot be recorded.
    """
    path = os.fspath(path)
    inputs = list(example) if isinstance(example, (tuple, list)) else [example]
    strange = next((x for x in inputs if not isinstance(x, torch.Tensor)), None)
    if strange is not None:
        raise CaptureError("the example has a %s; it is a tensor or a tuple of tensors" % type(strange).__name__)
    known: dict[int, str] = {}
    module = model if isinstance(model, torch.nn.Module) else torch.nn.Module()
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        known[id(tensor)] = name
    framework = framework_on(inputs[0].device) if time and inputs else None
    recorder = _Recorder(known, inputs[0].device if framework else None)
    # Copies, since a model may change its inputs.
    given = [x.detach().clone() for x in inputs]
    for i, tensor in enumerate(given):
        recorder.declare(tensor, "x" if len(given) == 1 else "x%d" % i)
    names = [recorder.name(tensor) for tensor in given]
    with _plain_operators(module), torch.inference_mode(), recorder:
        made = model(*given)
    outputs = [x for x in _flat(made) if isinstance(x, torch.Tensor)]
    if not outputs:
        raise CaptureError("the model gives no tensors")
    constant = next((x for x in outputs if not recorder.is_recorded(x)), None)
    if constant is not None:
        raise CaptureError("an output of shape %r does not depend on the inputs" % (list(constant.shape),))
    results = [recorder.name(x) for x in outputs]
    nodes, needed = _used(recorder.nodes, results)
    file = OnnxFile(_timed(nodes, recorder.times), framework or {})
    for name, tensor in zip(names, inputs):
        file.input(name, _type(tensor), list(tensor.shape))
    for name, tensor in zip(results, outputs):
        file.output(name, _type(tensor), list(tensor.shape))
    for name, tensor in recorder.constants.items():
        if name in needed:
            file.weight(Weight(name, _type(tensor), list(tensor.shape), _bytes(tensor)))
    file.write(path)
    return path


def _type(tensor: torch.Tensor) -> int:
    if tensor.dtype not in ONNX_TYPES:
        raise CaptureError("a tensor of shape %r is of %s, which is not recorded" % (list(tensor.shape), tensor.dtype))
    return ONNX_TYPES[tensor.dtype]
