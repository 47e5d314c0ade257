/** Exported Python modules, run by Debian's Python: on this processor, and on a CUDA driver whose device is this processor. */
import type { TensorMap } from "@warpfarm/common";
import { createTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { scratch } from "../../cli/context.testing.ts";
import {
  anyConfig,
  compiledHere,
  here,
  processorDriver,
  python,
  sharedObject,
  vectorAdd,
  writeAll,
} from "../exported.testing.ts";
import { exportFiles } from "../files.ts";
import { type ExportUnit, exportUnit } from "../unit.ts";

const product = (name: string, m: number): ExportUnit => {
  const task = createTask("matmul_derived", [m, 16, 8, "float32", "NN"], here);
  return exportUnit(name, task, anyConfig(task, m));
};

test("a module of a processor's kernel runs on NumPy arrays, and refuses others by name", (ctx) => {
  needs(ctx, "numpy", "cc");
  const unit = product("taken", 4);
  const folder = writeAll(scratch(), exportFiles("python", "taken", [unit], compiledHere([unit])));
  const text = `import numpy, taken
def array(shape, dtype="f4"):
    memory = numpy.random.RandomState(1).standard_normal(4096).astype(dtype)
    begin = -memory.ctypes.data % 64 // memory.itemsize
    return memory[begin : begin + numpy.prod(shape)].reshape(shape)
by_name = {b["name"]: array(b["shape"]) for b in taken.TENSORS}
order = [b["name"] for b in taken.TENSORS]
taken.launch(*[by_name[name] for name in order])
print(numpy.abs(by_name["C"] - by_name["A"] @ by_name["B"]).max() < 1e-5)
constant = array(by_name["C"].shape)
constant.flags.writeable = False
for name, wrong in [("A", array((4, 17))), ("A", array(by_name["A"].shape, "f8")), ("B", array((16, 16))[:, ::2]), ("C", constant), ("C", by_name["C"].ctypes.data + 4)]:
    try: taken.launch(*[{**by_name, name: wrong}[one] for one in order])
    except ValueError as error: print(str(error).replace(hex(by_name["C"].ctypes.data + 4), "0xADDRESS"))
try: taken.launch(1, 2)
except TypeError as error: print(error)
`;
  const [k, n] = unit.kernel.buffers.find(({ name }) => name === "B")?.shape ?? [];
  const order = unit.kernel.buffers.map(({ name }) => name).join(", ");
  expect(python(folder, text).split("\n")).toEqual([
    "True",
    `A has the shape [4, 17]; it takes [4, ${k}]`,
    "A is of <f8; it takes <f4 (float32)",
    `B has the shape [16, 8]; it takes [${k}, ${n}]`,
    "C is written, and the array is read-only",
    "C is at 0xADDRESS; it must be aligned to 64 bytes",
    `launch takes ${order}; 2 were given`,
    "",
  ]);
});

test("a workspace is asked for by its name, size and alignment, and a small one is refused", (ctx) => {
  needs(ctx, "numpy", "cc");
  const unit = product("taken", 4);
  const folder = writeAll(scratch(), exportFiles("python", "taken", [unit], compiledHere([unit])));
  const text = `import numpy, taken
taken._kernel.workspace_bytes = 512
memory = numpy.zeros(8192, "u1")
begin = -memory.ctypes.data % 256
order = [begin + memory.ctypes.data + 1024 * i for i in range(3)]
for given in [None, memory[begin : begin + 511], memory[begin + 1 : begin + 600], "text", memory[begin : begin + 1024].view("f4")]:
    try: print(taken.launch(*order, workspace=given))
    except (TypeError, ValueError) as error: print(type(error).__name__, str(error).replace(hex(memory.ctypes.data + begin + 1), "0xADDRESS"))
try: taken.launch("text", *order[1:])
except TypeError as error: print(error)
`;
  const it = "it takes an array on the GPU of PyTorch, CuPy or Numba, one of NumPy on a processor, or an address";
  expect(python(folder, text).split("\n")).toEqual([
    "TypeError launch needs workspace=, 512 bytes that start at a multiple of 256",
    "ValueError the workspace has 511 bytes; it must have 512",
    "ValueError the workspace is at 0xADDRESS; it must be aligned to 256 bytes",
    `TypeError workspace is of str; ${it}`,
    "None",
    `${unit.kernel.buffers[0]?.name} is of str; ${it}`,
    "",
  ]);
});

test("a library gives the kernel of a shape, and of another says which it has", (ctx) => {
  needs(ctx, "numpy", "cc");
  const units = [product("mm_0", 4), product("mm_1", 12)];
  const files = exportFiles("python", "mine", units, compiledHere(units), [{ name: "mm", units }]);
  expect([...files.keys()]).not.toContain("mm_0.py");
  const text = `import mine
print([mine.mm(*sizes).name for sizes in [(12, 16, 8), (4, 16, 8)]], mine.mm(4, 16, 8) is mine.mm(4, 16, 8))
try: mine.mm(5, 16, 8)
except ValueError as error: print(error)`;
  expect(python(writeAll(scratch(), files), text)).toBe(
    "['mm_1', 'mm_0'] True\nmm has no kernel for (5, 16, 8); it has those for (4, 16, 8), (12, 16, 8)\n",
  );
});

/** The launch of vector_add with everything that one may have: a cluster, attributes, a constant, a map. */
async function everything(): Promise<ExportUnit> {
  const task = await vectorAdd();
  const plain = exportUnit("taken", task, anyConfig(task, 1));
  const [kernel] = plain.kernel.kernels;
  if (kernel === undefined) throw new Error("no kernel");
  const args = [...kernel.args, { map: 0 }, { scalar: "float16", value: "-1.5" }, { scalar: "bfloat16", value: "2.5" }] as const;
  const attributes = [
    { kind: "dependent" },
    { kind: "cluster_scheduling", policy: "spread" },
    { kind: "shared_carveout", percent: 50 },
    { kind: "cooperative" },
  ] as const;
  const shape = { cluster: [16, 1, 1], dynamic_shared_bytes: 65536, grid: [16, 2, 3], block: [64, 1, 2] } as const;
  const map: TensorMap = {
    ...{ buffer: "a", type: "float32", dims: [25, 40], strides_bytes: [160], box: [5, 8], element_strides: [1, 2] },
    ...{ swizzle: 64, interleave: 0, l2: 128, oob: "nan" },
  };
  const images: TensorMap = {
    ...{ buffer: "a", type: "float32", dims: [1, 5, 25, 8], strides_bytes: [4000, 800, 32], box: [6, 4] },
    ...{ element_strides: [1, 2, 1, 1], im2col: { lower: [-1, 0], upper: [0, -2] } },
    ...{ swizzle: 0, interleave: 0, l2: 128, oob: "zeros" },
  };
  return {
    ...plain,
    kernel: {
      ...plain.kernel,
      kernels: [{ ...kernel, ...shape, args, attributes }],
      ...{ constants: [{ symbol: "table", buffer: "b" }], maps: [map, images] },
    },
  };
}

const vectorAddHere = `float table[1000];
int vector_add_params[] = {8, 8, 8, 4, 128, 2, 2, 0};
void vector_add(void **p) {
  float *c = *(float **)p[0];
  const float *a = *(const float **)p[4];
  const int n = *(int *)p[3];
  const unsigned bits = *(unsigned short *)p[6] << 16;
  if (*(const float **)p[1] != a || *(unsigned short *)p[5] != 0xbe00) return;
  for (int i = 0; i < n; ++i) c[i] = a[i] + table[i] + *(const float *)&bits;
}
`;

test("a module gives the driver the manifest's launch: shape, attributes, constants, maps, addresses and scalars", async (ctx) => {
  needs(ctx, "numpy", "cc", "nvcc");
  const unit = await everything();
  const code = { format: "cubin", file: "taken.cubin", bytes: sharedObject("taken", vectorAddHere), toolchain: "test" } as const;
  const folder = writeAll(scratch(), exportFiles("python", "taken", [unit], new Map([["taken", code]])));
  const text = `import numpy, taken
memory = numpy.arange(4096, dtype="f4")
begin = -memory.ctypes.data % 256 // 4
c, a, b = (memory[begin + i * 1024 : begin + i * 1024 + 1000] for i in range(3))
expected = a + b + numpy.float32(2.5)
taken.launch(*[one.ctypes.data for one in (c, a, b)], stream=5)
print((c == expected).all())`;
  expect(python(folder, text, { LD_LIBRARY_PATH: processorDriver() }).split("\n")).toEqual([
    "load",
    "attribute vector_add 9 50",
    "attribute vector_add 8 65536",
    "attribute vector_add 14 1",
    "map 7 2 40/160/8/2 25/0/5/1 0 2 2 1",
    "pixels 7 4 4/6 8/32/1 25/800/1 5/4000/2 1/0/1 0..-2 -1..0 0 0 2 0",
    "copy 4000 stream 5",
    "launch vector_add 16,2,3 64,1,2 65536 stream 5 cluster 16,1,1 dependent 1 scheduling 1 cooperative 1",
    "True",
    "",
  ]);
});

test("without the driver the library that is missing is named", async (ctx) => {
  needs(ctx, "numpy");
  const unit = exportUnit("taken", await vectorAdd(), (await vectorAdd()).space.toIndex(0));
  const code = { format: "cubin", file: "taken.cubin", bytes: new Uint8Array(1), toolchain: "test" } as const;
  const folder = writeAll(scratch(), exportFiles("python", "taken", [unit], new Map([["taken", code]])));
  const text = `import ctypes, taken
def refuse(name): raise OSError(name + ": cannot open shared object file")
ctypes.CDLL = refuse
try: taken.launch(256, 512, 1024)
except ImportError as error: print(error)`;
  expect(python(folder, text)).toBe(
    "the NVIDIA driver is needed, and its library cannot be loaded: libcuda.so.1: cannot open shared object file\n",
  );
});
