/**
 * Softmax, layer norm and RMS norm of 256 MB in and out, derived, beside a copy of the tensor and PyTorch compiled: interleaved
 * in one process by CUDA graphs, each checked against float64 (interleaved.py). About 120 s.
 *
 *   npm run build && node bench/gpu/rows.mjs [--rounds 15] [--rows softmax_f16_8192,...] [--seconds 100] [--profile] [--dry]
 *
 * The configs of a row keep it in registers, widened or as memory has it, and move 16 bytes at a time; they differ in the
 * threads, and blocks, that share it.
 * Writes bench/results/gpu-rows.json; --dry compiles and measures nothing. With --profile Nsight Compute looks at the compiled
 * kernels and the fastest of ours, and each row keeps what it says.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "@warpfarm/compiler";
import { castTensor, defineTemplate, graphOf, layerNorm, placeholder, rmsNorm, softmax } from "../../index.js";
import { saveResults } from "../results.mjs";
import { profileOf } from "./shared/library.mjs";
import { compiled } from "./shared/nvcc.mjs";
import { flag, table } from "./shared/sections.mjs";

const target = "cuda/sm_90";
const bytes = 2 ** 28;
const half = [1024, 4096, 8192, 32768, 131072, 262144];
const single = [4096, 32768, 131072, 262144];
const operators = {
  softmax: { count: 1, of: ([x]) => softmax(x) },
  layer_norm: { count: 3, of: ([x, scale, bias]) => layerNorm(x, { scale, bias }) },
  rms_norm: { count: 2, of: ([x, scale]) => rmsNorm(x, { scale }) },
};
const isDry = process.argv.includes("--dry");
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-rows-"));

function taskOf({ op, dtype, shape }) {
  const { count, of } = operators[op];
  const graph = () => {
    const given = Array.from({ length: count }, (_, i) => placeholder(`in${i}`, i === 0 ? shape : shape.slice(1), dtype));
    if (dtype === "float32") return graphOf(given, [of(given)]);
    const wide = given.map((x, i) => castTensor(x, "float32", { name: `wide${i}` }));
    return graphOf(given, [castTensor(of(wide), dtype, { name: "out" })]);
  };
  return defineTemplate({ name: `rows_${op}`, summary: op, targets: ["cuda"], args: {}, graph });
}

/** Of each number of threads and blocks the config with the fewest rows that has 128 threads. */
function configsOf({ space, starts }) {
  const found = new Map([["start", starts.configs[0]]]);
  for (let i = 0; i < space.valid.count; i++) {
    const index = space.toIndex(space.valid.nth(i));
    const values = Object.fromEntries([...space.get(index).values].map(([name, value]) => [name.split(".")[1], value]));
    const widest = Math.max(...space.knobs.find(({ name }) => name.endsWith(".vector")).values);
    const { row_threads: threads, rows, row_blocks: blocks = 1, vector, hold } = values;
    if (!["registers", "operands"].includes(hold) || vector !== widest || rows !== Math.max(1, 128 / threads)) continue;
    if (threads * rows > 1024) continue;
    const as = hold === "operands" ? ", as operands" : "";
    found.set(`${blocks > 1 ? `${blocks} blocks of ` : ""}${threads} threads${as}`, index);
  }
  return found;
}

/** What interleaved.py takes of one row: its configs as kernels. */
function plan(row) {
  const opened = taskOf(row).open(undefined, target);
  const kernels = [];
  for (const [name, index] of configsOf(opened)) {
    const { graph, trace, intrinsics } = opened.schedule(index);
    const made = compileProgram({ kind: "schedule", version: 1, target, graph, trace, intrinsics });
    if (!made.ok) throw new Error(`${row.name}, ${name}: ${made.error.message}`);
    const buffers = [...graph.inputs, ...graph.outputs].map(({ name: buffer, dtype, shape }) => ({
      ...{ name: buffer, dtype, shape },
      role: graph.outputs.some((output) => output.name === buffer) ? "out" : "in",
    }));
    kernels.push({ name, kernels: made.value.kernels, buffers, maps: [], text: made.value.text });
  }
  return { name: row.name, op: "rows", args: row, rounds: Number(flag("rounds") ?? 15), gap_ms: 1, kernels };
}

async function compileAll(specs) {
  const left = specs.flatMap(({ kernels }) => kernels);
  const next = async () => {
    for (let one = left.shift(); one; one = left.shift()) {
      const { code: cubin, spills } = await compiled(one.text, target);
      Object.assign(one, { cubin, spills, text: undefined });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

const lengths = [
  { dtype: "float16", size: 2, columns: half },
  { dtype: "float32", size: 4, columns: single },
];
const rows = Object.keys(operators).flatMap((op) =>
  lengths.flatMap(({ dtype, size, columns }) =>
    columns.map((length) => ({
      name: `${op}_f${8 * size}_${length}`,
      ...{ op, dtype, shape: [bytes / 2 / size / length, length] },
    })),
  ),
);
const wanted = flag("rows")?.split(",") ?? rows.map(({ name }) => name);
const specs = wanted.map((name) => {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`there is no row ${name}; there are ${rows.map((one) => one.name).join(", ")}`);
  return plan(row);
});
await compileAll(specs);
if (isDry) {
  table(
    ["row", "config", "block", "spilled bytes"],
    specs.flatMap(({ name, kernels }) =>
      kernels.map((kernel) => [name, kernel.name, kernel.kernels[0].block.join("x"), kernel.spills]),
    ),
  );
  process.exit(0);
}
const file = join(scratch, "specs.json");
writeFileSync(file, JSON.stringify(specs));
const script = fileURLToPath(new URL("interleaved.py", import.meta.url));
// Rows that it has no time for are missing.
const { stdout: output } = spawnSync("python3", ["-W", "ignore", script, file], {
  encoding: "utf8",
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "inherit"],
  timeout: 1000 * Number(flag("seconds") ?? 100),
  killSignal: "SIGKILL",
});
const found = output
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line));
const tera = (us) => (bytes / us / 1e6).toFixed(2);
table(
  ["row", "ours TB/s", "copy", "compiled", "copy/ours", "compiled/ours", "error", "config", "start/best"],
  found.map(({ name, times }) => {
    const own = Object.entries(times).filter(([variant]) => !["library", "copy"].includes(variant));
    const [config, best] = own.reduce((a, b) => (b[1].us < a[1].us ? b : a));
    return [
      ...[name, tera(best.us), tera(times.copy.us), tera(times.library.us)],
      ...[times.copy.us / best.us, times.library.us / best.us].map((ratio) => ratio.toFixed(3)),
      ...[Math.max(...own.map(([, { error }]) => error)).toExponential(1), config, (times.start.us / best.us).toFixed(2)],
    ];
  }),
);
if (process.argv.includes("--profile"))
  for (const row of found) {
    const spec = specs.find(({ name }) => name === row.name);
    row.profile = await profileOf(spec, row);
  }
saveResults("gpu-rows", `node bench/gpu/rows.mjs ${process.argv.slice(2).join(" ")}`.trim(), found, { gpu: true });
