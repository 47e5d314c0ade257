/**
 * The proof of the search on a GPU: `npm run build && node bench/gpu/search.mjs`. All runs share one record store
 * (search-store.mjs), so a config is measured once; six searches go on at a time, which keeps every builder busy. Phases, in this
 * order:
 *
 *   conv       the tutorial's convolution: auto and xgb 5 seeds x 300 trials, random and ga 3 seeds x 300
 *   tensor     tensor-core convolution and test_gemm: auto and random, 2 seeds x 200
 *   transfer   a log of 200 trials of another shape, then xgb on the tutorial's shape with it, 3 seeds x 100
 *   long       auto, 1,000 trials
 *   again      the ten best of each task, measured long
 *
 * It ends within --budget (535s), and --resume --from=DIR goes on from what an earlier call left in $OUT: search-store.jsonl and
 * search-runs.jsonl. Runs that were cut off begin again and get their rows from the store. The folder
 * bench/gpu/h100/ is such a one (H100s 80GB HBM3, 2026-11-21 and 22; packed by gzip): what earlier runs measured there serves new
 * tuners.
 * Options: --only=conv,again  --tuners=xgb (only their searches)  --searches=N at a time  --trials=SHARE of all trials (0.1: a
 *                             tenth)
 * --report (nothing but the report)  --dry (no GPU: device times are made up)  --scripted (with --dry: no builds either).
 */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { usesRecords } from "../../client/dist/tuner/index.js";
import { createTask } from "../../templates/dist/index.js";
import { report } from "./search-report.mjs";
import { openMeasurements, outcomeOf, Store } from "./search-store.mjs";
import { cores, targetHere } from "./shared/device-host.mjs";
import { flag, outFolder, timeFlag } from "./shared/sections.mjs";

const begun = performance.now();
const budget = timeFlag("budget") ?? 535;
const secondsLeft = () => budget - (performance.now() - begun) / 1000;
const reserve = 12;
const scale = Number(flag("trials") ?? 1);
const searches = Number(flag("searches") ?? 6);
const inFlight = 16;

mkdirSync(outFolder, { recursive: true });
const inOut = (name) => join(outFolder, name);
const folder = flag("from");
const from = folder === undefined ? undefined : resolve(folder);
const resume = process.argv.includes("--resume") || process.argv.includes("--report");
for (const name of ["search-store.jsonl", "search-runs.jsonl"]) {
  const before = from && join(from, name);
  if (resume && before && before !== inOut(name) && existsSync(before)) copyFileSync(before, inOut(name));
  else if (resume && before && existsSync(`${before}.gz`)) writeFileSync(inOut(name), gunzipSync(readFileSync(`${before}.gz`)));
  else if (!resume && existsSync(inOut(name))) writeFileSync(inOut(name), "");
}
const store = new Store(inOut("search-store.jsonl"));
const readLines = (file) =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((l) => l.endsWith("}"))
    : [];
const finished = readLines(inOut("search-runs.jsonl")).map((line) => JSON.parse(line));

const target = targetHere();
const conv = "tutorial/conv2d_no_batching";
const otherShape = [1, 14, 14, 256, 256, 3, 3, [1, 1], [1, 1]];
const tasks = {
  conv: { taskName: conv },
  wmma: { taskName: "conv2d_nhwcnc_wmma" },
  gemm: { taskName: "tutorial/auto_tensorcore/test_gemm" },
  other: { taskName: conv, args: otherShape },
};
const opened = new Map();
const taskOf = (key) => {
  if (!opened.has(key)) opened.set(key, createTask(tasks[key].taskName, tasks[key].args, target));
  return opened.get(key);
};

const runsOf = (phase, task, seeds, trials, tuners, more = {}) =>
  Array.from({ length: seeds }, (_, i) =>
    tuners.map((tuner) => ({ phase, task, tuner, seed: i + 1, trials: Math.max(4, Math.round(trials * scale)), ...more })),
  ).flat();
const phases = {
  conv: () => [
    ...runsOf("conv", "conv", 3, 300, ["auto", "xgb", "random", "ga"]),
    ...runsOf("conv", "conv", 5, 300, ["auto", "xgb"]).filter(({ seed }) => seed > 3),
  ],
  tensor: () => [
    ...runsOf("tensor", "wmma", 2, 200, ["auto", "random"]),
    ...runsOf("tensor", "gemm", 2, 200, ["auto", "random"]),
  ],
  other: () => runsOf("transfer", "other", 1, 200, ["auto"]),
  transfer: () => runsOf("transfer", "conv", 3, 100, [...usesRecords], { transfer: "other" }),
  long: () => runsOf("long", "conv", 1, 1000, ["auto"]),
};
const nameOf = ({ phase, task, tuner, seed, trials, transfer }) =>
  `${phase} ${task} ${tuner}${transfer ? ` after ${transfer}` : ""} seed ${seed} x ${trials}`;

