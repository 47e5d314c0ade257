/**
 * Makes client/knowledge from our own recorded searches: for each template one file of configs by values with their times, which
 * a search on a farm without records of its own begins with (client/src/search/shipped.ts).
 *
 *   node scripts/pack-knowledge.mjs          says whether the files are what the logs give
 *   node scripts/pack-knowledge.mjs --write  writes them
 *
 * Results come from bench/results/logs and client/test/spaces/shapes. A config that its template no longer has is left out, and
 * so are the shapes of bench/held-out.json. The fastest and the slowest are both kept, because a model needs to know what is
 * slow. Each file names the recordings that it was made from, the day of the newest, their licence and the command.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { canonicalJson, medianSeconds } from "@warpfarm/common";
import { configWith, knobValues } from "@warpfarm/compiler";
import { recordedIn } from "@warpfarm/records";
import { createTask } from "@warpfarm/templates";
import { better } from "../client/dist/tuner/tuner.js";
import { isHeldOut } from "./held-out.mjs";

const at = (path) => new URL(`../${path}`, import.meta.url).pathname;
const mostBytes = 1.5e6;
/** Of recordings without a search line, which are from before inputs and power states were named. */
const before = "inputs exact, power as_asked, l2 warm";

const groups = new Map();
const leftOut = { "held out": 0, "no config today": 0, "no template or device": 0 };

const licence = "Apache-2.0";
const command = "node scripts/pack-knowledge.mjs --write";

/** What is known of the values by knob that `valuesOf` gives, or undefined where the template does not have them today. */
function add({ task, target, device, args, conditions, recording, date, valuesOf, known }) {
  const opened = opens(task, args, target);
  if (opened === undefined) return void leftOut["no template or device"]++;
  if (isHeldOut(opened.args)) return void leftOut["held out"]++;
  const values = valuesOf(opened.space);
  if (values === undefined) return void leftOut["no config today"]++;
  const key = canonicalJson([task, device, target]);
  const group = groups.get(key) ?? { task, device, target, knobs: new Set(), recordings: new Set(), date, shapes: new Map() };
  groups.set(key, group);
  const knobs = opened.space.knobs.map(({ name }) => name);
  for (const knob of knobs) group.knobs.add(knob);
  group.recordings.add(recording);
  if (date > group.date) group.date = date;
  const shape = canonicalJson([opened.args, conditions]);
  const rows = group.shapes.get(shape) ?? new Map();
  group.shapes.set(shape, rows);
  const text = canonicalJson(Object.fromEntries(knobs.map((knob, i) => [knob, values[i]])));
  rows.set(text, better(rows.get(text), known));
}

const tasks = new Map();
function opens(task, args, target) {
  const key = canonicalJson([task, args, target]);
  if (!tasks.has(key)) {
    let made;
    try {
      made = createTask(task, args, target);
    } catch {
      made = undefined;
    }
    tasks.set(key, made);
  }
  return tasks.get(key);
}

/** How a log's search measured. Options that it does not name are their defaults. */
function conditionsOf(log) {
  const line = log.split("\n").find((each) => each.startsWith('# warpfarm {"search"'));
  if (line === undefined) return before;
  const { inputs = "full", power = "burst" } = JSON.parse(line.slice("# warpfarm ".length)).search.measure;
  return `inputs ${inputs}, power ${power}, l2 warm`;
}

/** A trial that was ended early says that its config is slower than a time, not that it fails. */
function knownOf(result) {
  if (result.kind === "timed") return { seconds: medianSeconds(result.costs) };
  return result.kind === "slower" ? { seconds: result.atLeast, isBound: true } : { seconds: undefined };
}

async function readLogs() {
  for (const name of readdirSync(at("bench/results/logs")).sort()) {
    const recording = `bench/results/logs/${name}`;
    const conditions = conditionsOf(gunzipSync(readFileSync(at(recording))).toString());
    for (const { task, args, target, device, config, result, timestampMs } of (await recordedIn(at(recording))).records) {
      if (device === undefined || config === undefined || (result.kind === "failed" && result.errorNo === 8)) continue;
      const valuesOf = (space) => {
        const named = knobValues(space, config.entity);
        return named.ok && space.indexOfValues(named.value) !== undefined ? named.value : undefined;
      };
      const date = new Date(timestampMs).toISOString().slice(0, 10);
      add({ task, target, device: device.name, args, conditions, recording, date, valuesOf, known: knownOf(result) });
    }
  }
}

