"""Networks as PyTorch exports them: FOLDER/NAME.onnx, and NAME.json with an input and the outputs."""
import json
import sys

import torch
from networks import networks

for name, (model, x, axes) in networks.items():
    outputs = model(x)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    names = [f"y{i}" for i in range(len(outputs))]
    path = f"{sys.argv[1]}/{name}"
    torch.onnx.export(model, x, f"{path}.onnx", input_names=["x"], output_names=names, dynamic_axes=axes, opset_version=14)
    with open(f"{path}.json", "w") as file:
        json.dump({"x": x.flatten().tolist(), "y": [y.flatten().tolist() for y in outputs]}, file)
