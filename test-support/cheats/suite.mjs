/**
 * The suite of suite.md as values: rows, texts and tensors of kernels, for a GPU and for the CPU. A text is cheat.h, its task and
 * its kernel in one, with the sizes and what the row defines in front.
 */
import { readFileSync } from "node:fs";

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), "utf8");

/**
 * @typedef {"gpu" | "cpu"} Place
 * @typedef {import("./suite.mjs").Row} Row
 * @typedef {import("./suite.mjs").Tensor} Tensor
 */

const [R, C] = ["R", "C"];
const x = ["x", "in", R, C];
const w = ["w", "in", C];
const b = ["b", "in", C];
const rows = { gpu: { R: 16384, C: 256 }, cpu: { R: 1000, C: 16 } };
const squares = { gpu: { R: 4096, C: 256 }, cpu: { R: 10, C: 32 } };
const line = { gpu: { N: 1 << 20 }, cpu: { N: 1000 } };
const product = [
  ["x", "in", "M", "K"],
  ["w", "in", "K", "N"],
  ["y", "out", "M", "N"],
];
const row = [x, ["y", "out", R]];
const square = ["y", "out", R, C];
/** @type {(value: string) => Partial<Tensor>} */
const constant = (value) => ({ fill: { kind: "constant", value } });
/** @type {(from: string, to: string) => Partial<Tensor>} */
const range = (from, to) => ({ fill: { kind: "range", from, to } });

/**
 * Sums of so many terms of about this size, in float32 and in any order: what contracts.md says without stages. A program of
 * CUDA source cannot say how many terms its outputs have, so it states a tolerance.
 * @type {(size: number, terms?: number) => Partial<Tensor>}
 */
const sumOf = (size, terms = 1) => ({
  tolerance: { atol: String(4 * 2 ** -23 * Math.sqrt(terms) * size), rtol: String(4 * 2 ** -23) },
});
/** The greatest elements of normal inputs are about 5; of a row, partial sums count for more. */
const sumOfProducts = { y: (/** @type {Record<string, number>} */ { K }) => sumOf(25, K) };
const sumOfRow = { y: (/** @type {Record<string, number>} */ { C: terms }) => sumOf(10, terms) };

/**
 * Sizes by place; tensors by name, role and dimensions; `of`: fills, types and tolerances that are not the usual ones.
 * @type {Record<string, { sizes: Record<Place, Record<string, number>>, tensors: string[][], text?: string, of?: Record<string,
 * (sizes: Record<string, number>) => Partial<Tensor>> }>}
 */
const tasks = {
  scale: {
    sizes: line,
    tensors: [
      ["x", "in", "N"],
      ["y", "out", "N"],
    ],
  },
  clip: {
    sizes: line,
    tensors: [
      ["x", "in", "N"],
      ["y", "out", "N"],
    ],
  },
  total: {
    sizes: line,
    tensors: [
      ["x", "in", "N"],
      ["y", "inout", "N"],
    ],
  },
  tiny: {
    sizes: line,
    tensors: [
      ["x", "in", "N"],
      ["w", "in", "N"],
      ["y", "out", "N"],
    ],
    of: { w: () => constant("0") },
  },
  product: { sizes: { gpu: { M: 512, N: 512, K: 512 }, cpu: { M: 40, N: 25, K: 64 } }, tensors: product, of: sumOfProducts },
  large: {
    sizes: { gpu: { M: 2048, N: 2048, K: 2048 }, cpu: { M: 40, N: 25, K: 64 } },
    tensors: product,
    text: "product",
    of: sumOfProducts,
  },
  rows: { sizes: rows, tensors: row, of: sumOfRow },
  known: { sizes: rows, tensors: row, of: { ...sumOfRow, x: () => range("0", "1") } },
  second: { sizes: rows, tensors: row },
  norm: { sizes: squares, tensors: [x, w, b, square] },
  "plain-norm": {
    sizes: squares,
    tensors: [x, w, b, square],
    text: "norm",
    of: { w: () => constant("1"), b: () => constant("0") },
  },
  softmax: { sizes: squares, tensors: [x, square] },
  ragged: {
    sizes: rows,
    tensors: [x, ["n", "in", R], ["y", "out", R]],
    of: { ...sumOfRow, n: ({ C: most }) => ({ dtype: "int32", ...range("1", String(most)) }) },
  },
  decay: {
    sizes: { gpu: { R: 16384, C: 128 }, cpu: { R: 100, C: 64 } },
    tensors: [x, ["w", "in", R, C], ["y", "out", R]],
    of: { w: () => range("0", "0.95") },
  },
  counts: {
    sizes: { gpu: { N: 1 << 18, V: 256 }, cpu: { N: 1000, V: 10 } },
    tensors: [
      ["n", "in", "N"],
      ["y", "out", "V"],
    ],
    of: { n: ({ V }) => ({ dtype: "int32", ...range("0", String(V - 1)) }), y: () => ({ dtype: "int32" }) },
  },
};

export const taskNames = Object.keys(tasks);

