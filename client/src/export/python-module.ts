/**
 * A Python module beside a cubin and its launch JSON. It launches by cuda-python, or by CuPy where only that is installed and the
 * launch needs no cluster, attribute or tensor map.
 */
import { aboutLines, shapeWords, tensorsOf, workspacesOf } from "./layout.ts";
import type { ExportUnit } from "./unit.ts";

const documented = (lines: readonly string[]): string => lines.join("\n").replaceAll("\\", "\\\\").replaceAll('"""', "'''");

export function pythonModule(unit: ExportUnit): string {
  const tensors = tensorsOf(unit.kernel);
  const about = [
    ...aboutLines(unit),
    "",
    `    launch(${tensors.map(({ name }) => name).join(", ")}, workspace=None, stream=0)`,
    "",
    ...tensors.map((tensor) => `    ${shapeWords(tensor)}`),
    `    workspace: ${workspacesOf(unit.kernel).bytes} bytes (WORKSPACE_BYTES), aligned to 256; none needed when 0`,
    "",
    "A tensor is a device array that has __cuda_array_interface__ (CuPy, PyTorch, Numba) or an address as an int.",
    "Needs cuda-python or CuPy.",
  ];
  return `"""${documented(about)}\n"""\n${body.replaceAll("@NAME@", unit.name)}`;
}

