/**
 * What planning costs: one batch of 64 proposals after 1,000 results, on the tutorial's convolution (10.5 million configs), from
 * tell to the last proposal. Tuners that plan config by config as results come (auto) are asked for 64 at once too. Times without
 * the static check, which any tuner pays for each config it looks at, and the check's own; medians of the plans from 1,000
 * results on, on the clock and of processor time (all threads), which a machine at work for others says less wrongly. Then what
 * the process holds after many results.
 */
import { tuners } from "@warpfarm/client";
import { gpuLimits } from "@warpfarm/compiler";
import { createTask } from "@warpfarm/templates";
import { FeaturePool } from "../client/dist/tuner/features/feature-pool.js";
import { cachedFeatures } from "../client/dist/tuner/features/features.js";
import { xgbTuner } from "../client/dist/tuner/xgb/xgb.js";
import { medianOf, table } from "./table.mjs";

const taskName = "tutorial/conv2d_no_batching";
const target = "cuda/sm_90";
const task = createTask(taskName, undefined, target);
const batchSize = 64;
const results = 1024;
const planCount = 6;
const records = Number(process.env.RECORDS ?? 100_000);

/** Made up: a valley over the knobs' digits. */
const secondsOf = (index) => 1e-5 * (1 + task.space.digits(index).reduce((sum, d, i) => sum + Math.abs(d - 3 * i), 0));
const tellOf = (index) => ({
  index,
  outcome: index % 11 === 0 ? { kind: "failed" } : { kind: "timed", seconds: secondsOf(index) },
});

export async function run() {
  const pool = new FeaturePool();
  const spec = { word: taskName, args: task.args, target };
  const vectors = (kind, threads) =>
    cachedFeatures(task, kind, threads ? { elsewhere: (configs) => pool.extract(spec, kind, configs) } : {});
  const all = { space: task.space, seed: 1, isValid: () => true };
  const planned = { planSize: batchSize };
  const rows = [
    await measure("xgb, knob features", xgbTuner(all, planned)),
    await measure("xgb, itervar features, in threads", xgbTuner({ ...all, features: vectors("itervar", true) }, planned)),
    await measure("xgb, curve features, in threads", xgbTuner({ ...all, features: vectors("curve", true) }, planned)),
    await measure("auto", tuners.auto(all)),
    check(),
  ];
  await pool[Symbol.asyncDispose]();
  table("plans", rows);
  console.log("");
  table("memory", [
    await memory("xgb", xgbTuner(all, planned)),
    await memory("ga", tuners.ga(all)),
    await memory("auto", tuners.auto(all)),
  ]);
}

async function measure(name, tuner) {
  const plans = [];
  for (let told = 0; told < results + planCount * batchSize; told += batchSize) {
    const begun = performance.now();
    const spent = process.cpuUsage();
    await tuner.prepare?.();
    const prepared = performance.now();
    const batch = tuner.ask(batchSize);
    const plan = performance.now() - prepared;
    const { user, system } = process.cpuUsage(spent);
    if (told >= results - batchSize) plans.push({ extract: prepared - begun, plan, processor: (user + system) / 1000 });
    tuner.tell(batch.map(tellOf));
  }
  const median = (key) => medianOf(plans.map((plan) => plan[key]));
  return {
    "64 proposals after 1,000 results": name,
    "vectors and draft, ms": tuner.prepare ? median("extract").toFixed(0) : "-",
    "proposals, ms": median("plan").toFixed(0),
    "together, ms": (median("extract") + median("plan")).toFixed(0),
    "processor, ms": median("processor").toFixed(0),
  };
}

/** The static check of 64 configs that pass, drawn at random. */
function check() {
  const limits = gpuLimits(target);
  const tuner = tuners.random({ space: task.space, seed: 1, isValid: (index) => task.validate(index, limits).length === 0 });
  tuner.ask(batchSize);
  const times = Array.from({ length: planCount }, () => {
    const begun = performance.now();
    const spent = process.cpuUsage();
    tuner.ask(batchSize);
    const { user, system } = process.cpuUsage(spent);
    return { wall: performance.now() - begun, processor: (user + system) / 1000 };
  });
  const ms = medianOf(times.map(({ wall }) => wall)).toFixed(0);
  return {
    "64 proposals after 1,000 results": "the static check beside it",
    "vectors and draft, ms": "-",
    "proposals, ms": ms,
    "together, ms": ms,
    "processor, ms": medianOf(times.map(({ processor }) => processor)).toFixed(0),
  };
}

/** Results from elsewhere, as a resumed log brings them; then one plan. */
async function memory(name, tuner) {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const step = Math.floor(task.space.size / records);
  for (let from = 0; from < records; from += 1000)
    tuner.tell(Array.from({ length: 1000 }, (_, i) => tellOf(task.space.toIndex((from + i) * step))));
  const begun = performance.now();
  await tuner.prepare?.();
  tuner.ask(batchSize);
  return {
    [`after ${records} results`]: name,
    "MiB more": ((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0),
    "64 proposals, ms": (performance.now() - begun).toFixed(0),
  };
}
