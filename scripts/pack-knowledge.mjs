/**
 * Makes client/knowledge from our own recorded searches: for each template one file of configs by values with their times, which
 * a search on a farm without records of its own begins with (client/src/search/shipped.ts).
 *
 *   node scripts/pack-knowledge.mjs          says whether the files are what the logs give
 *   node scripts/pack-knowledge.mjs --write  writes them
 *
 * Results come from bench/results/logs and client/test/spaces/shapes. A config that its template no longer has is left out, and
 * so are the shapes of bench/held-out.json. The fastest and the slowest are both kept, because a model needs to know what is
 * slow.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { canonicalJson, medianSeconds } from "@warpfarm/common";
import { configWith, knobValues } from "@warpfarm/compiler";
import { recordsIn } from "@warpfarm/records";
import { createTask } from "@warpfarm/templates";
import { isHeldOut } from "./held-out.mjs";

const at = (path) => new URL(`../${path}`, import.meta.url).pathname;
const mostBytes = 1.5e6;
/** Of recordings without a search line, which are from before inputs and power states were named. */
const before = "inputs exact, power as_asked, l2 warm";

const groups = new Map();
const leftOut = { "held out": 0, "no config today": 0, "no template or device": 0 };

/** `values` by knob, or undefined where the template does not have them today. */
function add({ task, target, device, args, conditions, valuesOf, seconds }) {
  const opened = opens(task, args, target);
  if (opened === undefined) return void leftOut["no template or device"]++;
  if (isHeldOut(opened.args)) return void leftOut["held out"]++;
  const values = valuesOf(opened.space);
  if (values === undefined) return void leftOut["no config today"]++;
  const key = canonicalJson([task, device, target]);
  const group = groups.get(key) ?? { task, device, target, knobs: opened.space.knobs.map(({ name }) => name), shapes: new Map() };
  groups.set(key, group);
  const shape = canonicalJson([opened.args, conditions]);
  const rows = group.shapes.get(shape) ?? new Map();
  group.shapes.set(shape, rows);
  const text = canonicalJson(values);
  rows.set(text, Math.min(rows.get(text) ?? Number.POSITIVE_INFINITY, seconds ?? Number.POSITIVE_INFINITY));
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

async function readLogs() {
  for (const name of readdirSync(at("bench/results/logs")).sort()) {
    const conditions = conditionsOf(gunzipSync(readFileSync(at(`bench/results/logs/${name}`))).toString());
    for await (const { task, args, target, device, config, result } of await recordsIn(at(`bench/results/logs/${name}`), {})) {
      if (device === undefined || config === undefined || (result.kind === "failed" && result.errorNo === 8)) continue;
      const valuesOf = (space) => {
        const named = knobValues(space, config.entity);
        return named.ok && space.indexOfValues(named.value) !== undefined ? named.value : undefined;
      };
      const seconds = result.kind === "timed" ? medianSeconds(result.costs) : undefined;
      add({ task, target, device: device.name, args, conditions, valuesOf, seconds });
    }
  }
}

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
        add({
          task,
          target,
          device,
          args,
          conditions: before,
          valuesOf,
          seconds: row.at(-1) === null ? undefined : row.at(-1) / 1e6,
        });
      }
  }
}

const microseconds = (seconds) => (Number.isFinite(seconds) ? Number((seconds * 1e6).toPrecision(4)) : null);

function textOf({ task, device, target, knobs, shapes }) {
  const sorted = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({
    ...{ task, target, device, knobs },
    shapes: sorted.map(([shape, rows]) => {
      const [args, conditions] = JSON.parse(shape);
      const measured = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
      return { args, conditions, rows: measured.map(([values, seconds]) => [...JSON.parse(values), microseconds(seconds)]) };
    }),
  })}\n`;
}

await readLogs();
readSpaces();
const files = new Map();
for (const group of groups.values()) {
  const kind = /\b([A-Z]+\d+)\b/.exec(group.device)?.[1] ?? group.device;
  // Level 9 and no time stamp: the same bytes everywhere.
  files.set(`${group.task.replaceAll("/", ".")}-${kind}.json.gz`, gzipSync(textOf(group), { level: 9 }));
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
const isCurrent =
  existsSync(list) &&
  readFileSync(list, "utf8") === listing &&
  [...files].every(
    ([name, file]) => existsSync(at(`client/knowledge/${name}`)) && file.equals(readFileSync(at(`client/knowledge/${name}`))),
  );
if (process.argv.includes("--write")) {
  for (const [name, file] of files) writeFileSync(at(`client/knowledge/${name}`), file);
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
if (!isCurrent && !process.argv.includes("--write")) {
  console.error("client/knowledge is not what the logs give: node scripts/pack-knowledge.mjs --write");
  process.exit(1);
}
