/**
 * Section spread of the proof: ten kernels from 2 us to 5 ms, 20 times each; the same by a C program with a CUDA graph and by
 * Nsight Compute; and how much each varies while graph, code and buffers stay where they are, and when they move.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Random } from "../../common/dist/index.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { createTask } from "../../templates/dist/index.js";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { compileText, cudaToolchain, tensor } from "./shared/kernels.mjs";
import { placesOf } from "./shared/places.mjs";
import { scratch, taskName, words } from "./shared/proof-facts.mjs";
import { median, percent, spread, table } from "./shared/sections.mjs";

const clockSource = fileURLToPath(new URL("clock.c", import.meta.url));
/** Below, the way to the first block, which Nsight Compute counts, is too large a share. */
const ncuFromUs = 128;

/** A grid that keeps the GPU busy for about as long as LOOPS says: dependent multiply-adds, one store. */
const blocks = 264;
const work = (loops) => `extern "C" __global__ void __launch_bounds__(256) kernel(const float *x, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < ${loops}; ++k) v = fmaf(v, 0.999f, 0.001f);
  y[i] = v;
}
`;
const workBuffers = [tensor("x", "in", "float32", [blocks * 256]), tensor("y", "out", "float32", [blocks * 256])];
/** Loops of `work`; about 2 ns each on an H100. */
const workLoops = [405, 12_000, 2_400_000];

/** Random configs that build fast, over layers of several sizes: kernels from a few microseconds to some milliseconds. */
async function templateKernels(target, builds) {
  const random = new Random(3);
  const jobs = [];
  for (const [channels, height] of [
    [32, 7],
    [64, 14],
    [128, 14],
    [512, 7],
    [512, 14],
  ]) {
    const task = createTask(taskName, { H: height, W: height, CO: channels, CI: channels }, target);
    const limits = gpuLimits(target);
    const reference = builds.build(task.reference);
    const perStep = task.space.size / 6;
    for (let found = 0, tries = 0; found < (dry ? 1 : 5) && tries < 500; tries++) {
      const index = task.space.toIndex(random.below(perStep));
      if (task.validate(index, limits).length > 0) continue;
      const made = task.instantiate(index);
      if (!made.ok) continue;
      found++;
      jobs.push(
        Promise.all([builds.build(made.value.program, 15_000), reference]).then(([built, ref]) =>
          built.artifact && ref.artifact
            ? { name: `conv ${channels}x${height}x${height} #${index}`, artifact: built.artifact, reference: ref.artifact }
            : undefined,
        ),
      );
    }
  }
  return (await Promise.all(jobs)).filter((kernel) => kernel !== undefined);
}

/** Ten kernels, measured in rounds: `values` microseconds of each round, `within` the spread of its repeats. */
async function measuredTen() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const found = await templateKernels(target, builds);
    const shape = { grid: [blocks, 1, 1], block: [256, 1, 1] };
    for (const loops of workLoops) {
      const artifact = await compileText(toolchain, work(loops), target, workBuffers, shape);
      found.push({ name: `multiply-adds ${loops}`, artifact, reference: artifact, synthetic: true });
    }
    for (const kernel of found) {
      const first = await host.run(kernel.artifact, kernel.reference, { repeat: 1, minRepeatMs: 5, runTimeoutMs: 2000 });
      kernel.seconds = first.kind === "timed" ? first.costs[0] : undefined;
      if (first.kind !== "timed") console.log(`${kernel.name}: ${words(first)}`);
    }
    const chosen = chooseTen(found.filter((kernel) => kernel.seconds !== undefined));
    for (const kernel of chosen) Object.assign(kernel, { values: [], within: [] });
    for (let round = 0; round < (dry ? 2 : 20); round++)
      for (const kernel of chosen) {
        const result = await host.run(kernel.artifact, kernel.reference, { repeat: 3, minRepeatMs: 30 });
        if (result.kind !== "timed") throw new Error(`${kernel.name}: ${words(result)}`);
        kernel.values.push(median(result.costs) * 1e6);
        kernel.within.push(spread(result.costs));
        kernel.observed = result.observations;
      }
    return chosen;
  } finally {
    await host.close();
    await builds.close();
  }
}

