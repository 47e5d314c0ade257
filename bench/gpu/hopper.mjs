/**
 * matmul_tma on a GPU of 9.0: configs by hand at 4096 and 8192, each compared with matmul_mma element by element and timed, in
 * turns, against cuBLAS (through PyTorch, where there is one); before that small and odd shapes, compared only. The whole way:
 * schedule, text, nvcc, manifest, the runner's device and its tensor maps.
 *
 *   npm run build && node bench/gpu/hopper.mjs [--dry] [--fresh] [--only=layers] [--python=FILE]
 *
 * Layers (with bias, residual and ReLU) are timed in turns with their product alone; --only=layers: nothing else.
 *
 * Rows that bench/results/gpu-hopper.json has, with the same text of the kernel, are not measured again; --fresh: all are. --dry
 * builds all and runs none. Ends with 1 when an element differs by more than the rounding of its type, memory around a buffer was
 * written, or ptxas warns or spills.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf } from "../../common/dist/index.js";
import { compileProgram } from "../../compiler/dist/index.js";
import { createTask } from "../../templates/dist/index.js";
import { saveResults } from "../results.mjs";
import { layers, odd, timed } from "./hopper-cases.mjs";
import { cubinOf, openDevice } from "./shared/nvcc.mjs";

const [rounds, batch] = [20, 10];
const has = (flag) => process.argv.includes(flag);
const dry = has("--dry");
const python = process.argv.find((word) => word.startsWith("--python="))?.slice(9) ?? "python3";
const command = "node bench/gpu/hopper.mjs";
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

async function built(made, target, folder, name) {
  const { manifest, code, words } = await cubinOf(made, { target, folder, name });
  const isClean = !/warning|C75\d\d/.test(words) && / 0 bytes spill stores/.test(words);
  return { manifest, code, warning: isClean ? undefined : words, registers: Number(/Used (\d+) registers/.exec(words)?.[1]) };
}

const median = (times) => times.toSorted((x, y) => x - y)[Math.floor(times.length / 2)];

/**
 * Runs a product and the same product by mma.sync; microseconds per run if it is timed, and those of `alone` in turns with it.
 */
function compared(device, one, other, isTimed, alone) {
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
  const modules = [module, ...(alone ? [device.load(alone.manifest, alone.code)] : [])];
  /** @type {number[][]} */
  const times = modules.map(() => []);
  for (let round = 0; isTimed && round < (alone ? 10 * rounds : rounds); round++)
    for (const [i, each] of modules.entries()) {
      times[i].push((device.run(each, tensors, batch, "cuda_graph") * 1000) / batch);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  for (const each of modules) each[Symbol.dispose]();
  base[Symbol.dispose]();
  for (const buffer of [...tensors.values(), reference]) device.free(buffer);
  const [us, product] = times.map(median);
  const over = alone && { product_us: product, over_product: Number((us / product).toFixed(4)) };
  return { outcome: wrong ?? "agrees", ...(isTimed ? { us, ...over } : {}) };
}

function cublas({ M, N, K, layout, dtype }) {
  const script = fileURLToPath(new URL("cublas.py", import.meta.url));
  try {
    return Number(execFileSync(python, [script, M, N, K, layout, dtype].map(String), { stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return undefined;
  }
}

const shapeOf = ({ M, N, K }) => (M === N && N === K ? `${M}^3` : `${M}x${N}x${K}`);
const wordsOf = (entries) => Object.entries(entries).map(([name, value]) => `${name} ${value}`);

async function prepare(folder) {
  const all = has("--only=layers") ? layers : [...odd, ...timed, ...layers];
  const cases = all.map((of) => ({ ...of, isTimed: !odd.includes(of) && of.args.M >= 4096 }));
  const bases = new Map();
  const made = [];
  for (const [i, { args, entries, isTimed }] of cases.entries()) {
    const text = textOf("matmul_tma", "cuda/sm_90a", args, entries);
    const key = JSON.stringify(args);
    const small = { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 2, stages: 3 };
    const big = args.M % 128 === 0 && args.N % 128 === 0 ? small : {};
    if (!bases.has(key)) bases.set(key, { text: textOf("matmul_mma", "cuda/sm_90", args, big), id: `m${bases.size}` });
    const { epilogue, ...plain } = args;
    const { residual: _, ...others } = entries;
    const alone =
      epilogue && isTimed ? { text: textOf("matmul_tma", "cuda/sm_90a", plain, others), id: `w${i}alone` } : undefined;
    made.push({ args, entries, isTimed, text, alone, id: `w${i}`, base: bases.get(key) });
  }
  const work = [...made, ...made.flatMap(({ alone }) => alone ?? []), ...bases.values()].map((one) => async () => {
    const target = one.id.startsWith("w") ? "cuda/sm_90a" : "cuda/sm_90";
    one.built = await built(one.text, target, folder, one.id);
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
  const libraries = new Map();
  const device = dry ? undefined : openDevice();
  return made.map(({ args, entries, isTimed, text, alone, built: one, base }) => {
    const kernel = kernelOf(text);
    const before = rows.find((row) => row.kernel === kernel);
    if (before) return before;
    const key = JSON.stringify(args);
    if (isTimed && !alone && !dry && !libraries.has(key)) libraries.set(key, cublas(args));
    const run = dry ? { outcome: "built" } : compared(device, one, base.built, isTimed, alone?.built);
    const library = libraries.get(key);
    const row = {
      ...{
        shape: shapeOf(args),
        layout: args.layout,
        dtype: args.dtype,
        ...(args.epilogue && { epilogue: args.epilogue.join() }),
        config: wordsOf(entries).join(", "),
      },
      ...{ registers: one.registers, kernel, ...run, outcome: one.warning ? `ptxas: ${one.warning}` : run.outcome },
      ...(library && run.us ? { cublas_us: library, ratio: Number((library / run.us).toFixed(3)) } : {}),
    };
    console.log(JSON.stringify(row));
    rows.push(row);
    if (!dry) saveResults("gpu-hopper", command, { products: rows }, { gpu: true });
    return row;
  });
}

const folder = mkdtempSync(join(tmpdir(), "warpfarm-hopper-"));
try {
  const rows = measureAll(await prepare(folder));
  console.table(rows.map(({ kernel: _, ...row }) => ({ ...row, outcome: row.outcome.slice(0, 60) })));
  const wrong = rows.filter(({ outcome }) => outcome !== (dry ? "built" : "agrees")).length;
  console.log(`${rows.length} products, ${wrong} wrong${dry ? " (--dry: built, not run)" : ""}`);
  process.exitCode = wrong > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
