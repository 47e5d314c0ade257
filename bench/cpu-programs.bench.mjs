/**
 * The source programs' computations under CPU schedules at full shape, for each level of x86-64 that this processor has: built by
 * the system's C compiler, run by the runner's CPU device in guarded memory, and held against sums of products in float64 at the
 * corners and at 2,500 places of the output drawn by chance. Configs are given below: the best of a handful tried, not tuned.
 * Seconds: the median of up to three repeats, each of as many runs as last 100 ms; none begins after 10 s. They depend on what
 * else the machine does: the load when a program began stands beside it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf, isFloat, machineEpsilon, Random } from "@warpfarm/common";
import { compileProgram, decodeProgram } from "@warpfarm/compiler";
import { createTask } from "@warpfarm/templates";
import { Cc, findCc } from "../builder/dist/toolchain/cc.js";
import { CpuDevice } from "../runner/dist/device/cpu/cpu-device.js";
import { defaultThreads, describeCpu } from "../runner/dist/device/cpu/cpu-facts.js";
import { medianOf, table } from "./table.mjs";
import { valueIn } from "./value-in.mjs";

const places = 2500;
const repeats = 3;
const minRepeatMs = 100;
const latestMs = 10_000;
const buildMs = 120_000;
const seed = 20261121;

/**
 * Products that element [..] of a convolution sums: `data` and `kernel` give the position of an operand, undefined in the
 * padding.
 */
const convolution = ({ channels, size, data, kernel }) =>
  function* (place) {
    for (let c = 0; c < channels; c++)
      for (let ry = 0; ry < 3; ry++)
        for (let rx = 0; rx < 3; rx++) {
          const { n, f, y, x } = place;
          const [iy, ix] = [y + ry - 1, x + rx - 1];
          if (iy < 0 || iy >= size || ix < 0 || ix >= size) continue;
          yield [data({ n, c, y: iy, x: ix }), kernel({ f, c, ry, rx })];
        }
  };
const hwio = ({ f, c, ry, rx }) => ((ry * 3 + rx) * 256 + c) * 512 + f;
const nhwcProducts = convolution({
  channels: 256,
  size: 14,
  data: ({ n, c, y, x }) => ((n * 14 + y) * 14 + x) * 256 + c,
  kernel: hwio,
});

/** `axes`: of the output, outermost first. */
const programs = [
  {
    task: "conv2d_nchw_cpu",
    args: [1, 7, 7, 512, 512, 3, 3, [1, 1], [1, 1]],
    flops: 2 * 512 * 49 * 512 * 9,
    axes: [
      ["n", 1],
      ["f", 512],
      ["y", 7],
      ["x", 7],
    ],
    products: convolution({
      channels: 512,
      size: 7,
      data: ({ c, y, x }) => (c * 7 + y) * 7 + x,
      kernel: ({ f, c, ry, rx }) => ((f * 512 + c) * 3 + ry) * 3 + rx,
    }),
    config: { v3: { tile: [2, 1, 7], tile_rc: [-1, 4] }, v4: { tile: [4, 1, 7], tile_rc: [-1, 4] } },
  },
  {
    task: "conv2d_hwcn_cpu",
    args: {},
    flops: 118_380_036_096,
    axes: [
      ["y", 14],
      ["x", 14],
      ["f", 512],
      ["n", 256],
    ],
    products: convolution({
      channels: 256,
      size: 14,
      data: ({ n, c, y, x }) => ((y * 14 + x) * 256 + c) * 256 + n,
      kernel: hwio,
    }),
    config: { v3: { tile: [4, 2], tile_rc: [-1, 1, 4], order: "columns_outside" }, v4: { tile: [4, 4], tile_rc: [-1, 1, 4] } },
  },
  ...["float32", "float16"].map((dtype) => ({
    task: "conv2d_nhwc_cpu",
    args: { dtype },
    flops: 118_380_036_096,
    axes: [
      ["n", 256],
      ["y", 14],
      ["x", 14],
      ["f", 512],
    ],
    products: nhwcProducts,
    config: { v3: { tile: [7, 2], tile_rc: [-1, 1, 4] }, v4: { tile: [14, 2], tile_rc: [-1, 1, 4] } },
  })),
  ...["float32", "float16", "int8"].map((dtype) => ({
    task: "matmul_cpu",
    args: [512, 32, 512, dtype, "NN"],
    flops: 2 * 512 * 32 * 512,
    axes: [
      ["i", 512],
      ["j", 512],
    ],
    products: function* ({ i, j }) {
      for (let k = 0; k < 32; k++) yield [i * 32 + k, k * 512 + j];
    },
    config: { v3: { tile: [4, 2], tile_k: [-1, 4] }, v4: { tile: [4, 4], tile_k: [-1, 4] } },
  })),
];

