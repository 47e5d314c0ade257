/**
 * Computations without schedules on a GPU, beside PyTorch: each is searched, `side` of them at a time on one embedded farm, whose
 * builds go on while its device measures one kernel after the other. Their operators are timed eagerly and compiled, by CUDA
 * graphs, on the same GPU.
 *
 *   npm run build && node bench/gpu/derived.mjs [--sizes large|attention] [--trials 40] [--side 4]
 *       [--only searches,eager,compiled] [--budget 530s] [--resume] [--python FILE] [--names a,b] [--device cpu] [--dry]
 *
 * With --sizes attention the searches are of attention_tma, one kernel, which is compared with scaled_dot_product_attention.
 * The section `hand`, which runs where --only names it, compares the templates of operators with the schedules that are derived
 * for the same shapes: hand.mjs.
 *
 * Results are kept in $OUT (or ./out) computation by computation; with --resume what is there is not measured again. Writes
 * bench/results/gpu-derived.json, or gpu-derived-SIZES.json. `start` is the time of the config that no measurement chose; `copy`
 * that of a copy which reads and writes as many bytes. --dry derives the spaces and measures nothing.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { defineTemplate, measure, openFarm, openSearch } from "../../index.js";
import { createTask } from "../../templates/dist/index.js";
import { geometricMean } from "../results.mjs";
import { attention, cases, large } from "./derived-cases.mjs";
import { handCases, handRows, handSpaces, searchedByHand } from "./hand.mjs";
import { flag, median, runSections, table } from "./shared/sections.mjs";

const sizes = flag("sizes");
const isLarge = sizes === "large";
const isAttention = sizes === "attention";
/** @type {Readonly<Record<string, any>>} */
const all = isAttention ? attention : isLarge ? large : cases;
const caseCount = Object.keys(all).length;
const names = flag("names")?.split(",") ?? Object.keys(all);
const trials = Number(flag("trials") ?? (isLarge ? 24 : 40));
const side = Number(flag("side") ?? 4);
const python = flag("python") ?? "python3";
const device = flag("device") ?? "cuda";
const script = fileURLToPath(new URL("derived.py", import.meta.url));
const options = { repeat: 5 };
/** Seconds of each part of a call. */
const handSeconds = device === "cpu" ? 380 : 500;
const whole = isLarge ? [230, 60, 200] : isAttention ? [70, 20, 70] : [180, 30, 240];
const [searchSeconds, eagerSeconds, compiledSeconds] = whole.map(
  (seconds) => 20 + Math.ceil((seconds * names.length) / caseCount),
);
const parts = { searches: searchSeconds, eager: eagerSeconds, compiled: compiledSeconds };

/**
 * Arguments of a template, or a graph.
 * @returns {{ task: any, args?: any }}
 */
const askedOf = (name) => (isAttention ? { task: "attention_tma", args: all[name] } : { task: taskOf(name) });
const taskOf = (name) =>
  defineTemplate({ name: `derived_${name}`, summary: name, targets: ["cuda", "cpu"], args: {}, graph: all[name] });

/** Microseconds of the fastest and of the start, and how many trials there were, ran, and were wrong. */
async function searched(farm, name, signal) {
  /** @type {any} */
  const what = askedOf(name);
  // A template's starts are the first trials; that of a computation without a template is measured apart.
  const start = isAttention ? "farm" : "none";
  /** @type {any} */
  const asked = { ...what, tuner: "auto", seed: 1, start, budget: { trials }, finalists: { count: 0 }, measure: options };
  /** @type {any} */
  const found = { trials: 0, ran: 0, wrong: 0 };
  const search = await openSearch(farm, asked, { signal });
  try {
    if (isAttention) {
      await followed(search, found);
      return found;
    }
    const { space, starts } = what.task.open(undefined, String(search.spec.target));
    found.configs = space.valid.count;
    const config = Object.fromEntries(space.get(starts.configs[0]).values);
    const begun = measure(farm, { task: what.task, config, measure: options }, { signal }).catch(() => undefined);
    await followed(search, found);
    const alone = await begun;
    if (alone?.kind === "timed") found.start = median(alone.costs) * 1e6;
    // The start is a config of the space, whether the search took it or not.
    if (found.start !== undefined) found.best = Math.min(found.best ?? Number.POSITIVE_INFINITY, found.start);
    return found;
  } finally {
    await search[Symbol.asyncDispose]();
  }
}

/** Counts in `found` what the search tells. */
async function followed(search, found) {
  try {
    for await (const event of search) {
      if (event.kind !== "trial") continue;
      const { result } = event.trial;
      found.trials++;
      if (result.kind === "timed") {
        found.ran++;
        found.best = Math.min(found.best ?? Number.POSITIVE_INFINITY, median(result.costs) * 1e6);
      } else if (result.kind === "slower") found.ran++;
      else if (result.errorNo === 5) found.wrong++;
      else found.failed ??= String(result.message).slice(0, 200);
    }
  } catch (error) {
    // What it found before its time was up counts.
    found.why = String(error.message).slice(0, 200);
  }
}

/** All computations, `side` at a time. One that fails or is cut off says why and costs no other. */
async function searches(keep, before) {
  const found = { ...before };
  // With --resume those that were cut off are searched again.
  const left = names.filter((name) => found[name] === undefined || found[name].why !== undefined);
  const signal = AbortSignal.timeout((parts.searches - 20) * 1000);
  const farm = await openFarm({ device });
  const next = async () => {
    for (let name = left.shift(); name !== undefined && !signal.aborted; name = left.shift()) {
      found[name] = await searched(farm, name, signal).catch((error) => ({ why: String(error.message).slice(0, 200) }));
      console.log(`${name}: ${JSON.stringify(found[name])}`);
      keep(found);
    }
  };
  try {
    await Promise.all(Array.from({ length: side }, next));
  } finally {
    await farm[Symbol.asyncDispose]();
  }
  const open = names.filter((name) => found[name] === undefined || found[name].why !== undefined);
  if (open.length > 0) throw new Error(`not whole: ${open.join(", ")}`);
  return found;
}

