/**
 * The record store of search.mjs: a JSON line for each config that was ever measured, { task, index, kind, seconds, buildMs,
 * runMs, ... }. A config is measured once, whoever asks for it; whoever asks again, in this run of the script or a later one,
 * gets the line. Faults of the node are not kept.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { cores, dry, openBuilds, openHost } from "./shared/device-host.mjs";
import { median } from "./shared/sections.mjs";

/** As the proof asks; builds and runs end where AutoTVM ended them. */
const measureOptions = { repeat: 2, minRepeatMs: 10, runTimeoutMs: 4000 };
const buildTimeoutMs = 10_000;
const longOptions = { repeat: 5, minRepeatMs: 200, runTimeoutMs: 10_000 };
/** With --scripted nothing is built or run: times are made up. */
const scripted = process.argv.includes("--scripted");

export class Store {
  #file;
  #rows = new Map();

  constructor(file) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    for (const line of text.split("\n")) {
      if (!line.startsWith("{") || !line.endsWith("}")) continue;
      const row = JSON.parse(line);
      this.#rows.set(keyOf(row.task, row.index, row.long), row);
    }
    writeFileSync(file, [...this.#rows.values()].map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  get size() {
    return this.#rows.size;
  }
  get(task, index, long = false) {
    return this.#rows.get(keyOf(task, index, long));
  }
  add(row) {
    this.#rows.set(keyOf(row.task, row.index, row.long), row);
    appendFileSync(this.#file, `${JSON.stringify(row)}\n`);
  }
  of(task, long = false) {
    return [...this.#rows.values()].filter((row) => row.task === task && (row.long ?? false) === long);
  }
}
const keyOf = (task, index, long) => `${task} ${index}${long ? " long" : ""}`;

export const outcomeOf = (row) => (row.kind === "timed" ? { kind: "timed", seconds: row.seconds } : { kind: row.kind });

/**
 * Builds on all cores, runs one after the other in the order in which builds end. `measure(name, task, index)` resolves with the
 * row, from the store if it is there; `close()` drops running work.
 */
export async function openMeasurements(store) {
  const real = scripted ? undefined : { builds: await openBuilds(cores), host: await openHost() };
  const asked = new Map();
  const references = new Map();
  /** @type {Promise<unknown>} */
  let runs = Promise.resolve();
  let measured = 0;
  /** @type {<T>(job: () => Promise<T>) => Promise<T>} */
  const inTurn = (job) => {
    const done = runs.then(job);
    runs = done.catch(() => {});
    return done;
  };
  const referenceOf = (builds, name, task) => {
    if (!references.has(name)) references.set(name, builds.build(task.reference, 60_000));
    return references.get(name);
  };

  async function fresh(name, task, index, long) {
    const row = { task: name, index, ...(long ? { long } : {}) };
    const made = task.instantiate(task.space.toIndex(index));
    if (!made.ok) return { ...row, kind: "failed", errorNo: 1, rule: made.error.rule, message: made.error.message };
    if (real === undefined) return { ...row, ...madeUp(task, index) };
    const { builds, host } = real;
    const built = await builds.build(made.value.program, buildTimeoutMs);
    const buildMs = built.compileMs ?? built.ms;
    if (built.refused) return { ...row, ...factsOf(built.refused), buildMs, runMs: 0 };
    const reference = await referenceOf(builds, name, task);
    if (reference.refused) throw new Error(`${name}: the reference does not build: ${reference.refused.message}`);
    const result = await inTurn(() => host.run(built.artifact, reference.artifact, long ? longOptions : measureOptions));
    const { registers, spill_bytes: spill } = built.artifact.manifest.resources ?? {};
    return { ...row, ...factsOf(result), buildMs, runMs: result.wallMs, registers, spill };
  }

  const measure = (name, task, index, long = false) => {
    const known = store.get(name, index, long);
    if (known) return Promise.resolve(known);
    const key = keyOf(name, index, long);
    const under = asked.get(key);
    if (under) return under;
    const made = fresh(name, task, index, long).then((row) => {
      if (row.kind === "skipped") console.log(`${name} #${index}: ${row.message}`);
      else store.add(row);
      asked.delete(key);
      measured++;
      return row;
    });
    asked.set(key, made);
    return made;
  };
  return {
    measure,
    get measured() {
      return measured;
    },
    get waiting() {
      return asked.size;
    },
    async close() {
      await real?.host.close();
      await real?.builds.close();
    },
  };
}

/** An error 8 is the farm's own: nobody is told of it as a failure. */
function factsOf(result) {
  if (result.kind === "timed") return { kind: "timed", seconds: median(result.costs), costs: result.costs };
  const { errorNo, rule, message } = result;
  const kind = result.kind === "failed" && errorNo !== 8 ? "failed" : "skipped";
  return { kind, errorNo, rule, message: message?.slice(0, 200) };
}

/** A smooth made-up time over the knobs' features, some configs failing. */
function madeUp(task, index) {
  const features = task.space.features(task.space.toIndex(index));
  const far = features.reduce((sum, x, i) => sum + Math.abs(Math.log2(Math.abs(x) + 1) - (i % 4)), 0);
  const phases = { buildMs: 400 + (index % 13) * 150, runMs: 40 };
  if (index % 9 === 0) return { kind: "failed", errorNo: 4, rule: "scripted", message: "scripted", ...phases };
  return { kind: "timed", seconds: 1e-5 * (1 + far), costs: [1e-5 * (1 + far)], ...phases };
}

if (scripted && !dry) throw new Error("--scripted makes times up; give --dry with it");
