/**
 * The part of exported Python files that loads and launches kernels: shared objects by ctypes, cubins and PTX by ctypes on the
 * CUDA driver. It needs Python alone. Structures and numbers are cuda.h's, as in runner/src/device/cuda.
 */
export const devicePython = `import ctypes
import json
import os

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_SCALARS = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int8": ctypes.c_int8,
    "uint8": ctypes.c_uint8,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
}
# The words of array interfaces; other types have none.
_TYPES = {"float16": "<f2", "float32": "<f4", "float64": "<f8", "int8": "|i1", "uint8": "|u1", "bool": "|b1", "int32": "<i4", "int64": "<i8"}


def _interface(array, name):
    facts = getattr(array, "__cuda_array_interface__", None) or getattr(array, "__array_interface__", None)
    if facts is None:
        raise TypeError("%s is of %s; it takes an array on the GPU of PyTorch, CuPy or Numba, one of NumPy on a processor, or an address" % (name, type(array).__name__))
    return facts


def _address(tensor, spec):
    """Of a host or device array, or an address itself; refuses what the kernel does not take."""
    if isinstance(tensor, int):
        address = tensor
    else:
        facts = _interface(tensor, spec["name"])
        if list(facts["shape"]) != spec["shape"]:
            raise ValueError("%s has the shape %r; it takes %r" % (spec["name"], list(facts["shape"]), spec["shape"]))
        kind = _TYPES.get(spec["dtype"], facts["typestr"])
        if facts["typestr"] != kind:
            raise ValueError("%s is of %s; it takes %s (%s)" % (spec["name"], facts["typestr"], kind, spec["dtype"]))
        if facts.get("strides") is not None:
            size, strides = int(facts["typestr"][2:]), []
            for extent in reversed(facts["shape"]):
                strides.insert(0, size)
                size *= extent
            if list(facts["strides"]) != strides:
                raise ValueError("%s is not contiguous" % spec["name"])
        address, is_constant = facts["data"]
        if is_constant and spec["role"] != "in":
            raise ValueError("%s is written, and the array is read-only" % spec["name"])
    if address % spec["align"] != 0:
        raise ValueError("%s is at 0x%x; it must be aligned to %d bytes" % (spec["name"], address, spec["align"]))
    return address


def _scalar(arg):
    if "bytes" in arg:
        data = bytes.fromhex(arg["bytes"])
        return (ctypes.c_ubyte * len(data)).from_buffer_copy(data)
    kind, text = arg["scalar"], arg["value"]
    if kind == "float16":
        import struct

        return ctypes.c_uint16(struct.unpack("<H", struct.pack("<e", float(text)))[0])
    if kind == "bfloat16":
        bits = ctypes.c_uint32.from_buffer_copy(ctypes.c_float(float(text))).value
        return ctypes.c_uint16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF)
    return _SCALARS[kind](float(text) if kind.startswith("float") else int(text))


class _SharedObject:
    """Kernels on this processor: void name(void *const *args)."""

    def __init__(self, document, path):
        library = ctypes.CDLL(path)
        self.kernels = []
        for kernel in document["kernels"]:
            function = getattr(library, kernel["name"])
            function.argtypes, function.restype = [ctypes.c_void_p], None
            self.kernels.append((function, kernel["args"]))

    def bind(self, addresses):
        calls = [(f, (ctypes.c_void_p * len(args))(*[addresses[a] for a in args])) for f, args in self.kernels]

        def run(stream):
            for function, pointers in calls:
                function(pointers)

        return run


class _Driver:
    """libcuda of CUDA 11.8 or later, in the context that is current at the first call, else the first device's."""

    opened = None

    @classmethod
    def open(cls):
        cls.opened = cls.opened or cls()
        return cls.opened

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise ImportError("the NVIDIA driver is needed, and its library cannot be loaded: %s" % error) from None
        self("cuInit", ctypes.c_uint(0))
        self.context = self.made("cuCtxGetCurrent")
        if not self.context:
            device = ctypes.c_int()
            self("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
            self.context = self.made("cuDevicePrimaryCtxRetain", device)
            self("cuCtxSetCurrent", self.context)

    def __call__(self, name, *args):
        code = getattr(self.library, name)(*args)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
            raise RuntimeError("%s: %s" % (name, text.value.decode() if text.value else "CUDA error %d" % code))

    def made(self, name, *args):
        """The handle or address that a call writes to its first parameter."""
        handle = ctypes.c_void_p()
        self(name, ctypes.byref(handle), *args)
        return handle


class _LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]


class _LaunchConfig(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_LaunchAttribute)),
        ("count", ctypes.c_uint),
    ]


class _Cubin:
    """Kernels of a cubin or PTX, on the device of the driver's context."""

    MAX_DYNAMIC_SHARED_SIZE, SHARED_CARVEOUT, NON_PORTABLE_CLUSTER = 8, 9, 14
    COOPERATIVE, CLUSTER, CLUSTER_SCHEDULING, DEPENDENT = 2, 4, 5, 6
    MAP_TYPES = {"int8": 0, "uint8": 0, "int32": 3, "int64": 5, "float16": 6, "float32": 7, "float64": 8}
    MAP_TYPES.update({"bfloat16": 9, "tfloat32": 11, "float8_e4m3fn": 0, "float8_e5m2": 0})

    def __init__(self, document, path):
        self.document, self.driver = document, _Driver.open()
        with open(path, "rb") as file:
            # A driver reads PTX up to its end mark.
            self.module = self.driver.made("cuModuleLoadData", file.read() + b"\\0")
        self.functions = [self._function(kernel) for kernel in document["kernels"]]
        self.constants = [(self._global(c["symbol"]), c["buffer"]) for c in document.get("constants", [])]

    def _function(self, kernel):
        function = self.driver.made("cuModuleGetFunction", self.module, kernel["name"].encode())
        wanted = [(self.SHARED_CARVEOUT, a["percent"]) for a in kernel.get("attributes", []) if a["kind"] == "shared_carveout"]
        if kernel["dynamic_shared_bytes"] > 0:
            wanted.append((self.MAX_DYNAMIC_SHARED_SIZE, kernel["dynamic_shared_bytes"]))
        x, y, z = kernel["cluster"]
        if x * y * z > 8:
            wanted.append((self.NON_PORTABLE_CLUSTER, 1))
        for attribute, value in wanted:
            self.driver("cuFuncSetAttribute", function, ctypes.c_int(attribute), ctypes.c_int(value))
        return function

    def _global(self, symbol):
        size = ctypes.c_size_t()
        return self.driver.made("cuModuleGetGlobal_v2", ctypes.byref(size), self.module, symbol.encode())

    def _map(self, recipe, address):
        memory = (ctypes.c_ubyte * 192)()
        encoded = (ctypes.c_ubyte * 128).from_buffer(memory, -ctypes.addressof(memory) % 64)

        def numbers(kind, values):
            return (kind * max(1, len(values)))(*reversed(values))

        choices = (
            {0: 0, 16: 1, 32: 2}[recipe["interleave"]],
            {0: 0, 32: 1, 64: 2, 128: 3}[recipe["swizzle"]],
            {0: 0, 64: 1, 128: 2, 256: 3}[recipe["l2"]],
            {"zeros": 0, "nan": 1}[recipe["oob"]],
        )
        pixels, box = recipe.get("im2col"), [numbers(ctypes.c_uint32, recipe["box"])]
        if pixels:
            corners = [numbers(ctypes.c_int, pixels[side]) for side in ("lower", "upper")]
            box = corners + [ctypes.c_uint32(x) for x in reversed(recipe["box"])]
        self.driver(
            "cuTensorMapEncodeIm2col" if pixels else "cuTensorMapEncodeTiled",
            encoded,
            ctypes.c_int(self.MAP_TYPES[recipe["type"]]),
            ctypes.c_uint32(len(recipe["dims"])),
            ctypes.c_void_p(address),
            numbers(ctypes.c_uint64, recipe["dims"]),
            numbers(ctypes.c_uint64, recipe["strides_bytes"]),
            *box,
            numbers(ctypes.c_uint32, recipe["element_strides"]),
            *map(ctypes.c_int, choices),
        )
        return encoded

    def _attributes(self, kernel):
        cluster = kernel["cluster"]
        made = [(self.CLUSTER, cluster)] if cluster != [1, 1, 1] else []
        for attribute in kernel.get("attributes", []):
            if attribute["kind"] == "dependent":
                made.append((self.DEPENDENT, [1]))
            elif attribute["kind"] == "cooperative":
                made.append((self.COOPERATIVE, [1]))
            elif attribute["kind"] == "cluster_scheduling":
                made.append((self.CLUSTER_SCHEDULING, [1 if attribute["policy"] == "spread" else 2]))
        return (_LaunchAttribute * len(made))(*[_LaunchAttribute(i, 0, (ctypes.c_uint32 * 16)(*v)) for i, v in made])

    def bind(self, addresses):
        sizes = {b["name"]: b["bytes"] for b in self.document["buffers"]}
        maps = [self._map(recipe, addresses[recipe["buffer"]]) for recipe in self.document.get("maps", [])]
        copies = [(place, ctypes.c_uint64(addresses[b]), ctypes.c_size_t(sizes[b])) for place, b in self.constants]
        launches = []
        for kernel, function in zip(self.document["kernels"], self.functions):
            values = []
            for arg in kernel["args"]:
                if isinstance(arg, str):
                    values.append(ctypes.c_uint64(addresses[arg]))
                else:
                    values.append(maps[arg["map"]] if "map" in arg else _scalar(arg))
            pointers = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(value) for value in values])
            attributes = self._attributes(kernel)
            grid, block = ((ctypes.c_uint * 3)(*kernel[one]) for one in ("grid", "block"))
            config = _LaunchConfig(grid, block, kernel["dynamic_shared_bytes"], None, attributes, len(attributes))
            launches.append((config, function, pointers, values))

        def run(stream):
            for place, source, size in copies:
                self.driver("cuMemcpyDtoDAsync_v2", place, source, size, ctypes.c_void_p(stream))
            for config, function, pointers, _ in launches:
                config.stream = stream
                self.driver("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)

        return run


class Kernel:
    """An exported kernel: NAME.json and its code, which is loaded at the first launch."""

    def __init__(self, name, folder=_FOLDER):
        with open(os.path.join(folder, name + ".json")) as file:
            self.document = json.load(file)
        if self.document["warpfarm_launch"] != 1:
            raise ImportError("%s.json is of version %r; this reads 1" % (name, self.document["warpfarm_launch"]))
        self.name, self.folder, self.code = name, folder, None
        self.tensors = [b for b in self.document["buffers"] if b["role"] != "workspace"]
        self.workspace_bytes = self.document["workspace_bytes"]

    def bind(self, addresses, workspace):
        """A function that launches it on a stream, with tensors at these addresses by name and workspaces from \`workspace\` on."""
        if self.code is None:
            code = self.document["code"]
            make = _SharedObject if code["format"] == "so" else _Cubin
            self.code = make(self.document, os.path.join(self.folder, code["file"]))
        spaces = [b for b in self.document["buffers"] if b["role"] == "workspace"]
        return self.code.bind({**addresses, **{b["name"]: workspace + b["workspace_offset"] for b in spaces}})

    def _workspace(self, given):
        """The address of a caller's workspace. How large the memory at a plain address is, nobody knows."""
        if given is None:
            raise TypeError("launch needs workspace=, %d bytes that start at a multiple of 256" % self.workspace_bytes)
        base = given
        if not isinstance(given, int):
            facts = _interface(given, "workspace")
            base, size = facts["data"][0], int(facts["typestr"][2:])
            for extent in facts["shape"]:
                size *= extent
            if size < self.workspace_bytes:
                raise ValueError("the workspace has %d bytes; it must have %d" % (size, self.workspace_bytes))
        if base % 256 != 0:
            raise ValueError("the workspace is at 0x%x; it must be aligned to 256 bytes" % base)
        return base

    def launch(self, *tensors, workspace=None, stream=0):
        """Puts the launches on the stream (an address as an int) and does not wait; on a processor it runs the kernel."""
        if len(tensors) != len(self.tensors):
            raise TypeError("launch takes %s; %d were given" % (", ".join(b["name"] for b in self.tensors), len(tensors)))
        addresses = {spec["name"]: _address(tensor, spec) for tensor, spec in zip(tensors, self.tensors)}
        base = 0
        if self.workspace_bytes > 0:
            base = self._workspace(workspace)
        self.bind(addresses, base)(int(stream))
`;
