"""Data that programs name besides their text: folders of headers and elements of tensors. A farm gets each of them once, by its
digest.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any, Sequence, Union


@dataclass(frozen=True)
class Blob:
    """Bytes and the digest that names them."""

    bytes: bytes
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", "sha256:" + hashlib.sha256(self.bytes).hexdigest())


class Bundle(Blob):
    """A folder of headers, as `warpfarm.bundle` reads it."""


#: What headers are called.
_HEADER = re.compile(r".*\.(?:h|hh|hpp|hxx|cuh|inl|inc|ipp|tpp|def|cu)", re.S)
#: The standard library's headers have no dot, as keys and logs of users have none: such a file must begin as headers do.
_NO_DOT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Behind comments a directive. A space after # is a remark in the settings of another program.
_BEGIN = re.compile(
    r"(?:[\s\ufeff]|//[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*"
    r"#(?:pragma[ \t]+[A-Za-z0-9_]|(?:ifn?def|define)[ \t]+[A-Za-z_]|if[ \t(!]|include[ \t]*[<\"])"
)
_PATH = re.compile(r"(?:[A-Za-z0-9_+-][A-Za-z0-9_.+-]*/)*[A-Za-z0-9_+-][A-Za-z0-9_.+-]*")
_PATH_LETTERS = 240
_LEFT = {"node_modules", "__pycache__"}
_MOST_BYTES = 64 << 20
_MOST_FILES = 20_000


def bundle(folder: Union[str, pathlib.Path]) -> Bundle:
    """The headers of a folder and of the folders below it, without hidden files and links: the value of a spec's `includes`."""
    root = os.fspath(folder)
    if not os.path.isdir(root):
        raise ValueError(f"{root} is no folder")
    files: dict[str, str] = {}
    size = 0
    open_folders = [""]
    while open_folders:
        below = open_folders.pop()
        for entry in list(os.scandir(os.path.join(root, below))):
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name in _LEFT or entry.is_symlink():
                continue
            if len(path) > _PATH_LETTERS or not _PATH.fullmatch(path):
                continue
            if entry.is_dir():
                open_folders.append(path)
            elif entry.is_file() and (_HEADER.fullmatch(entry.name) or _NO_DOT.fullmatch(entry.name)):
                content = pathlib.Path(entry.path).read_bytes()
                header = _header(entry.name, content)
                if header is None:
                    continue
                size += len(content)
                files[path] = header
                if size > _MOST_BYTES or len(files) > _MOST_FILES:
                    raise ValueError(f"{root} has more than {_MOST_BYTES >> 20} MiB or {_MOST_FILES} headers; name a folder further down")
    if not files:
        raise ValueError(f"{root} has no headers (.h, .hpp, .cuh, .inl, ...)")
    text = json.dumps({"files": files, "version": 1}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    encoded = text.encode()
    if len(encoded) > _MOST_BYTES:
        raise ValueError(f"{root} has {len(encoded)} bytes; a bundle has {_MOST_BYTES} at most")
    return Bundle(encoded)


def _header(name: str, content: bytes) -> Union[str, None]:
    """The text of a header. A header is text, whatever its name."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or not (_HEADER.fullmatch(name) or _BEGIN.match(text)) else text


#: NumPy's names of types whose bits a farm's type has.
_SAME_BITS = {"int32": {"uint32"}, "int64": {"uint64"}, "int8": {"bool"}, "uint8": {"bool"}}


def values_of(name: str, dtype: str, shape: Sequence[int], array: Any) -> Blob:
    """The elements, row by row, of a NumPy array or of an object with dtype, shape and tobytes."""
    if not all(hasattr(array, part) for part in ("dtype", "shape", "tobytes")):
        raise TypeError(f"tensor {name}: {type(array).__name__} is no array with dtype, shape and tobytes")
    found = str(array.dtype)
    if (found != dtype and found not in _SAME_BITS.get(dtype, ())) or tuple(array.shape) != tuple(shape):
        raise ValueError(f"tensor {name} is {dtype}{list(shape)}; the array is {found}{list(array.shape)}")
    elements = Blob(array.tobytes())
    if len(elements.bytes) > _MOST_BYTES:
        raise ValueError(f"tensor {name}: the array has {len(elements.bytes)} bytes; a tensor has at most {_MOST_BYTES} on a farm")
    if dtype in _BYTES and len(elements.bytes) != _BYTES[dtype] * math.prod(shape):
        raise ValueError(f"tensor {name}: the array has {len(elements.bytes)} bytes")
    return elements


_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1, "uint8": 1, "int32": 4, "int64": 8, "bool": 1}
