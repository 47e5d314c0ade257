"""Launches an exported module with the inputs that a self-test wrote, and compares with its outputs.

export.py FOLDER DATA: FOLDER has taken.py, taken.json and the code, DATA one file a buffer.
"""

import os
import sys

folder, data = sys.argv[1:3]
sys.path.insert(0, folder)
try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(0)
import taken

KINDS = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32, "float64": torch.float64}
KINDS.update({"int8": torch.int8, "uint8": torch.uint8, "int32": torch.int32, "int64": torch.int64})


def read(spec):
    with open(os.path.join(data, spec["name"] + ".bin"), "rb") as file:
        content = bytearray(file.read())
    return torch.frombuffer(content, dtype=KINDS[spec["dtype"]]).reshape(spec["shape"])


tensors = [torch.zeros(s["shape"], dtype=KINDS[s["dtype"]]) if s["role"] == "out" else read(s) for s in taken.TENSORS]
tensors = [tensor.cuda() for tensor in tensors]
workspace = torch.empty(max(1, taken.WORKSPACE_BYTES), dtype=torch.uint8, device="cuda")
taken.launch(*[tensor.data_ptr() for tensor in tensors], workspace=workspace.data_ptr())
torch.cuda.synchronize()
wrong = 0
for spec, tensor in zip(taken.TENSORS, tensors):
    if spec["role"] == "in":
        continue
    want, got = read(spec).double(), tensor.cpu().double()
    off = int(((got - want).abs() > 1e-3 + 1e-2 * want.abs()).sum())
    print("%s: %d of %d elements differ from the self-test's" % (spec["name"], off, want.numel()))
    wrong += off
sys.exit(1 if wrong else 0)