function search(run, measurements) {
  const { task, transfer } = run;
  const thread = new Worker(new URL("./search-thread.mjs", import.meta.url), {
    workerData: {
      ...tasks[task],
      target,
      tuner: run.tuner,
      seed: run.seed,
      trials: run.trials,
      inFlight: inFlight,
      known: store.of(task).map((row) => [row.index, outcomeOf(row)]),
      ...(transfer ? { transfer: { ...tasks[transfer], rows: store.of(transfer).map((r) => [r.index, outcomeOf(r)]) } } : {}),
    },
  });
  const start = performance.now();
  return new Promise((done) => {
    const end = (ended) => {
      clearTimeout(late);
      thread.terminate().then(() => done(ended));
    };
    const late = setTimeout(() => end(false), Math.max(0, secondsLeft() - reserve) * 1000);
    thread.on("error", (error) => {
      console.log(`${nameOf(run)}: FAILED: ${error.stack}`);
      process.exitCode = 1;
      end(false);
    });
    thread.on("message", (message) => {
      if (message.kind === "measure") {
        measurements.measure(task, taskOf(task), message.index).then(
          (row) => thread.postMessage({ index: message.index, outcome: outcomeOf(row) }),
          (error) => secondsLeft() > reserve && thread.emit("error", error),
        );
        return;
      }
      const { kind: _kind, ...facts } = message;
      const line = { ...run, inFlight: inFlight, cores, seconds: (performance.now() - start) / 1000, ...facts };
      finished.push(line);
      appendFileSync(inOut("search-runs.jsonl"), `${JSON.stringify(line)}\n`);
      console.log(
        `${nameOf(run)}: ${line.seconds.toFixed(0)} s; ${measurements.measured} measured, ${secondsLeft().toFixed(0)} s left`,
      );
      end(true);
    });
  });
}

async function searchAll(runs, measurements) {
  const isDone = (run) => finished.some((done) => nameOf(done) === nameOf(run));
  const left = runs.filter((run) => !isDone(run));
  const lane = async () => {
    for (let run = left.shift(); run; run = left.shift()) {
      if (secondsLeft() < reserve + 3) return;
      await search(run, measurements);
    }
  };
  await Promise.all(Array.from({ length: searches }, lane));
  return runs.every(isDone);
}

async function again(measurements) {
  let all = true;
  for (const key of new Set(finished.map(({ task }) => task))) {
    const best = store
      .of(key)
      .filter((row) => row.kind === "timed")
      .sort((a, b) => a.seconds - b.seconds)
      .slice(0, 10);
    const measuring = Promise.all(best.map((row) => measurements.measure(key, taskOf(key), row.index, true)));
    const inTime = await Promise.race([measuring.then(() => true), after(Math.max(0, secondsLeft() - reserve))]);
    all &&= inTime;
  }
  return all;
}
const after = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000, false).unref());

const only = flag("only")?.split(",");
const wants = (phase) => !process.argv.includes("--report") && (only === undefined || only.includes(phase));
const tunersWanted = flag("tuners")?.split(",");
const isWanted = (tuner) => tunersWanted === undefined || tunersWanted.includes(tuner);
const runsWanted = (phase) => phases[phase]().filter(({ tuner }) => isWanted(tuner));
const missing = [];
const note = (phase, whole) => {
  if (!whole) missing.push(phase);
};
const searched = ["conv", "tensor", "transfer", "long"];
if ([...searched, "again"].some(wants)) {
  const measurements = await openMeasurements(store);
  for (const phase of searched) {
    if (!wants(phase)) continue;
    if (phase === "transfer" && !(await searchAll(phases.other(), measurements))) note("transfer", false);
    else note(phase, await searchAll(runsWanted(phase), measurements));
  }
  if (wants("again")) note("again", await again(measurements));
  console.log(`${measurements.measured} configs measured in this call, ${store.size} in the store`);
  // Builds that time cut off may still write where they are to be removed; nothing of theirs is needed any more.
  await Promise.race([measurements.close().catch((error) => console.log(`closing: ${error.message}`)), after(reserve / 2)]);
}
report({ finished, store, taskOf });
console.log(
  `\n${((performance.now() - begun) / 1000).toFixed(0)} s${missing.length > 0 ? `; NOT WHOLE: ${missing.join(", ")}; go on with --resume` : ""}`,
);
if (missing.length > 0) process.exitCode = 1;
process.exit();