/** The config with these values, and with the first value of every other knob. */
function indexOf(task, values) {
  const digits = task.space.knobs.map((knob) => {
    const wanted = JSON.stringify(values[knob.name]);
    const found =
      wanted === undefined
        ? 0
        : Array.from({ length: knob.size }, (_, i) => i).find((i) => JSON.stringify(knob.decode(i)) === wanted);
    if (found === undefined) throw new Error(`${task.name} on ${task.target}: ${knob.name} has no ${wanted}`);
    return found;
  });
  return task.space.fromDigits(digits);
}

/** A float16 from its bits, by the definition. */
function half(h) {
  const sign = h & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(h >> 10) & 31, h & 1023];
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
const views = { float32: Float32Array, float16: Uint16Array, int8: Int8Array, int32: Int32Array };
function elements({ spec, memory: { bytes } }) {
  const view = new views[spec.dtype](bytes.buffer, bytes.byteOffset, bytes.byteLength / views[spec.dtype].BYTES_PER_ELEMENT);
  return spec.dtype === "float16" ? (i) => half(view[i]) : (i) => view[i];
}

/** Corners of the output, then places by chance. */
function* placesOf(axes, random) {
  for (let corner = 0; corner < 2 ** axes.length; corner++)
    yield axes.map(([, extent], d) => ((corner >> d) & 1 ? extent - 1 : 0));
  for (let i = 0; i < places; i++) yield axes.map(([, extent]) => random.below(extent));
}

/** The largest difference relative to the runner's tolerance, and the number of elements compared. Throws on a wrong one. */
function check({ axes, products }, output, a, b, magnitudes) {
  const [at, left, right] = [output, a, b].map(elements);
  let [count, worst, largest] = [0, 0, 0];
  for (const place of placesOf(axes, new Random(seed))) {
    let [sum, terms] = [0, 0];
    for (const [i, j] of products(Object.fromEntries(axes.map(([name], d) => [name, place[d]])))) {
      sum += left(i) * right(j);
      terms++;
    }
    const got = at(axes.reduce((flat, [, extent], d) => flat * extent + place[d], 0));
    const { dtype } = output.spec;
    const allowed = isFloat(dtype)
      ? 4 * machineEpsilon(dtype) * (Math.abs(sum) + Math.sqrt(terms) * magnitudes[0] * magnitudes[1])
      : 0;
    const difference = Math.abs(got - sum);
    if (!(difference <= allowed)) throw new Error(`${output.spec.name}[${place}] is ${got}; expected ${sum} within ${allowed}`);
    worst = Math.max(worst, difference);
    largest = Math.max(largest, Math.abs(sum));
    count++;
  }
  if (largest === 0) throw new Error(`${output.spec.name}: every place that was looked at is 0, which shows nothing`);
  return { count, worst };
}

