/** model.py: runs a model's kernels. It needs NumPy and, for CUDA, the driver. */
import type { ModelDocument } from "../model/model.ts";
import { tensorWords } from "../model/plan.ts";
import { devicePython } from "./device.ts";
import { documented } from "./module.ts";

export function pythonModel({ model, target, inputs, outputs, memory_bytes, tensor_bytes }: ModelDocument): string {
  const listed = (tensors: ModelDocument["inputs"]) => tensors.map((one) => `    ${one.name}: ${tensorWords(one)}`);
  const about = [
    `${model} for ${target}. Written by warpfarm export.`,
    "",
    "    import model",
    '    m = model.load("FOLDER")',
    `    outputs = m(${inputs.map(({ name }) => (/^[A-Za-z_]\w*$/.test(name) ? `${name}=...` : `**{"${name}": ...}`)).join(", ")})`,
    "",
    "Inputs, as NumPy arrays (bfloat16: its bits as uint16):",
    ...listed(inputs),
    "Outputs, as a dictionary of NumPy arrays:",
    ...listed(outputs),
    "",
    `Tensors have ${memory_bytes} bytes of memory together; one beside the other they would have ${tensor_bytes}.`,
    target.startsWith("cuda/")
      ? "A run is one CUDA graph of all kernels. Needs NumPy and the NVIDIA driver, of CUDA 11.8 or later."
      : `Needs NumPy and a processor of ${target}.`,
    "",
    "On a command line `python3 model.py --time 100` prints the seconds of 100 runs.",
  ];
  return `${documented(about)}${devicePython}${body}`;
}