/** Their ORIGIN.md has it. */
const dateOfSpaces = "2026-11-27";
function readSpaces() {
  const folder = at("client/test/spaces/shapes");
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".json.gz"))
    .sort()) {
    const { task, target, device, knobs, shapes } = JSON.parse(gunzipSync(readFileSync(`${folder}/${name}`)).toString());
    for (const { args, rows, later = [] } of shapes)
      for (const row of [...rows, ...later]) {
        const named = Object.fromEntries(knobs.map((knob, i) => [knob, row[i]]));
        const valuesOf = (space) => {
          const config = configWith(space, named);
          return config.ok ? space.knobs.map((knob, k) => knob.decode(space.digits(config.value)[k])) : undefined;
        };
        const known = { seconds: row.at(-1) === null ? undefined : row.at(-1) / 1e6 };
        const recording = `client/test/spaces/shapes/${name}`;
        add({ ...{ task, target, device, args, conditions: before, recording, date: dateOfSpaces }, valuesOf, known });
      }
  }
}

function microseconds({ seconds, isBound }) {
  if (seconds === undefined) return null;
  const time = Number((seconds * 1e6).toPrecision(4));
  return isBound ? { at_least: time } : time;
}

/** Shapes of a derived family do not all have the same knobs. */
const rowOf = (knobs, values) => [...knobs].map((knob) => values[knob] ?? null);

function textOf({ task, device, target, knobs, recordings, date, shapes }) {
  const sorted = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({
    ...{ task, target, device, origin: [...recordings].sort(), date, licence, command, knobs: [...knobs] },
    shapes: sorted.map(([shape, rows]) => {
      const [args, conditions] = JSON.parse(shape);
      const measured = [...rows].map(([text, known]) => ({ values: rowOf(knobs, JSON.parse(text)), known }));
      measured.sort((a, b) => (canonicalJson(a.values) < canonicalJson(b.values) ? -1 : 1));
      return { args, conditions, rows: measured.map(({ values, known }) => [...values, microseconds(known)]) };
    }),
  })}\n`;
}

await readLogs();
readSpaces();
const folder = at("client/knowledge");
const files = new Map();
const stale = new Set(readdirSync(folder));
for (const group of groups.values()) {
  const kind = /\b([A-Z]+\d+)\b/.exec(group.device)?.[1] ?? group.device;
  const name = `${group.task.replaceAll("/", ".")}-${kind}.json.gz`;
  const text = textOf(group);
  const kept = existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`) : undefined;
  // Versions of zlib pack a text differently, so only a file whose text is another is written again.
  const isCurrent = kept !== undefined && gunzipSync(kept).toString() === text;
  files.set(name, isCurrent ? kept : gzipSync(text, { level: 9 }));
  if (isCurrent) stale.delete(name);
  else stale.add(name);
}
const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
if (bytes > mostBytes) throw new Error(`${bytes} bytes; knowledge has at most ${mostBytes}`);
const digests = Object.fromEntries(
  [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, file]) => [name, createHash("sha256").update(file).digest("hex")]),
);
const listing = `/** Made by scripts/pack-knowledge.mjs: the files of client/knowledge with their SHA-256. */
export const shippedDigests: Readonly<Record<string, string>> = ${JSON.stringify(digests, null, 2)
  .replace(/"([^"]+)": "([^"]+)"(,?)/g, '"$1": "$2",')
  .replace(/,,/g, ",")};
`;
const list = at("client/src/search/shipped-digests.ts");
if (readFileSync(list, "utf8") !== listing) stale.add("shipped-digests.ts");
if (process.argv.includes("--write")) {
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(`${folder}/${name}`);
  for (const [name, file] of files) if (stale.has(name)) writeFileSync(`${folder}/${name}`, file);
  writeFileSync(list, listing);
}
for (const { task, device, shapes } of groups.values()) {
  const results = [...shapes.values()].reduce((sum, rows) => sum + rows.size, 0);
  console.log(`${task} on ${device}: ${results} results of ${shapes.size} shapes`);
}
console.log(
  `${bytes} bytes; left out: ${Object.entries(leftOut)
    .map(([why, count]) => `${count} ${why}`)
    .join(", ")}`,
);
if (stale.size > 0 && !process.argv.includes("--write")) {
  console.error(`${[...stale].join(", ")}: not what the recordings give; ${command}`);
  process.exit(1);
}
