/**
 * Templates beside the vendor library on a GPU, in groups of rows (shape-rows.mjs):
 *
 *   node bench/gpu/shapes.mjs [--resume] [--only=conv7,hwcn] [--rows=NAME,NAME] [--rest] [--trials=N] [--rounds=60] [--logs=DIR]
 *     [--seconds=120] [--profile] [--dry]
 *
 * Each row is searched on the embedded farm (logs in $OUT, or taken from --logs where they are: NAME.jsonl or NAME.jsonl.gz).
 * Then the best configs of each row, those that it names and the library are timed interleaved in one process, each checked
 * against float64. Finished rows are kept in $OUT/shapes-rows.json; --resume takes them from there, or from --from. With --dry no
 * GPU is needed: some configs of each row and those that it names are made and compiled. A group begins no rows that
 * its --seconds would not reach for. --rest leaves out the rows that bench/results has.
 * With --profile Nsight Compute looks at the library's kernels and the fastest of ours, and the row keeps what it says.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { geometricMean, isOurs, libraryOf } from "../results.mjs";
import { groups } from "./shape-rows.mjs";
import { namedConfigs, tryRows } from "./shapes-dry.mjs";
import { linesOf, secondsOf } from "./shared/command.mjs";
import { artifactOf, profileOf, timedBeside } from "./shared/library.mjs";
import { logOf, searched } from "./shared/search.mjs";
import { flag, median, outFolder, runSections, table } from "./shared/sections.mjs";

const mostFinalists = 4;
const rounds = Number(flag("rounds") ?? 60);
/** Searched before they are timed; PyTorch is not on the GPU while a farm is. */
const rowsAtOnce = 4;
const mostSeconds = 500;
const seconds = Number(flag("seconds") ?? mostSeconds);
const rowsFile = "shapes-rows.json";
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

function takeKept(name) {
  const [log, logs] = [logOf(name), flag("logs")];
  if (existsSync(log) || !logs) return;
  const kept = [`${name}.jsonl`, `${name}.jsonl.gz`, `shapes-${name}.jsonl.gz`].map((file) => join(logs, file));
  const found = kept.find((path) => existsSync(path));
  if (!found) return;
  const bytes = readFileSync(found);
  writeFileSync(log, found.endsWith(".gz") ? gunzipSync(bytes) : bytes);
}

function logFor(name, template, { args, trials, pace = {} }, seed) {
  const file = `${name.replace(/\W+/g, "-")}-${template}-${seed}`;
  takeKept(file);
  return searched(file, [template, args], { trials: flag("trials") ?? trials, seed, transfer: "farm", ...pace });
}

async function summary(name, template, row, seed) {
  const begun = performance.now();
  const lines = linesOf(await logFor(name, template, row, seed));
  const ranked = lines.filter((line) => !line.warpfarm?.duplicate_of).sort((a, b) => secondsOf(a) - secondsOf(b));
  return {
    template,
    seed,
    trials: lines.length,
    seconds: (performance.now() - begun) / 1000,
    failed: lines.filter((line) => !Number.isFinite(secondsOf(line))).length,
    best_us: 1e6 * secondsOf(ranked[0]),
    best: ranked.slice(0, mostFinalists).map((line) => ({ template, index: line.config.index, us: 1e6 * secondsOf(line) })),
  };
}

async function prepared(name, row) {
  const searches = [];
  for (const template of row.templates) for (const seed of row.seeds) searches.push(await summary(name, template, row, seed));
  const candidates = searches.flatMap(({ best }) => best).sort((a, b) => a.us - b.us);
  const keyOf = ({ template, index }) => `${template} ${index}`;
  const distinct = [...new Map(candidates.reverse().map((c) => [keyOf(c), c])).values()].reverse().slice(0, mostFinalists);
  const named = namedConfigs(row).filter((config) => !distinct.some((found) => keyOf(found) === keyOf(config)));
  const kernels = await Promise.all([...distinct, ...named].map((candidate) => artifactOf(candidate, row.args)));
  const best = searches.reduce((a, b) => (b.best_us < a.best_us ? b : a));
  console.log(`${name}: ${best.best_us.toFixed(2)} us by ${best.template} ${best.best[0].index}, ${searches.length} searches`);
  return { searches, spec: { ...row.library, name, rounds, gap_ms: 2, kernels } };
}