const body = `

import hashlib
import time

import numpy


def _numpy_type(dtype):
    return numpy.dtype("uint16" if dtype == "bfloat16" else dtype).newbyteorder("<")


def _words(dtype, shape):
    return "%s[%s]" % (dtype, ", ".join(map(str, shape)))


def _aligned(size):
    """Zeros at a multiple of 256 bytes."""
    memory = numpy.zeros(size + 256, numpy.uint8)
    begin = -memory.ctypes.data % 256
    return memory[begin : begin + size]


def _flat(array):
    return numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)


class _OnProcessor:
    def __init__(self, weights, memory_bytes, workspace_bytes):
        self.weights, self.memory, self.workspace_memory = weights, _aligned(memory_bytes), _aligned(workspace_bytes)
        self.bases = {"weights": weights.ctypes.data, "memory": self.memory.ctypes.data}
        self.workspace = self.workspace_memory.ctypes.data

    def prepare(self, steps):
        self.steps = steps

    def put(self, place, array):
        self.memory[place[1] : place[1] + array.nbytes] = _flat(array)

    def get(self, place, array):
        block = self.weights if place[0] == "weights" else self.memory
        array.reshape(-1).view(numpy.uint8)[:] = block[place[1] : place[1] + array.nbytes]

    def run(self):
        for step in self.steps:
            step(0)

    def seconds(self, repeats):
        times = [time.perf_counter()]
        for _ in range(repeats):
            self.run()
            times.append(time.perf_counter())
        return [end - begin for begin, end in zip(times, times[1:])]


class _OnGpu:
    def __init__(self, weights, memory_bytes, workspace_bytes):
        self.driver = _Driver.open()
        self.bases = {"weights": self._allocated(weights.nbytes), "memory": self._allocated(memory_bytes)}
        self.workspace = self._allocated(workspace_bytes)
        self._copy_in(self.bases["weights"], weights)
        # Ordered with plain copies, which use the default stream.
        self.stream = self.driver.made("cuStreamCreate", ctypes.c_uint(0))

    def _allocated(self, size):
        """Zeros: the first run reads them, also where a kernel takes indices."""
        size = ctypes.c_size_t(max(1, size))
        pointer = self.driver.made("cuMemAlloc_v2", size)
        self.driver("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), size)
        return pointer.value

    def _copy_in(self, address, array):
        self.driver("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def prepare(self, steps):
        # Code is loaded at the first launch, which a capture does not allow.
        for step in steps:
            step(self.stream.value)
        self.driver("cuStreamSynchronize", self.stream)
        graph, thread_local = ctypes.c_void_p(), 1
        self.driver("cuStreamBeginCapture_v2", self.stream, ctypes.c_int(thread_local))
        for step in steps:
            step(self.stream.value)
        self.driver("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.graph = self.driver.made("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
        self.driver("cuGraphDestroy", graph)
        self.steps = steps

    def put(self, place, array):
        self._copy_in(self.bases[place[0]] + place[1], _flat(array))

    def get(self, place, array):
        self.driver("cuStreamSynchronize", self.stream)
        source = ctypes.c_uint64(self.bases[place[0]] + place[1])
        self.driver("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), source, ctypes.c_size_t(array.nbytes))

    def run(self):
        self.driver("cuGraphLaunch", self.graph, self.stream)

    def seconds(self, repeats):
        events = [self.driver.made("cuEventCreate", ctypes.c_uint(0)) for _ in range(repeats + 1)]
        for i, event in enumerate(events):
            if i > 0:
                self.run()
            self.driver("cuEventRecord", event, self.stream)
        self.driver("cuStreamSynchronize", self.stream)
        times = []
        for begin, end in zip(events, events[1:]):
            milliseconds = ctypes.c_float()
            self.driver("cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
            times.append(milliseconds.value / 1000)
        for event in events:
            self.driver("cuEventDestroy_v2", event)
        return times


class Model:
    """A model with its weights on the device. One call at a time."""

    def __init__(self, folder):
        with open(os.path.join(folder, "model.json")) as file:
            self.document = document = json.load(file)
        if document["warpfarm_model"] != 1:
            raise ImportError("model.json is of version %r; this reads 1" % document["warpfarm_model"])
        self.name, self.inputs, self.outputs = document["model"], document["inputs"], document["outputs"]
        on = _OnGpu if document["target"].startswith("cuda/") else _OnProcessor
        self.device = on(self._weights(folder), document["memory_bytes"], document["workspace_bytes"])
        kernels = {name: Kernel(name, folder) for name in {step["kernel"] for step in document["steps"]}}
        steps = []
        for step in document["steps"]:
            addresses = {name: self.device.bases[block] + offset for name, (block, offset) in step["tensors"].items()}
            steps.append(kernels[step["kernel"]].bind(addresses, self.device.workspace))
        self.device.prepare(steps)

    def _weights(self, folder):
        """The file of the weights, mapped into memory."""
        facts = self.document["weights"]
        path = os.path.join(folder, facts["file"])
        empty = os.path.getsize(path) == 0
        weights = numpy.empty(0, numpy.uint8) if empty else numpy.memmap(path, numpy.uint8, mode="r")
        digest = "sha256:" + hashlib.sha256(weights).hexdigest()
        if digest != facts["digest"]:
            raise ValueError("%s is not the model's: its digest is %s, and model.json has %s" % (path, digest, facts["digest"]))
        return weights

    def _takes(self):
        return "it takes %s" % ", ".join("%s: %s" % (one["name"], _words(one["dtype"], one["shape"])) for one in self.inputs)

    def _checked(self, spec, value):
        array = numpy.asarray(value)
        wanted = _numpy_type(spec["dtype"])
        if array.dtype != wanted or list(array.shape) != spec["shape"]:
            found, takes = _words(array.dtype, array.shape), _words(spec["dtype"], spec["shape"])
            raise ValueError("%s: the input %s is %s; it must be %s" % (self.name, spec["name"], found, takes))
        return array

    def __call__(self, **inputs):
        """Runs the model; returns its outputs by name."""
        names = [one["name"] for one in self.inputs]
        for name in inputs:
            if name not in names:
                raise TypeError("%s has no input %r; %s" % (self.name, name, self._takes()))
        for name in names:
            if name not in inputs:
                raise TypeError("%s needs the input %r; %s" % (self.name, name, self._takes()))
        arrays = [self._checked(spec, inputs[spec["name"]]) for spec in self.inputs]
        for spec, array in zip(self.inputs, arrays):
            self.device.put(spec["place"], array)
        self.device.run()
        outputs = {one["name"]: numpy.empty(one["shape"], _numpy_type(one["dtype"])) for one in self.outputs}
        for one in self.outputs:
            self.device.get(one["place"], outputs[one["name"]])
        return outputs

    def time(self, repeats=20):
        """Seconds of each of \`repeats\` runs on the inputs of the last call, after one run that warms up. No copies are in them."""
        if repeats < 1:
            raise ValueError("repeats is %r; it takes 1 or more" % repeats)
        self.device.run()
        return self.device.seconds(repeats)


def load(folder=_FOLDER):
    """The model that \`warpfarm export --plan\` wrote to the folder."""
    return Model(folder)


def _drawn(spec, random):
    """Normal values; of integers zeros, which every index may be."""
    wanted = _numpy_type(spec["dtype"])
    if spec["dtype"] == "bfloat16":
        return (random.standard_normal(spec["shape"]).astype("<f4").view("<u4") >> 16).astype(wanted)
    return random.standard_normal(spec["shape"]).astype(wanted) if wanted.kind == "f" else numpy.zeros(spec["shape"], wanted)


def _main():
    import argparse

    parser = argparse.ArgumentParser(description="Times the model in this folder, on random inputs.")
    parser.add_argument("--time", type=int, metavar="RUNS", required=True, help="print the seconds of this many runs, as JSON")
    runs = parser.parse_args().time
    if runs < 1:
        parser.error("--time is %d; it takes 1 or more" % runs)
    model, random = load(), numpy.random.RandomState(0)
    model(**{spec["name"]: _drawn(spec, random) for spec in model.inputs})
    times = model.time(runs)
    median = float(numpy.median(times))
    print(json.dumps({"model": model.name, "runs": runs, "seconds": median, "least": min(times), "most": max(times)}))


if __name__ == "__main__":
    _main()
`;
