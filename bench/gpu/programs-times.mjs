/**
 * Times of the source programs: the published configs, the best of some hundred trials, and what limits those that miss their
 * target.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTask } from "../../templates/dist/index.js";
import { goalTask, programOf, programs, standardConfig } from "./programs-tasks.mjs";
import { buildLauncher, profile, profileWords, torch } from "./programs-tools.mjs";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { flag, median, outFolder, spread, table, timeFlag } from "./shared/sections.mjs";
import { tuningLogFacts } from "./shared/tuning-log-facts.mjs";

export const us = (seconds) => (seconds === undefined ? "-" : `${(seconds * 1e6).toFixed(seconds < 1e-4 ? 2 : 1)} us`);
const secondsOf = (result) => (result?.kind === "timed" ? median(result.costs) : undefined);
const words = (r) =>
  r === undefined ? "-" : r.kind === "timed" ? us(secondsOf(r)) : `${r.errorNo ?? r.kind} ${r.rule ?? ""}: ${r.message}`;
/** Registers per thread, spilled bytes, shared bytes per block: allocated by the compiler and requested at launch. */
const resourcesOf = ({ resources, kernels }) => ({
  ...resources,
  shared_bytes: (resources.static_shared_bytes ?? 0) + Math.max(...kernels.map((kernel) => kernel.dynamic_shared_bytes)),
});
const resourceWords = ({ registers, spill_bytes, shared_bytes }) =>
  `${registers ?? "?"} / ${spill_bytes ?? "?"} / ${shared_bytes}`;
/** Equal to TVM's time: at most this much of it. */
export const equal = 1.03;

/**
 * TVM's timer: `number` launches between two events. And ours: by graph.
 * @type {Record<"events" | "graph", Partial<import("@warpfarm/common").MeasureOptions>>}
 */
const timers = {
  events: { timer: "events", number: 100, repeat: 3, minRepeatMs: 0, runTimeoutMs: 15_000 },
  graph: { timer: "cuda_graph", number: 0, repeat: 5, minRepeatMs: 100, runTimeoutMs: 15_000 },
};

export async function publishedSection() {
  const target = targetHere();
  const builds = await openBuilds(cores);
  const host = await openHost();
  const kept = [];
  try {
    const building = programs.map(async (program) => {
      const task = createTask(program.name, undefined, target);
      const config = standardConfig(program, task, target);
      if (config === undefined) return { program, problem: "no valid config" };
      const made = task.instantiate(config.index);
      if (!made.ok) return { program, config, problem: made.error.message };
      const [built, reference] = await Promise.all([builds.build(made.value.program), builds.build(task.reference)]);
      const refused = built.refused ?? reference.refused;
      return refused ? { program, config, problem: refused.message } : { program, task, config, built, reference };
    });
    for (const job of building) {
      const { program, config, problem, task, built, reference } = await job;
      const row = { name: program.name, index: config?.index, what: config?.what, problem };
      if (built?.artifact && reference?.artifact) {
        row.flops = task.flops;
        row.resources = resourcesOf(built.artifact.manifest);
        row.compileSeconds = built.compileMs / 1000;
        row.notes = built.artifact.manifest.notes;
        for (const [timer, options] of Object.entries(timers))
          row[timer] = await host.run(built.artifact, reference.artifact, options);
      }
      kept.push(row);
    }
  } finally {
    await host.close();
    await builds.close();
  }
  const rows = kept.map((k) => {
    const { tvmMs } = programOf(k.name);
    const seconds = secondsOf(k.events);
    const ratio = tvmMs === undefined || seconds === undefined ? undefined : (seconds * 1e3) / tvmMs;
    return [
      k.name,
      k.index === undefined ? "-" : `${k.what} ${k.index}`,
      k.problem ?? words(k.events).slice(0, 80),
      words(k.graph).slice(0, 80),
      seconds === undefined ? "-" : (k.flops / seconds / 1e12).toFixed(2),
      tvmMs === undefined ? "-" : `${tvmMs} ms`,
      ratio === undefined ? "-" : `${ratio.toFixed(3)}${ratio <= equal ? "" : " MISS"}`,
      k.resources === undefined ? "-" : resourceWords(k.resources),
      k.compileSeconds?.toFixed(2) ?? "-",
    ];
  });
  table(
    ["published", "config", "by events", "by graph", "TFLOPS", "TVM 0.17", "ratio", "registers / spill / shared", "compile s"],
    rows,
  );
  const library = dry ? { lines: [], error: "dry: no library times" } : await torch(["time"], 45);
  if (library.error !== undefined) console.log(library.error);
  const { versions, times = {} } = library.lines[0] ?? {};
  if (versions !== undefined) {
    table(
      [`torch ${versions.torch}, cuDNN ${versions.cudnn}`, "us by graph", "spread"],
      Object.entries(times).map(([what, t]) => [
        what,
        t.us?.toFixed(2) ?? t.error,
        t.all ? `${(100 * spread(t.all)).toFixed(1)} %` : "-",
      ]),
    );
  }
  return { programs: kept, versions, library: times };
}