const [, ...tables] = read("suite.md").split(/^## .*$/m);
/** The cells of each row of a table, without its head. */
const cells = (/** @type {string} */ text) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** @type {(text: string) => Record<string, string>} */
const definesOf = (text) =>
  Object.fromEntries(
    text
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
const listOf = (/** @type {string} */ text) => text.split(",").map((word) => word.trim());

/** @type {readonly Row[]} */
export const cheats = cells(tables[0]).map(([kind, kernel, task, defines, cpu, by, does]) => ({
  name: [kernel, "on", task, defines].filter((word) => word !== "").join(" "),
  kind,
  file: `kernels/${kernel}.cu`,
  task,
  defines: definesOf(defines),
  onCpu: cpu === "yes",
  stoppedBy: /** @type {Row["stoppedBy"]} */ (listOf(by)),
  does,
}));

/** @type {readonly Row[]} */
export const racy = cells(tables[1]).map(([kernel, task, blocks, drop, by, lacks]) => ({
  name: `${kernel} on ${task} DROP=${drop}`,
  kind: "D22",
  file: `pairs/${kernel}.cu`,
  task,
  defines: { DROP: drop },
  blocks,
  onCpu: false,
  stoppedBy: /** @type {Row["stoppedBy"]} */ (listOf(by)),
  does: `lacks ${lacks}`,
}));

/** @type {(task: string) => Row} */
export const plain = (task) => ({
  name: `honest on ${task}`,
  kind: "honest",
  file: "kernels/honest.cu",
  task,
  defines: {},
  onCpu: true,
  stoppedBy: [],
  does: "computes",
});

/** The kernels of the racy twins with all their barriers, and those that the tasks' own texts give. @type {readonly Row[]} */
export const honest = [
  ...taskNames.map(plain),
  ...racy
    .filter((_, i) => racy.findIndex(({ file }) => file === racy[i].file) === i)
    .map((one) => ({
      ...one,
      name: one.name.replace(/DROP=.*/, "with all barriers"),
      kind: "honest",
      defines: { DROP: "0" },
      stoppedBy: [],
      does: "computes",
    })),
];

/** Sizes of a task, with COUNT. @type {(task: string, place: Place) => Record<string, number>} */
function sizesOf(task, place) {
  const { sizes, tensors } = tasks[task];
  const own = sizes[place];
  const output = tensors.find(([, role]) => role !== "in") ?? [];
  return { ...own, COUNT: output.slice(2).reduce((n, name) => n * own[name], 1) };
}

/** @type {(row: Row, place: Place) => string} */
export function textOf({ file, task, defines }, place) {
  const { sizes, text = task } = tasks[task];
  const macros = Object.entries({ ...sizes[place], ...defines }).map(([name, value]) => `#define ${name} ${value}\n`);
  const sync = "DROP" in defines ? "#define SYNC(k) if (DROP != k) __syncthreads()\n" : "";
  return [...macros, sync, read("cheat.h"), read(`tasks/${text}.h`), read(file)].join("");
}

/** One text for the CPU with kernel `kernel_0` and so on of these rows. @type {(rows: readonly Row[]) => string} */
export function sharedText(rows) {
  const parts = rows.map((row, k) => {
    const text = textOf(row, "cpu");
    const macros = [...new Set([...text.matchAll(/^#define (\w+)/gm)].map(([, name]) => `#undef ${name}\n`))].join("");
    const pointers = tensorsOf(row, "cpu").map(({ dtype }, i) => `(${dtype === "int32" ? "int" : "float"} *)args[${i}]`);
    return `namespace row_${k} {\n${text}}\nextern "C" void kernel_${k}(void *const *args) { row_${k}::run(${pointers.join(", ")}); }\n${macros}`;
  });
  const headers = ["math.h", "string.h", "time.h"].map((name) => `#include <${name}>\n`);
  return [...headers, ...parts].join("");
}

/** @type {(row: Row, place: Place) => readonly Tensor[]} */
export function tensorsOf({ task, defines }, place) {
  const { sizes, tensors, of = {} } = tasks[task];
  const own = sizes[place];
  const usual = { dtype: "float32", fill: "random" };
  const found = tensors.map(([name, role, ...dimensions]) => ({
    name,
    role,
    shape: dimensions.map((dimension) => own[dimension]),
    ...usual,
    ...of[name]?.(own),
  }));
  const kept = { name: "kept", role: "workspace", shape: [sizesOf(task, place).COUNT + 1], ...usual };
  return /** @type {readonly Tensor[]} */ ("WORKSPACE" in defines ? [...found, kept] : found);
}

/** The document of a program for a GPU. @type {(row: Row, target: string) => import("@warpfarm/compiler").Program} */
export function documentOf(row, target) {
  const { R: r = 0, COUNT: count } = sizesOf(row.task, "gpu");
  const every = Math.min(Math.ceil(count / 256), 4096);
  const blocks = { R: r, "R*4": 4 * r, "COUNT/256": count / 256, 64: 64 }[row.blocks ?? ""] ?? every;
  return {
    version: 1,
    kind: "cuda_source",
    target,
    files: { "kernel.cu": textOf(row, "gpu") },
    kernels: [{ entry: "kernel", grid: [blocks, 1, 1], block: [256, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
    defines: {},
    flags: [],
    args: tensorsOf(row, "gpu"),
  };
}