const oursOf = ({ times }) => Object.entries(times).filter(([variant]) => isOurs(variant));
const ratioOf = (finalists) => libraryOf(finalists.times) / Math.min(...oursOf(finalists).map(([, { us }]) => us));

function printRow(name, row, { searches, finalists }) {
  const ours = oursOf(finalists);
  const [best, time] = ours.reduce((a, b) => (b[1].us < a[1].us ? b : a));
  const errors = ours.map(([, t]) => t.error);
  const cells = [name, libraryOf(finalists.times), time.us, ratioOf(finalists)];
  return [
    ...cells.map((cell) => (typeof cell === "number" ? cell.toFixed(3) : cell)),
    (finalists.intervals?.[best] ?? []).map((bound) => bound.toFixed(3)).join(" to "),
    median(searches.map((s) => s.best_us)).toFixed(3),
    Math.max(...errors).toExponential(1),
    best,
    row.wanted,
  ];
}

function finishedRows() {
  const file = [outFolder, ...[flag("from") ?? []].flat()]
    .map((folder) => join(folder, rowsFile))
    .find((path) => existsSync(path));
  return process.argv.includes("--resume") && file ? JSON.parse(readFileSync(file, "utf8")) : {};
}

async function measureSome(rows, finished) {
  const made = {};
  for (const [name, row] of Object.entries(rows)) made[name] = await prepared(name, row);
  for (const { name, ...finalists } of await timedBeside(Object.values(made).map((m) => m.spec))) {
    const { searches, spec } = made[name];
    if (process.argv.includes("--profile")) finalists.profile = await profileOf(spec, finalists);
    finished[name] = { wanted: rows[name].wanted, searches, finalists };
  }
  // Sections of one call share the file.
  const file = join(outFolder, rowsFile);
  const others = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  writeFileSync(file, JSON.stringify({ ...others, ...finished }));
}

/** Some rows at a time, while there is time for as many as took longest. */
async function withinTime(rows, finished) {
  const begun = performance.now();
  let longest = 0;
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const before = performance.now();
    if (before + longest > begun + seconds * 1000) return;
    await measureSome(Object.fromEntries(rows.slice(at, at + rowsAtOnce)), finished);
    longest = Math.max(longest, performance.now() - before);
  }
}

/** Rows of a group that bench/results has. */
function keptRows(group) {
  const folder = here("../results");
  const files = readdirSync(folder).filter((file) => file.startsWith("gpu-shapes-"));
  return files.flatMap((file) => Object.keys(JSON.parse(readFileSync(join(folder, file), "utf8")).figures[group] ?? {}));
}

async function measure(title, group) {
  const wanted = flag("rows")?.split(",");
  const kept = process.argv.includes("--rest") ? keptRows(title) : [];
  const rows = Object.entries(group).filter(([name]) => (wanted?.includes(name) ?? true) && !kept.includes(name));
  if (process.argv.includes("--dry")) return tryRows(Object.fromEntries(rows));
  const finished = finishedRows();
  const missing = rows.filter(([name]) => !(name in finished));
  await withinTime(missing, finished);
  const left = rows.filter(([name]) => !(name in finished)).map(([name]) => name);
  if (left.length > 0) console.log(`${seconds} s did not reach for ${left.length} rows, --resume takes them: ${left.join("; ")}`);
  const timed = rows.map(([name, row]) => [name, row, finished[name]]).filter(([, , found]) => found?.finalists.times);
  table(
    ["row", "library us", "ours us", "library / ours", "interval", "median of searches us", "error", "config", "wanted"],
    timed.map(([name, row, found]) => printRow(name, row, found)),
  );
  const ratios = timed.map(([, , { finalists }]) => ratioOf(finalists));
  console.log(`library / ours: geometric mean ${geometricMean(ratios).toFixed(3)}, least ${Math.min(...ratios).toFixed(3)}`);
  return Object.fromEntries(rows.map(([name]) => [name, finished[name]]));
}

const sections = Object.entries(groups).map(([name, group]) => [name, { seconds: mostSeconds, run: () => measure(name, group) }]);
await runSections(fileURLToPath(import.meta.url), "shapes", Object.fromEntries(sections));