/**
 * Runs the command line until it ends, or sends SIGINT after its time; resolves with its code and the JSON that it printed, if
 * any.
 */
function warpfarm(args, seconds) {
  const home = mkdtempSync(join(tmpdir(), "warpfarm-programs-home-"));
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[name] = join(home, name);
    mkdirSync(env[name]);
  }
  const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    const text = { out: "", err: "" };
    child.stdout.on("data", (chunk) => {
      text.out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      text.err += chunk;
    });
    const timer = setTimeout(() => child.kill("SIGINT"), seconds * 1000);
    child.on("close", (code) => {
      clearTimeout(timer);
      const line = text.out.split("\n").find((l) => l.startsWith("{"));
      resolve({ code, report: line === undefined ? undefined : JSON.parse(line), words: text.err.trim().slice(-600) });
    });
  });
}

const trials = 300;
export const tuneSeconds =
  timeFlag("tune-time") ?? Math.max(40, Math.min(70, Math.floor(230 / programs.filter((p) => p.tuned).length)));

/** The best of the trials on the embedded farm; the three best are measured again, one after the other, by both timers. */
export async function tuneSection(program) {
  const onCpu = flag("device") === "cpu";
  if (dry && !onCpu) {
    console.log("dry: no trials; --device=cpu tries some of matmul_cpu");
    return undefined;
  }
  const target = onCpu ? undefined : targetHere();
  const task = onCpu ? undefined : goalTask(program, target);
  const log = join(mkdtempSync(join(tmpdir(), "warpfarm-programs-log-")), "tune.jsonl");
  const small = task !== undefined && task.space.size <= 2 * trials;
  const search = {
    device: onCpu ? "cpu" : "cuda:0",
    ...(task === undefined ? {} : { args: JSON.stringify(task.args) }),
    tuner: small || onCpu ? "random" : "ga",
    trials: onCpu ? 6 : trials,
    seed: 1,
    repeat: 3,
    "min-repeat": "20ms",
    "build-timeout": "20s",
    check: "reference",
    "in-flight": 4 * cores,
    log,
  };
  const flags = Object.entries(search).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const {
    code,
    report,
    words: said,
  } = await warpfarm(["tune", onCpu ? "matmul_cpu" : program.name, ...flags, "--finalists", "0", "--json"], tuneSeconds);
  const text = existsSync(log) ? readFileSync(log, "utf8") : "";
  // One file for all programs, each under its name.
  appendFileSync(join(outFolder, "programs-tune.jsonl"), `# ${program.name}\n${text}`);
  if (!text.includes("\n{")) throw new Error(`tune ended with ${code}: ${said}`);
  const facts = tuningLogFacts(log, report?.wall_seconds);
  const finalists = onCpu ? [] : await again(task, bestThree(log), target);
  const timed = finalists.filter(({ graph }) => graph?.kind === "timed");
  timed.sort((a, b) => secondsOf(a.graph) - secondsOf(b.graph));
  const best = timed[0] && { index: timed[0].index, seconds: secondsOf(timed[0].graph), byEvents: secondsOf(timed[0].events) };
  const goal = program.goal;
  const seconds = best?.seconds ?? facts.best?.seconds;
  const flops = task?.flops ?? report?.best?.gflops * report?.best?.seconds * 1e9;
  const rows = [
    [
      "trials",
      `${facts.trials} of ${search.trials} by ${search.tuner}, exit ${code}, ${facts.timed} timed, space ${task?.space.size ?? "-"}`,
    ],
    [
      "wall",
      `${facts.wallSeconds.toFixed(1)} s, ${facts.candidatesPerSecond.toFixed(2)} candidates/s, device busy ${(100 * facts.busyShare).toFixed(0)} %`,
    ],
    ["best in the log", facts.best ? `index ${facts.best.index}: ${us(facts.best.seconds)}` : "none"],
    ["default schedule", words(facts.default).slice(0, 120)],
    ...finalists.map(({ index, graph, events, resources, entity }, i) => [
      `finalist ${i + 1}`,
      `index ${index}: ${words(graph)} by graph, ${words(events)} by events, registers / spill / shared ${resourceWords(resources)} ${JSON.stringify(entity)}`,
    ]),
    ["best", seconds === undefined ? "none" : `${us(seconds)}, ${(flops / seconds / 1e12).toFixed(2)} TFLOPS`],
    ["target", onCpu ? "-" : `${us(goal)}: ${seconds !== undefined && seconds <= goal ? "met" : "MISS"}`],
  ];
  table([`tune ${program.name}`, ""], rows);
  for (const [kind, { count, examples }] of Object.entries(facts.errors))
    console.log(`error ${kind}: ${count}, for instance #${examples[0].index} ${examples[0].message.slice(0, 160)}`);
  return { ...facts, code, args: task?.args, flops, goal, best: best ?? (onCpu ? undefined : facts.best), finalists };
}