/** A compilation that takes longer is given up. */
const mostSeconds = 60;

/**
 * What derived.py says of each operator, as it comes. One that is not done in its time, or that ends the process, says why and
 * costs no other.
 */
async function library(what, seconds, keep, before) {
  const found = { ...before };
  const endsAt = performance.now() + seconds * 1000;
  const missing = () => names.filter((name) => !(name in found));
  for (let left = missing(); left.length > 0 && performance.now() < endsAt; left = missing()) {
    const child = spawn(python, [script, what, ...left], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((done) => child.on("close", done).on("error", done));
    const limit = Math.min(mostSeconds * 1000, endsAt - performance.now());
    const late = setTimeout(() => child.kill("SIGKILL"), limit);
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("{")) continue;
      const { name, ...row } = JSON.parse(line);
      found[name] = row;
      keep(found);
      late.refresh();
    }
    clearTimeout(late);
    await ended;
    const [stuck] = left.filter((name) => !(name in found));
    if (stuck !== undefined && limit === mostSeconds * 1000) found[stuck] = { why: `not done in ${mostSeconds} s, or it failed` };
  }
  keep(found);
  if (missing().length > 0) throw new Error(`not timed: ${missing().join(", ")}`);
  return found;
}

if (process.argv.includes("--dry") && flag("only") === "hand") {
  const target = device === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90a";
  const rows = Object.entries(handCases[device]).map(([name, of]) => [name, ...handSpaces(of, target)]);
  table(["shape", "template", "configs", "derived configs"], rows);
  process.exit(0);
}
if (process.argv.includes("--dry")) {
  const target = device === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90a";
  const rows = names.map((name) => {
    if (isAttention) return [name, createTask("attention_tma", all[name], target).space.valid.count, 4, "attention_tma"];
    const { space, derived } = taskOf(name).open(undefined, target);
    const rules = new Set(derived?.explained.filter(({ rule }) => rule !== "inline").map(({ rule }) => rule));
    return [name, space.valid.count, space.knobs.length, [...rules].join(", ")];
  });
  table(["computation", "configs", "knobs", "rules"], rows);
  process.exit(0);
}

/** Each case, one after the other. On a GPU both searches of a case go on at once: their kernels have turns on the device. */
async function hands(keep, before) {
  const found = { ...before };
  const signal = AbortSignal.timeout((handSeconds - 20) * 1000);
  const farm = await openFarm({ device });
  try {
    for (const [name, of] of Object.entries(handCases[device] ?? {})) {
      if (signal.aborted || found[name]?.ratio !== undefined || (flag("names") && !names.includes(name))) continue;
      const how = { trials, atOnce: device !== "cpu" };
      found[name] = await searchedByHand(farm, of, how, signal).catch((error) => ({ why: String(error.message).slice(0, 200) }));
      console.log(`${name}: ${JSON.stringify(found[name])}`);
      keep(found);
    }
  } finally {
    await farm[Symbol.asyncDispose]();
  }
  const open = Object.keys(handCases[device] ?? {}).filter((name) => found[name]?.ratio === undefined);
  if (open.length > 0) throw new Error(`not whole: ${open.join(", ")}`);
  return found;
}

const ratio = (a, b) => (a === undefined || b === undefined ? "" : (a / b).toFixed(2));
const us = (time) => time?.toFixed(2) ?? "";

if (flag("only") === "hand") {
  await runSections(
    fileURLToPath(import.meta.url),
    "hand",
    { hand: { seconds: handSeconds, run: hands } },
    {
      budget: 530,
      gpu: device !== "cpu",
      last: ({ hand = {} }) =>
        table(["shape", "template", "hand us", "derived us", "derived/hand", "middle half", "wins", "ran"], handRows(hand)),
    },
  );
  process.exit();
}

await runSections(
  fileURLToPath(import.meta.url),
  sizes === undefined ? "derived" : `derived-${sizes}`,
  {
    searches: { seconds: parts.searches, run: searches },
    eager: { seconds: parts.eager, run: (keep, before) => library("eager", parts.eager - 5, keep, before) },
    compiled: { seconds: parts.compiled, run: (keep, before) => library("compiled", parts.compiled - 5, keep, before) },
  },
  {
    budget: 530,
    last({ searches: ours = {}, eager: theirs = {}, compiled = {} }) {
      const rows = names.map((name) => ({ name, ...ours[name], ...theirs[name], compiled: compiled[name]?.compiled }));
      table(
        ["computation", "us", "best/start", "eager us", "compiled us", "eager/us", "compiled/us", "copy/us", "ran", "wrong"],
        rows.map(({ name, best, start, eager, compiled: made, copy, ran, trials: tried, wrong, why }) => [
          ...[name, us(best), ratio(best, start), us(eager), us(made), ratio(eager, best), ratio(made, best)],
          ...[ratio(copy, best), why === undefined ? `${ran ?? ""}/${tried ?? ""}` : why.slice(0, 40), wrong ?? ""],
        ]),
      );
      for (const other of ["eager", "compiled", "start", "copy"]) {
        const known = rows.filter((row) => row.best && row[other]).map((row) => row[other] / row.best);
        if (known.length > 0)
          console.log(
            `geometric mean of ${other}/derived over ${known.length}: ${geometricMean(known).toFixed(2)}, least ${Math.min(...known).toFixed(2)}`,
          );
      }
    },
  },
);