export async function spreadSection() {
  const chosen = await measuredTen();
  let places = [];
  try {
    if (!dry) places = placesOf(new CudaDevice(openedDriver(), 0), chosen);
  } catch (error) {
    console.log(`where times vary was not measured: ${error.message}`);
  }
  const others = otherTimers(chosen.map(({ artifact }) => artifact));
  const rows = [];
  const kept = chosen.map(({ name, values, within, observed }, i) => {
    const mid = median(values);
    const c = others.c?.[i].map(median);
    const ncu = others.ncu?.[i];
    const shown = (x) => (x === undefined ? "-" : percent(x));
    rows.push([
      name,
      mid.toFixed(3),
      percent(spread(values)),
      percent(median(within)),
      ...["same", "graph", "module", "buffers"].map((what) => shown(places[i]?.[what].spread)),
      c === undefined ? "-" : median(c).toFixed(3),
      c === undefined ? "-" : percent(spread(c)),
      c === undefined ? "-" : (mid / median(c)).toFixed(4),
      ncu === undefined ? "-" : median(ncu).toFixed(3),
      ncu === undefined || mid < ncuFromUs ? "-" : (mid / median(ncu)).toFixed(4),
    ]);
    return { name, median: mid, spread: spread(values), values, within, places: places[i], c, ncu, observed };
  });
  table(
    [
      "kernel",
      "us",
      "of 20",
      "in one",
      "same",
      "graph",
      "module",
      "buffers",
      "C graph us",
      "of 8 loads",
      "ratio",
      "ncu us",
      "ratio",
    ],
    rows,
  );
  console.log(
    "of 20: spread of 20 measurements; in one: of the repeats of one. same, graph, module, buffers: of 8 batches with nothing made anew, a new graph, new code, new buffers each",
  );
  console.log(`ncu counts the way to the first block as well, about 1.2 us a launch: compared from ${ncuFromUs} us on`);
  for (const note of others.notes) console.log(note);
  return { kernels: kept, notes: others.notes };
}

function openedDriver() {
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Ten of them whose times are about evenly apart on a logarithmic scale from 2 us to 5 ms. */
function chooseTen(kernels) {
  const left = [...kernels];
  const chosen = [];
  for (let i = 0; i < 10 && left.length > 0; i++) {
    const wanted = Math.log(2e-6) + (i * Math.log(2500)) / 9;
    left.sort((a, b) => Math.abs(Math.log(a.seconds) - wanted) - Math.abs(Math.log(b.seconds) - wanted));
    chosen.push(left.shift());
  }
  return chosen.sort((a, b) => a.seconds - b.seconds);
}

/** The C program's and Nsight Compute's times of the same cubins; what could not be had is a note. */
function otherTimers(artifacts) {
  const notes = [];
  const specs = join(scratch, "specs");
  writeFileSync(
    specs,
    artifacts
      .map(({ manifest, codePath }) => {
        const [kernel] = manifest.kernels;
        const bytes = kernel.args.map((arg) => manifest.buffers.find((b) => b.name === arg).bytes);
        return [codePath, kernel.name, ...kernel.grid, ...kernel.block, kernel.dynamic_shared_bytes, bytes.length, ...bytes].join(
          " ",
        );
      })
      .join("\n")
      .concat("\n"),
  );
  if (artifacts.some(({ manifest }) => manifest.kernels.length !== 1))
    notes.push("a program has several kernels: ratios are wrong");
  const clock = join(scratch, "clock");
  const attempt = (what, work) => {
    try {
      return work();
    } catch (error) {
      notes.push(
        `${what}: ${String(error.stderr ?? error.message ?? error)
          .trim()
          .slice(0, 400)}`,
      );
      return undefined;
    }
  };
  const includes = ["/usr/local/cuda/include", "/usr/local/cuda/targets/x86_64-linux/include"].map((folder) => `-I${folder}`);
  const compile = (cc, flags) =>
    execFileSync(cc, [...flags, "-O2", ...includes, clockSource, "-o", clock, "-ldl"], { stdio: "pipe" });
  const built =
    attempt("cc", () => compile("cc", [])) ??
    attempt("gcc", () => compile("gcc", [])) ??
    attempt("nvcc", () => compile("nvcc", []));
  if (built === undefined) return { notes };
  const say = (file, args) => execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  const c = attempt("clock", () =>
    say(clock, [specs])
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).us),
  );
  const N = 10;
  const ncu = attempt("ncu", () => {
    const args = [
      "--set",
      "none",
      "--metrics",
      "gpu__time_duration.sum",
      "--clock-control",
      "none",
      "--cache-control",
      "none",
      "--csv",
    ];
    return perKernel(ncuMicroseconds(say("ncu", [...args, clock, specs, "plain", String(N)])), N + 1, artifacts.length);
  });
  return { c, ncu, notes };
}

/** gpu__time_duration.sum of each launch, from ncu's CSV. */
function ncuMicroseconds(csv) {
  const toUs = { ns: 1e-3, nsecond: 1e-3, us: 1, usecond: 1, ms: 1e3, msecond: 1e3, s: 1e6, second: 1e6 };
  return csv
    .split("\n")
    .filter((line) => line.includes('"gpu__time_duration.sum"'))
    .map((line) => {
      const [, unit, value] = /"gpu__time_duration\.sum","(\w+)","([\d.,]+)"/.exec(line) ?? [];
      if (!(unit in toUs)) throw new Error(`ncu's line is not understood: ${line}`);
      return Number(value.replaceAll(",", "")) * toUs[unit];
    });
}
/** In launch order, the first of each kernel left out. */
function perKernel(values, each, kernels) {
  if (values.length !== each * kernels) throw new Error(`ncu saw ${values.length} launches, not ${each * kernels}`);
  return Array.from({ length: kernels }, (_, k) => values.slice(k * each + 1, (k + 1) * each));
}
