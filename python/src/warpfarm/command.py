"""The warpfarm command as a child process: how it is found, and what it said last."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, List, Mapping, Optional, Sequence, Union

from .errors import FarmError

_INSTALL = "install it (npm install ./warpfarm-0.1.0.tgz) or name it: Farm(..., command=[\"node\", \".../warpfarm.js\"])"


def find_command(cwd: Union[str, pathlib.Path, None] = None) -> List[str]:
    """`warpfarm` on PATH, else that of the nearest node_modules of `cwd` or a folder above it. npx is never asked, because it
    would run whatever a public registry has under this name.
    """
    found = shutil.which("warpfarm")
    if found is not None:
        return [os.path.abspath(found)]
    folder = pathlib.Path(cwd or ".").resolve()
    for each in (folder, *folder.parents):
        local = each / "node_modules" / ".bin" / "warpfarm"
        if os.access(local, os.X_OK):
            return [os.fspath(local)]
    raise FarmError(f"there is no warpfarm command on PATH or in node_modules of {folder} or a folder above it; {_INSTALL}", 127)


def run_for_report(words: Sequence[str], cwd: Union[str, pathlib.Path, None] = None) -> Mapping[str, Any]:
    """The last line of JSON that the command prints. Its stderr is passed on line by line; an error has the last line of it."""
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)
    except OSError as error:
        raise FarmError(f"{words[0]} cannot be started: {error.strerror}; {_INSTALL}", 127) from error
    said: List[str] = []
    with process:
        assert process.stdout is not None and process.stderr is not None
        passing = threading.Thread(target=_pass_on, args=(process.stderr, said), daemon=True)
        passing.start()
        try:
            printed = process.stdout.read().decode()
            passing.join()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    code = process.returncode
    lines = [line for line in printed.splitlines() if line.startswith("{")]
    if code == 0 and lines:
        report: Mapping[str, Any] = json.loads(lines[-1])
        return report
    ended = f"ended with {code}" if code > 0 else _signal(code) if code < 0 else "printed no report"
    last = f": {said[-1]}" if said else ", without a word"
    raise FarmError(f"{' '.join(words)} {ended}{last}", code)


def run_search(
    words: Sequence[str], search: Optional[Mapping[str, Any]], cwd: Union[str, pathlib.Path, None] = None
) -> Mapping[str, Any]:
    """run_for_report of a `tune` that takes the search from a file."""
    if search is None:
        return run_for_report(words, cwd)
    with tempfile.TemporaryDirectory(prefix="warpfarm-") as folder:
        file = pathlib.Path(folder, "search.json")
        file.write_text(json.dumps({"version": 1, **search}))
        return run_for_report([*words, "--search", os.fspath(file)], cwd)


def _signal(code: int) -> str:
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _pass_on(stream: IO[bytes], last: List[str]) -> None:
    """Keeps in `last` the last line that is not empty."""
    for line in stream:
        text = line.decode(errors="replace")
        sys.stderr.write(text)
        sys.stderr.flush()
        if text.strip():
            last[:] = [text.strip()]


def flag(name: str, file: Optional[Union[str, pathlib.Path]]) -> List[str]:
    """Words of a flag that names a file. The path is absolute, because the command may run in another folder."""
    return [] if file is None else [name, os.path.abspath(file)]
