/**
 * matmul_tma on a GPU of 9.0: small and odd shapes by configs by hand, compared with matmul_mma element by element; and layers
 * (with bias, residual and ReLU), timed in turns with their product alone. The whole way: schedule, text, nvcc, manifest, the
 * runner's device and its tensor maps. Times beside cuBLAS are those of shapes.mjs.
 *
 *   npm run build && node bench/gpu/hopper.mjs [--dry] [--fresh] [--only=layers]
 *
 * Rows that bench/results/gpu-hopper.json has, with the same text of the kernel, are not measured again; --fresh: all are. --dry
 * builds all and runs none. Ends with 1 when an element differs by more than the rounding of its type, memory around a buffer was
 * written, or ptxas warns or spills.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { digestOf, toDigest, toProgramDigest } from "../../common/dist/index.js";
import { compileProgram } from "../../compiler/dist/index.js";
import { createTask } from "../../templates/dist/index.js";
import { saveResults } from "../results.mjs";
import { layers, odd } from "./hopper-cases.mjs";
import { openDevice } from "./shared/device.mjs";
import { compiled } from "./shared/nvcc.mjs";
import { median } from "./shared/sections.mjs";

const [rounds, batch] = [200, 10];
const has = (flag) => process.argv.includes(flag);
const dry = has("--dry");
const command = "node bench/gpu/hopper.mjs";
const noDigest = `sha256:${"0".repeat(64)}`;
const stored = fileURLToPath(new URL("../results/gpu-hopper.json", import.meta.url));

function textOf(name, target, args, entries) {
  const task = createTask(name, args, target);
  const digits = task.space.knobs.map(({ name: knob, size, decode }) => {
    if (!(knob in entries)) return 0;
    const at = Array.from({ length: size }, (_, digit) => decode(digit)).indexOf(entries[knob]);
    if (at < 0) throw new Error(`${name}: ${knob} has no choice ${entries[knob]}`);
    return at;
  });
  const schedule = task.schedule(task.space.fromDigits(digits));
  if (!schedule.ok) throw new Error(`${name} ${JSON.stringify(args)}: ${schedule.error.message}`);
  const { graph, trace, intrinsics } = schedule.value;
  const made = compileProgram({ version: 1, kind: "schedule", target, graph, trace, intrinsics });
  if (!made.ok) throw new Error(`${name} ${JSON.stringify(args)}: ${made.error.message}`);
  return made.value;
}

async function built({ text, kernels, buffers, maps }, target) {
  const { code, words, registers, spills } = await compiled(text, target);
  const manifest = {
    ...{ version: 1, program: toProgramDigest(noDigest), target, format: "cubin", code: toDigest(noDigest) },
    ...{ kernels, buffers, ...(maps ? { maps } : {}) },
    ...{ resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 }, toolchain: "nvcc", notes: [] },
  };
  const isClean = !/warning|C75\d\d/.test(words) && spills === 0;
  return { manifest, code, warning: isClean ? undefined : words, registers };
}

/** Runs a product and the same product by mma.sync; with `alone` also the microseconds of both in turns. */
function compared(device, one, other, alone) {
  const tensors = new Map(one.manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const c = tensors.get("C");
  for (const [i, tensor] of [...tensors.values()].filter((tensor) => tensor !== c).entries()) device.fill(tensor, 5, i, "full");
  const reference = device.allocate(c.spec);
  const [module, base] = [device.load(one.manifest, one.code), device.load(other.manifest, other.code)];
  device.poison(c);
  device.run(base, tensors, 1, "events");
  device.snapshot(c, reference);
  const unit = c.spec.dtype === "float16" ? 2 ** -10 : 2 ** -7;
  let wrong;
  for (let again = 0; again < 3; again++) {
    device.poison(c);
    device.run(module, tensors, 1, "events");
    const found = device.compare(c, reference, { rtol: unit, atol: unit });
    if (found) wrong ??= `differs: ${JSON.stringify(found)}`;
  }
  if (device.damaged(tensors.values()).length > 0) wrong ??= "wrote around a buffer";
  const modules = alone ? [module, device.load(alone.manifest, alone.code)] : [module];
  /** @type {number[][]} */
  const times = modules.map(() => []);
  for (let round = 0; alone && round < rounds; round++)
    for (const [i, each] of modules.entries()) {
      times[i].push((device.run(each, tensors, batch, "cuda_graph") * 1000) / batch);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  for (const each of modules) each[Symbol.dispose]();
  base[Symbol.dispose]();
  for (const buffer of [...tensors.values(), reference]) device.free(buffer);
  const [us, product] = times.map(median);
  const timed = alone && { us, product_us: product, over_product: Number((us / product).toFixed(4)) };
  return { outcome: wrong ?? "agrees", ...timed };
}

const shapeOf = ({ M, N, K }) => (M === N && N === K ? `${M}^3` : `${M}x${N}x${K}`);
const wordsOf = (entries) => Object.entries(entries).map(([name, value]) => `${name} ${value}`);

async function prepare() {
  const cases = has("--only=layers") ? layers : [...odd, ...layers];
  const bases = new Map();
  const made = [];
  for (const [i, { args, entries }] of cases.entries()) {
    const text = textOf("matmul_tma", "cuda/sm_90a", args, entries);
    const key = JSON.stringify(args);
    const small = { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 2, stages: 3 };
    const big = args.M % 128 === 0 && args.N % 128 === 0 ? small : {};
    if (!bases.has(key)) bases.set(key, { text: textOf("matmul_mma", "cuda/sm_90", args, big), id: `m${bases.size}` });
    const { epilogue, ...plain } = args;
    const { residual: _, ...others } = entries;
    const alone =
      epilogue && args.M >= 4096 ? { text: textOf("matmul_tma", "cuda/sm_90a", plain, others), id: `w${i}alone` } : undefined;
    made.push({ args, entries, text, alone, id: `w${i}`, base: bases.get(key) });
  }
  const work = [...made, ...made.flatMap(({ alone }) => alone ?? []), ...bases.values()].map((one) => async () => {
    const target = one.id.startsWith("w") ? "cuda/sm_90a" : "cuda/sm_90";
    one.built = await built(one.text, target);
  });
  const next = async () => {
    for (let job = work.shift(); job; job = work.shift()) await job();
  };
  await Promise.all(Array.from({ length: Math.min(8, availableParallelism()) }, next));
  return made;
}

function known() {
  if (dry || has("--fresh")) return [];
  try {
    return JSON.parse(readFileSync(stored, "utf8")).figures.products;
  } catch {
    return [];
  }
}

function measureAll(made) {
  const kernelOf = ({ text }) => digestOf(Buffer.from(text)).slice(-12);
  const ours = new Set(made.map(({ text }) => kernelOf(text)));
  const rows = known().filter((row) => ours.has(row.kernel) && row.outcome === "agrees");
  const device = dry ? undefined : openDevice();
  return made.map(({ args, entries, text, alone, built: one, base }) => {
    const kernel = kernelOf(text);
    const before = rows.find((row) => row.kernel === kernel);
    if (before) return before;
    const run = dry ? { outcome: "built" } : compared(device, one, base.built, alone?.built);
    const row = {
      ...{
        shape: shapeOf(args),
        layout: args.layout,
        dtype: args.dtype,
        ...(args.epilogue && { epilogue: args.epilogue.join() }),
        config: wordsOf(entries).join(", "),
      },
      ...{ registers: one.registers, kernel, ...run, outcome: one.warning ? `ptxas: ${one.warning}` : run.outcome },
    };
    console.log(JSON.stringify(row));
    rows.push(row);
    if (!dry) saveResults("gpu-hopper", command, { products: rows }, { gpu: true });
    return row;
  });
}

const rows = measureAll(await prepare());
console.table(rows.map(({ kernel: _, ...row }) => ({ ...row, outcome: row.outcome.slice(0, 60) })));
const wrong = rows.filter(({ outcome }) => outcome !== (dry ? "built" : "agrees")).length;
console.log(`${rows.length} products, ${wrong} wrong${dry ? " (--dry: built, not run)" : ""}`);
process.exitCode = wrong > 0 ? 1 : 0;