async function build(cc, task, index, directory) {
  const instance = task.instantiate(index);
  if (!instance.ok) throw new Error(instance.error.message);
  const text = compileProgram(valueIn(decodeProgram(instance.value.program.bytes)));
  if (!text.ok) throw new Error(text.error.message);
  const start = performance.now();
  const built = await cc.compile({ text: text.value, target: task.target, directory, timeoutMs: buildMs });
  if (!built.ok) throw new Error(`${built.message}\n${built.log}`);
  const path = join(directory, `${task.name}.so`);
  writeFileSync(path, built.code);
  const { kernels, buffers, notes } = text.value;
  /** @type {import("@warpfarm/common").ArtifactManifest} */
  const manifest = {
    version: 1,
    program: instance.value.program.digest,
    target: task.target,
    format: "so",
    code: digestOf(built.code),
    kernels,
    buffers,
    resources: built.resources,
    toolchain: cc.facts.id,
    notes,
  };
  return { manifest, path, seconds: (performance.now() - start) / 1000 };
}

async function measure(cc, program, level, threads, directory) {
  const task = createTask(program.task, program.args, `cpu/x86-64-${level}`);
  const index = indexOf(task, program.config[level]);
  const load = loadavg()[0].toFixed(1);
  const { manifest, path, seconds: compile } = await build(cc, task, index, directory);
  const device = new CpuDevice();
  const buffers = new Map(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const module = device.load(manifest, path);
  try {
    const all = [...buffers.values()];
    const ins = all.filter(({ spec }) => spec.role === "in");
    const [output] = all.filter(({ spec }) => spec.role === "out");
    const magnitudes = ins.map((buffer, i) => device.fill(buffer, seed, i));
    for (const buffer of all) if (buffer.spec.role !== "in") device.poison(buffer);
    let number = 1;
    device.run(module, buffers, 1);
    const { count, worst } = check(program, output, ins[0], ins[1], magnitudes);
    const costs = [];
    let spent = 0;
    while (costs.length < repeats && (costs.length === 0 || spent < latestMs)) {
      const ms = device.run(module, buffers, number);
      spent += ms;
      if (ms < minRepeatMs) number = Math.max(number + 1, Math.ceil((number * minRepeatMs * 1.1) / ms));
      else costs.push(ms / number / 1000);
    }
    check(program, output, ins[0], ins[1], magnitudes);
    const damaged = device.damaged(all);
    if (damaged.length > 0) throw new Error(`${task.name} wrote outside of ${damaged}`);
    const seconds = medianOf(costs);
    return {
      program: task.name,
      inputs: ins[0].spec.dtype,
      level,
      config: JSON.stringify(program.config[level]).replaceAll('"', ""),
      seconds: seconds.toPrecision(4),
      GFLOPS: (program.flops / seconds / 1e9).toFixed(1),
      runs: costs.length * number,
      "build s": compile.toFixed(1),
      "worst of": `${worst.toExponential(1)} of ${count}`,
      threads,
      load,
    };
  } finally {
    module[Symbol.dispose]();
    for (const buffer of buffers.values()) device.free(buffer);
  }
}

export async function run() {
  const found = await findCc(process.env.PATH ?? "", tmpdir());
  if (found.kind === "missing") throw new Error(found.why);
  const threads = defaultThreads();
  // The environment that the runner gives its children (runner/src/worker/host.ts); it is read when the first kernel is loaded.
  Object.assign(process.env, { OMP_NUM_THREADS: String(threads), OMP_DYNAMIC: "false", GOMP_SPINCOUNT: "2000" });
  const { key, name } = describeCpu(threads).facts;
  const levels = ["v3", "v4"].filter((level) => level <= key.slice("cpu/x86-64-".length));
  console.log(
    `${name}, ${key}, ${threads} threads; ${found.facts.id}${levels.length < 2 ? `; runs ${levels.join(", ") || "no level of these"} only` : ""}`,
  );
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-cpu-programs-"));
  const rows = [];
  try {
    for (const program of programs)
      for (const level of levels) {
        const row = await measure(new Cc(found.facts), program, level, threads, directory);
        console.log(`${row.program} ${row.inputs} ${level}: ${row.seconds} s, ${row.GFLOPS} GFLOPS`);
        rows.push(row);
      }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  if (rows.length > 0) table("programs", rows);
}