function bestThree(log) {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line))
    .filter(({ warpfarm: trial }) => trial.kind === "timed")
    .sort((a, b) => a.warpfarm.seconds - b.warpfarm.seconds)
    .slice(0, 3)
    .map(({ config }) => config.index);
}

async function again(task, indices, target) {
  if (indices.length === 0) return [];
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const reference = await builds.build(task.reference);
    if (reference.refused) throw new Error(`the reference does not build: ${reference.refused.message}`);
    const built = await Promise.all(indices.map((index) => buildAt(builds, task, index)));
    const found = [];
    for (const [i, artifact] of built.entries()) {
      const entity = Object.fromEntries(task.space.get(indices[i]).values);
      const row = { index: indices[i], entity, target, resources: resourcesOf(artifact.manifest) };
      for (const [timer, options] of Object.entries(timers)) row[timer] = await host.run(artifact, reference.artifact, options);
      found.push(row);
    }
    return found;
  } finally {
    await host.close();
    await builds.close();
  }
}

async function buildAt(builds, task, index) {
  const made = task.instantiate(task.space.toIndex(index));
  if (!made.ok) throw new Error(made.error.message);
  const built = await builds.build(made.value.program);
  if (built.refused) throw new Error(built.refused.message);
  return built.artifact;
}

export const readResults = () => {
  const file = join(outFolder, "programs.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
};

/** Programs that miss their target: { program, what: published or best, index, seconds, wanted }. */
export function missesOf(results) {
  const found = [];
  const published = results.published?.programs ?? [];
  for (const program of programs) {
    const mine = published.find(({ name }) => name === program.name);
    const seconds = secondsOf(mine?.events);
    const other = secondsOf(published.find(({ name }) => name === program.like)?.events);
    const wanted = program.tvmMs !== undefined ? (equal * program.tvmMs) / 1e3 : other !== undefined ? 1.1 * other : undefined;
    if (seconds !== undefined && wanted !== undefined && seconds > wanted)
      found.push({ program: program.name, what: "published", index: mine.index, seconds, wanted });
    const tuned = results[`tune.${program.short}`];
    const best = tuned?.best;
    if (best !== undefined && program.goal !== undefined && best.seconds > program.goal)
      found.push({ program: program.name, what: "best", index: best.index, seconds: best.seconds, wanted: program.goal });
  }
  return found;
}

const ncuSeconds = 48;

/**
 * A profile of each kernel that misses its target; if there are none, of the published schedules. $OUT/programs-ncu.txt gets all
 * metrics.
 */
export async function ncuSection() {
  const begun = performance.now();
  const left = () => ncuSeconds - (performance.now() - begun) / 1000;
  const target = targetHere();
  const misses = missesOf(readResults());
  console.log(misses.length === 0 ? "no miss is known: published schedules are profiled" : `${misses.length} misses`);
  const wanted =
    misses.length > 0
      ? misses
      : programs.flatMap((program) => {
          const index = standardConfig(program, createTask(program.name, undefined, target), target)?.index;
          return index === undefined ? [] : [{ program: program.name, what: "published", index }];
        });
  const builds = await openBuilds(cores);
  const launcher = await buildLauncher();
  const kept = [];
  try {
    const building = wanted.map(async (miss) => {
      const program = programOf(miss.program);
      const task = miss.what === "best" ? goalTask(program, target) : createTask(program.name, undefined, target);
      return { ...miss, artifact: await buildAt(builds, task, miss.index) };
    });
    const all = [];
    for (const one of await Promise.allSettled(building)) {
      if (one.status === "rejected") {
        console.log(`not built: ${one.reason.message.slice(0, 300)}`);
        continue;
      }
      const { artifact, ...miss } = one.value;
      const head = `${miss.program}, ${miss.what} #${miss.index}: ${us(miss.seconds)}, wanted ${us(miss.wanted)}`;
      if (dry || left() < 5) {
        console.log(`${head}: not profiled`);
        continue;
      }
      try {
        const metrics = await profile(launcher, artifact, Math.min(30, left()));
        const lines = profileWords(metrics);
        console.log([head, ...lines].join("\n    "));
        const text = Object.entries(metrics).map(([name, { value, unit }]) => `${name} ${value} ${unit}`);
        all.push(`== ${head}`, ...text, "");
        kept.push({ ...miss, lines });
      } catch (error) {
        console.log(`${head}: ${error.message}`);
      }
    }
    if (all.length > 0) writeFileSync(join(outFolder, "programs-ncu.txt"), `${all.join("\n")}\n`);
  } finally {
    await builds.close();
  }
  return kept;
}
