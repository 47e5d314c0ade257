/**
 * Products by wgmma (matmul_tma_wgmma) against mma.sync (matmul_mma) on the same inputs: every element compared, layouts, types,
 * tiles, slots and waves; then the time of the published config at 4096, each layout between two of mma.sync's. The whole way:
 * schedule, text, nvcc, manifest, the runner's device and its tensor maps. Needs a GPU of 9.0 and nvcc.
 *
 *   node bench/gpu/wgmma-products.mjs [--dry]      --dry: builds all, runs none
 *
 * Ends with 1 when an element differs by more than the rounding of its type, or memory around a buffer was written.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTask } from "../../client/dist/index.js";
import { toDigest, toProgramDigest } from "../../common/dist/index.js";
import { compileProgram } from "../../compiler/dist/index.js";
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { saveResults } from "../results.mjs";

const digest = `sha256:${"0".repeat(64)}`;
const rounds = 30;
const batch = 10;

/**
 * M, N, K, layout, type; entries of groups, columns, stages, group, blocks: undefined = the published config.
 * @type {[shape: number[], layout: string, dtype: string, entries: number[] | undefined][]}
 */
const cases = [
  [[64, 64, 64], "NT", "float16", [1, 64, 2, 1, 0]],
  [[64, 64, 1024], "NN", "float16", [1, 64, 2, 1, 0]],
  [[128, 128, 192], "NN", "bfloat16", [2, 128, 3, 1, 0]],
  [[192, 192, 320], "TN", "float16", [3, 192, 4, 1, 0]],
  [[256, 256, 512], "TT", "bfloat16", [2, 256, 4, 2, 0]],
  [[2048, 1024, 448], "NT", "float16", [2, 128, 5, 8, 128]],
  [[4096, 2048, 320], "TT", "float16", [1, 256, 6, 16, 128]],
  ...["NN", "NT", "TN", "TT"].flatMap((layout) =>
    ["float16", "bfloat16"].map(
      (dtype) => /** @type {(typeof cases)[number]} */ ([[4096, 4096, 4096], layout, dtype, undefined]),
    ),
  ),
];

function compiled(name, target, args, entries) {
  const task = createTask(name, args, target);
  const digits = entries?.map((entry, i) => {
    const { size, decode } = task.space.knobs[i];
    return Array.from({ length: size }, (_, digit) => decode(digit)).indexOf(entry);
  });
  // Published for the default arguments, of which others have the same choices.
  const index = digits ? task.space.fromDigits(digits) : createTask(name, undefined, target).published;
  if (index === undefined) throw new Error(`${name} has no published config`);
  const schedule = task.schedule(index);
  if (!schedule.ok) throw new Error(`${name} ${JSON.stringify(args)}: ${schedule.error.message}`);
  const { graph, trace, intrinsics } = schedule.value;
  const made = compileProgram({ version: 4, kind: "schedule", target, graph, trace, intrinsics });
  if (!made.ok) throw new Error(`${name} ${JSON.stringify(args)}: ${made.error.message}`);
  return made.value;
}

function built(name, target, args, entries, folder, id) {
  const { text, kernels, buffers, maps } = compiled(name, target, args, entries);
  const [source, code] = [join(folder, `${id}.cu`), join(folder, `${id}.cubin`)];
  writeFileSync(source, text);
  const log = execFileSync("sh", [
    "-c",
    'exec nvcc "$@" 2>&1',
    "sh",
    "-cubin",
    `-arch=${target.slice(5)}`,
    "-Xptxas=-v",
    "-o",
    code,
    source,
  ]);
  const words = log.toString();
  const manifest = {
    version: maps ? 3 : 1,
    program: toProgramDigest(digest),
    target,
    format: "cubin",
    code: toDigest(digest),
    kernels,
    buffers,
    ...(maps ? { maps } : {}),
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "nvcc",
    notes: [],
  };
  const warning = /warning|C75\d\d/.test(words) || !/ 0 bytes spill stores/.test(words) ? words : undefined;
  return { manifest, code, warning, registers: Number(/Used (\d+) registers/.exec(words)?.[1]) };
}

const median = (times) => times.sort((x, y) => x - y)[Math.floor(times.length / 2)];

/** Times are in microseconds a run; the device says milliseconds a batch. */
function compared(device, one, other, isTimed) {
  const tensors = new Map(one.manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const [a, b, c] = ["A", "B", "C"].map((name) => tensors.get(name));
  device.fill(a, 5, 0);
  device.fill(b, 5, 1);
  const reference = device.allocate(c.spec);
  const [module, base] = [device.load(one.manifest, one.code), device.load(other.manifest, other.code)];
  device.poison(c);
  device.run(base, tensors, 1, "events");
  device.snapshot(c, reference);
  const unit = c.spec.dtype === "float16" ? 2 ** -10 : 2 ** -7;
  let wrong;
  for (let again = 0; again < 5; again++) {
    device.poison(c);
    device.run(module, tensors, 1, "events");
    const found = device.compare(c, reference, { rtol: unit, atol: unit });
    if (found) wrong ??= `differs: ${JSON.stringify(found)}`;
  }
  if (device.damaged(tensors.values()).length > 0) wrong ??= "wrote around a buffer";
  /** @type {Record<"wgmma" | "mma", number[]>} */
  const times = { wgmma: [], mma: [] };
  for (let round = 0; isTimed && round < rounds; round++) {
    times.wgmma.push((device.run(module, tensors, batch, "cuda_graph") * 1000) / batch);
    times.mma.push((device.run(base, tensors, batch, "cuda_graph") * 1000) / batch);
  }
  module[Symbol.dispose]();
  base[Symbol.dispose]();
  for (const buffer of [...tensors.values(), reference]) device.free(buffer);
  return { outcome: wrong ?? "agrees", ...(isTimed ? { wgmma_us: median(times.wgmma), mma_us: median(times.mma) } : {}) };
}

const dry = process.argv.includes("--dry");
const folder = mkdtempSync(join(tmpdir(), "warpfarm-wgmma-"));
try {
  let device;
  if (!dry) {
    const opened = openCudaDriver();
    if (!opened.ok) throw new Error(`${opened.error.message}; --dry needs none`);
    device = new CudaDevice(opened.value, 0);
  }
  const rows = cases.map(([[M, N, K], layout, dtype, entries], i) => {
    const args = { M, N, K, layout, dtype };
    const one = built("matmul_tma_wgmma", "cuda/sm_90a", args, entries, folder, `w${i}`);
    const small = entries && [1, 1, 1, 1, 1, 2, 1, 1];
    const other = built("matmul_mma", "cuda/sm_90", args, small, folder, `m${i}`);
    const run = dry ? { outcome: "built" } : compared(device, one, other, entries === undefined);
    const outcome = one.warning ? `ptxas: ${one.warning}` : run.outcome;
    return {
      shape: [M, N, K].join("x"),
      layout,
      dtype,
      config: entries?.join(" ") ?? "published",
      registers: one.registers,
      ...run,
      outcome,
    };
  });
  console.table(rows);
  const wrong = rows.filter(({ outcome }) => outcome !== (dry ? "built" : "agrees")).length;
  console.log(`${rows.length} products, ${wrong} wrong${dry ? " (--dry: built, not run)" : ""}`);
  if (!dry) saveResults("gpu-wgmma-products", "node bench/gpu/wgmma-products.mjs", { products: rows }, { gpu: true });
  process.exitCode = wrong > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