const body = `import ctypes
import json
import os

_FOLDER = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_FOLDER, "@NAME@.json")) as _file:
    LAUNCH = json.load(_file)
if LAUNCH["warpfarm_launch"] != 1:
    raise ImportError("@NAME@.json is of version %r; this module reads 1" % LAUNCH["warpfarm_launch"])
TENSORS = [b for b in LAUNCH["buffers"] if b["role"] != "workspace"]
WORKSPACE_BYTES = LAUNCH["workspace_bytes"]

_SCALARS = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int8": ctypes.c_int8,
    "uint8": ctypes.c_uint8,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
}


def _bytes(buffer):
    return next(b["bytes"] for b in LAUNCH["buffers"] if b["name"] == buffer)


def _is_plain(kernel):
    return kernel["cluster"] == [1, 1, 1] and not kernel.get("attributes") and all(
        isinstance(arg, str) or "scalar" in arg for arg in kernel["args"]
    )


def _address(tensor, spec):
    if isinstance(tensor, int):
        address = tensor
    else:
        facts = tensor.__cuda_array_interface__
        if list(facts["shape"]) != spec["shape"] and len(facts["shape"]) == len(spec["shape"]):
            raise ValueError("%s has the shape %r; it takes %r" % (spec["name"], list(facts["shape"]), spec["shape"]))
        if facts.get("strides") is not None:
            size, strides = int(facts["typestr"][2:]), []
            for extent in reversed(facts["shape"]):
                strides.insert(0, size)
                size *= extent
            if list(facts["strides"]) != strides:
                raise ValueError("%s is not contiguous" % spec["name"])
        address = facts["data"][0]
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


class _CudaPython:
    """Launches by the driver: any launch."""

    def __init__(self, driver, code):
        self.driver = driver
        self._call(driver.cuInit(0))
        if int(self._call(driver.cuCtxGetCurrent())) == 0:
            device = self._call(driver.cuDeviceGet(0))
            self._call(driver.cuCtxSetCurrent(self._call(driver.cuDevicePrimaryCtxRetain(device))))
        self.module = self._call(driver.cuModuleLoadData(code))
        self.functions = []
        for kernel in LAUNCH["kernels"]:
            function = self._call(driver.cuModuleGetFunction(self.module, kernel["name"].encode()))
            attributes = driver.CUfunction_attribute
            if kernel["dynamic_shared_bytes"] > 0:
                name = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                self._call(driver.cuFuncSetAttribute(function, name, kernel["dynamic_shared_bytes"]))
            x, y, z = kernel["cluster"]
            if x * y * z > 8:
                self._call(driver.cuFuncSetAttribute(function, attributes.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))
            for attribute in kernel.get("attributes", []):
                if attribute["kind"] == "shared_carveout":
                    name = attributes.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
                    self._call(driver.cuFuncSetAttribute(function, name, attribute["percent"]))
            self.functions.append(function)
        self.constants = [(self._global(c["symbol"]), c["buffer"]) for c in LAUNCH.get("constants", [])]

    def _global(self, symbol):
        answer = self.driver.cuModuleGetGlobal(self.module, symbol.encode())
        self._call(answer)
        return answer[1]

    def _call(self, answer):
        error, rest = answer[0], answer[1:]
        if int(error) != 0:
            raise RuntimeError("CUDA driver: %s" % error)
        return rest[0] if rest else None

    def _map(self, recipe, address):
        d = self.driver
        types = {"float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "tfloat32": "TFLOAT32"}
        types.update({"float64": "FLOAT64", "int8": "UINT8", "uint8": "UINT8", "int32": "INT32", "int64": "INT64"})

        def word(kind, name):
            return getattr(getattr(d, "CUtensorMap" + kind), "CU_TENSOR_MAP_" + name)

        def size(value):
            return "NONE" if value == 0 else "%dB" % value

        oob = "NAN_REQUEST_ZERO_FMA" if recipe["oob"] == "nan" else "NONE"
        return self._call(
            d.cuTensorMapEncodeTiled(
                word("DataType", "DATA_TYPE_" + types[recipe["type"]]),
                len(recipe["dims"]),
                address,
                [d.cuuint64_t(x) for x in reversed(recipe["dims"])],
                [d.cuuint64_t(x) for x in reversed(recipe["strides_bytes"])],
                [d.cuuint32_t(x) for x in reversed(recipe["box"])],
                [d.cuuint32_t(x) for x in reversed(recipe["element_strides"])],
                word("Interleave", "INTERLEAVE_" + size(recipe["interleave"])),
                word("Swizzle", "SWIZZLE_" + size(recipe["swizzle"])),
                word("L2promotion", "L2_PROMOTION_" + ("NONE" if recipe["l2"] == 0 else "L2_%dB" % recipe["l2"])),
                word("FloatOOBfill", "FLOAT_OOB_FILL_" + oob),
            )
        )

    def _attributes(self, kernel):
        ids, made = self.driver.CUlaunchAttributeID, []
        if kernel["cluster"] != [1, 1, 1]:
            one = self.driver.CUlaunchAttribute()
            one.id = ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z = kernel["cluster"]
            made.append(one)
        for attribute in kernel.get("attributes", []):
            one = self.driver.CUlaunchAttribute()
            if attribute["kind"] == "dependent":
                one.id = ids.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
                one.value.programmaticStreamSerializationAllowed = 1
            elif attribute["kind"] == "cooperative":
                one.id = ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
                one.value.cooperative = 1
            elif attribute["kind"] == "cluster_scheduling":
                policies = self.driver.CUclusterSchedulingPolicy
                spread = attribute["policy"] == "spread"
                one.id = ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
                one.value.clusterSchedulingPolicyPreference = (
                    policies.CU_CLUSTER_SCHEDULING_POLICY_SPREAD if spread else policies.CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
                )
            else:
                continue
            made.append(one)
        return made

    def launch(self, addresses, stream):
        for place, buffer in self.constants:
            self._call(self.driver.cuMemcpyDtoDAsync(place, addresses[buffer], _bytes(buffer), stream))
        maps = [self._map(recipe, addresses[recipe["buffer"]]) for recipe in LAUNCH.get("maps", [])]
        for kernel, function in zip(LAUNCH["kernels"], self.functions):
            values, places = [], []
            for arg in kernel["args"]:
                if isinstance(arg, dict) and "map" in arg:
                    places.append(int(maps[arg["map"]].getPtr()))
                    continue
                values.append(ctypes.c_void_p(addresses[arg]) if isinstance(arg, str) else _scalar(arg))
                places.append(ctypes.addressof(values[-1]))
            args = (ctypes.c_void_p * len(places))(*places)
            shape = list(kernel["grid"]) + list(kernel["block"])
            shared = kernel["dynamic_shared_bytes"]
            attributes = self._attributes(kernel)
            if not attributes:
                self._call(self.driver.cuLaunchKernel(function, *shape, shared, stream, ctypes.addressof(args), 0))
                continue
            config = self.driver.CUlaunchConfig()
            config.gridDimX, config.gridDimY, config.gridDimZ = kernel["grid"]
            config.blockDimX, config.blockDimY, config.blockDimZ = kernel["block"]
            config.sharedMemBytes = shared
            config.hStream = stream
            config.attrs = attributes
            config.numAttrs = len(attributes)
            self._call(self.driver.cuLaunchKernelEx(config, function, ctypes.addressof(args), 0))


class _CuPy:
    """Launches by CuPy: no clusters, attributes or tensor maps."""

    def __init__(self, cupy, path):
        self.cupy = cupy
        self.module = cupy.RawModule(path=path)
        self.functions = []
        for kernel in LAUNCH["kernels"]:
            if not _is_plain(kernel):
                raise ImportError("%s is launched with a cluster, an attribute or a tensor map; install cuda-python" % kernel["name"])
            function = self.module.get_function(kernel["name"])
            if kernel["dynamic_shared_bytes"] > 0:
                function.max_dynamic_shared_size_bytes = kernel["dynamic_shared_bytes"]
            self.functions.append(function)
        self.constants = [(self.module.get_global(c["symbol"]).ptr, c["buffer"]) for c in LAUNCH.get("constants", [])]

    def launch(self, addresses, stream):
        import numpy

        device_to_device = 3
        for place, buffer in self.constants:
            self.cupy.cuda.runtime.memcpyAsync(place, addresses[buffer], _bytes(buffer), device_to_device, stream)

        def value(arg):
            if isinstance(arg, str):
                return numpy.uint64(addresses[arg])
            if arg["scalar"] in ("float16", "bfloat16"):
                return numpy.uint16(_scalar(arg).value)
            return getattr(numpy, arg["scalar"])(_scalar(arg).value)

        with self.cupy.cuda.ExternalStream(stream):
            for kernel, function in zip(LAUNCH["kernels"], self.functions):
                args = tuple(value(arg) for arg in kernel["args"])
                function(tuple(kernel["grid"]), tuple(kernel["block"]), args, shared_mem=kernel["dynamic_shared_bytes"])


_opened = None


def _open():
    """The launcher of this process, for the device that is current at the first launch."""
    global _opened
    if _opened is None:
        path = os.path.join(_FOLDER, LAUNCH["code"]["file"])
        try:
            try:
                from cuda.bindings import driver
            except ImportError:
                from cuda import cuda as driver
        except ImportError:
            driver = None
        if driver is not None:
            with open(path, "rb") as file:
                # A driver reads PTX up to its end mark; the JSON of an exported PTX will do in place of the cubin's.
                end = b"\\0" if LAUNCH["code"]["format"] == "ptx" else b""
                _opened = _CudaPython(driver, file.read() + end)
        else:
            try:
                import cupy
            except ImportError:
                raise ImportError("@NAME@ needs cuda-python or CuPy; neither is installed") from None
            _opened = _CuPy(cupy, path)
    return _opened


def launch(*tensors, workspace=None, stream=0):
    """Puts the kernel's launches on the stream (an address as an int) and does not wait."""
    if len(tensors) != len(TENSORS):
        raise TypeError("launch takes %s; %d were given" % (", ".join(b["name"] for b in TENSORS), len(tensors)))
    addresses = {spec["name"]: _address(tensor, spec) for tensor, spec in zip(tensors, TENSORS)}
    if WORKSPACE_BYTES > 0:
        if workspace is None:
            raise TypeError("launch needs a workspace of %d bytes" % WORKSPACE_BYTES)
        base = workspace if isinstance(workspace, int) else workspace.__cuda_array_interface__["data"][0]
        if base % 256 != 0:
            raise ValueError("the workspace is at 0x%x; it must be aligned to 256 bytes" % base)
        for spec in LAUNCH["buffers"]:
            if spec["role"] == "workspace":
                addresses[spec["name"]] = base + spec["workspace_offset"]
    _open().launch(addresses, int(stream))
`;
