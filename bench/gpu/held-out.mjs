/**
 * What a first search finds on shapes that no knowledge comes from (bench/held-out.json), each on a farm that is empty: the best
 * after 1, 8 and 32 trials over the best that any search of the shape found, with what comes with Warpfarm and without it
 * (--transfer none); after 64 trials the library's time over ours; trials that were wasted, which no program came of. Trials
 * count in the order in which they were proposed: the first n are those that a search of n trials measures.
 *
 *   node bench/gpu/held-out.mjs [--trials=300] [--shapes=TEXT,...] [--budget=500s] [--dry]
 *
 * Logs and finished rows are kept in $OUT: the same command goes on where it was cut off. A row begins only where the budget has
 * room for one more like those before. `--dry`: products on this machine's CPU, without the library.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTask } from "@warpfarm/templates";
import { geometricMean, saveResults } from "../results.mjs";
import { targetOf } from "./shapes-dry.mjs";
import { linesOf, secondsOf } from "./shared/command.mjs";
import { artifactOf, timedBeside } from "./shared/library.mjs";
import { searched } from "./shared/search.mjs";
import { flag, outFolder, table, timeFlag } from "./shared/sections.mjs";

const isDry = process.argv.includes("--dry");
const trials = Number(flag("trials") ?? (isDry ? 10 : 300));
const marks = [1, 8, 32];
const beside = 64;
const begun = performance.now();
const budget = timeFlag("budget") ?? 500;
const measure = isDry ? "quick" : "repeat=3,min_repeat=10ms,inputs=full";
const device = ["--device", isDry ? "cpu" : "cuda:0"];
const rowsFile = join(outFolder, "held-out-rows.json");
const heldOut = JSON.parse(readFileSync(new URL("../held-out.json", import.meta.url), "utf8"));

const conv = ([N, H, W, CO, CI, KH, KW, stride, padding]) => ({ N, H, W, CO, CI, KH, KW, stride, padding });
const takes = (template, args) => {
  try {
    return createTask(template, args, targetOf(template)) !== undefined;
  } catch {
    return false;
  }
};

/** A product is searched by the first of these that takes it: a search of 64 rows or fewer has its own template. */
function productRow([M, N, K]) {
  const args = { M, N, K, dtype: "float16", layout: "NN" };
  const templates = [...(M <= 64 ? ["matmul_latency"] : []), "matmul_tma", "matmul_mma"];
  const template = templates.find((one) => takes(one, args));
  return { kind: "product", name: `${M}x${N}x${K}`, template, args, library: { op: "matmul", args } };
}
function convRow(sizes) {
  const args = conv(sizes);
  const { N, H, W, CO, CI, KH, KW, stride } = args;
  const name = `${N}x${H}x${W}-${CI}-${CO}-${KH}x${KW}-${stride}`;
  const library = { op: "conv2d_nchw", args: { ...args, dtype: "float32" } };
  return { kind: "convolution", name, template: "conv2d_nchw_gemm", args, library };
}
const small = (N) => ({ kind: "product", name: `${N}`, template: "matmul_derived", args: { M: N, N: 64, K: 64 } });
const rows = isDry ? [small(48), small(80)] : [...heldOut.products.map(productRow), ...heldOut.convolutions.map(convRow)];

const bestOf = (lines) => Math.min(...lines.map(secondsOf));

/** Trials of which no program came, by the rule or the error that refused them. One that ended early is not wasted. */
function wasteOf(lines) {
  const found = {};
  for (const { result, warpfarm } of lines)
    if (result[1] !== 0) {
      const why = warpfarm?.rule ?? `error ${result[1]}`;
      found[why] = (found[why] ?? 0) + 1;
    }
  return found;
}

async function libraryBeside({ name, template, args, library }, lines) {
  const best = lines.slice(0, beside).reduce((a, b) => (secondsOf(b) < secondsOf(a) ? b : a));
  const kernel = await artifactOf({ template, index: best.config.index }, args);
  const [{ times }] = await timedBeside([{ ...library, name, rounds: 30, gap_ms: 1, kernels: [kernel] }]);
  return times && { library_us: times.library.us, ours_us: times[kernel.name].us };
}

async function rowOf(row) {
  const { name, template, args } = row;
  const logs = {};
  for (const start of ["farm", "none"]) {
    const given = { trials, transfer: start, measure };
    const log = await searched(`held-out-${template}-${name}-${trials}-${start}`, [template, args], given, device);
    logs[start] = linesOf(log).sort((a, b) => a.warpfarm.sequence - b.warpfarm.sequence);
  }
  const best = Math.min(bestOf(logs.farm), bestOf(logs.none));
  const shares = (lines) => marks.map((mark) => best / bestOf(lines.slice(0, mark)));
  const ratio = isDry ? undefined : await libraryBeside(row, logs.farm);
  const waste = { farm: wasteOf(logs.farm), none: wasteOf(logs.none) };
  return {
    kind: row.kind,
    name,
    template,
    trials,
    best_us: best * 1e6,
    farm: shares(logs.farm),
    none: shares(logs.none),
    waste,
    ...ratio,
  };
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const two = (value) => (value === undefined ? "" : value.toFixed(3));
const count = (waste) => Object.values(waste).reduce((a, b) => a + b, 0);

function tell(found) {
  const head = [
    "shape",
    "template",
    "best us",
    ...marks.map((k) => `after ${k}`),
    ...marks.map((k) => `none, ${k}`),
    "library",
    "waste",
  ];
  const line = (row) => [
    ...[row.name, row.template, row.best_us.toFixed(2), ...row.farm.map(two), ...row.none.map(two)],
    ...[two(row.library_us && row.library_us / row.ours_us), `${count(row.waste.farm)} + ${count(row.waste.none)}`],
  ];
  const over = (name, reduce, of) => [
    ...[
      name,
      "",
      "",
      ...marks.map((_, i) => two(reduce(of.map(({ farm }) => farm[i])))),
      ...marks.map((_, i) => two(reduce(of.map(({ none }) => none[i])))),
    ],
    ...[
      "",
      `${of.reduce((sum, { waste }) => sum + count(waste.farm) + count(waste.none), 0)} of ${of.reduce((sum, row) => sum + 2 * row.trials, 0)}`,
    ],
  ];
  const least = (values) => Math.min(...values);
  table(head, [...found.map(line), over("mean", mean, found), over("worst", least, found)]);
  for (const kind of ["product", "convolution"]) {
    const ratios = found.flatMap((row) => (row.kind === kind && row.library_us ? [row.library_us / row.ours_us] : []));
    if (ratios.length > 0)
      console.log(
        `${kind}s: library / ours after ${beside} trials, geometric mean of ${ratios.length}: ${two(geometricMean(ratios))}, least ${two(least(ratios))}`,
      );
  }
}

async function shapes() {
  const texts = flag("shapes")?.split(",");
  const asked = rows.filter(({ name }) => texts?.some((text) => name.includes(text)) ?? true);
  if (asked.length === 0)
    throw new Error(`--shapes ${texts}: in no name; the names are ${rows.map(({ name }) => name).join(", ")}`);
  const known = existsSync(rowsFile) ? JSON.parse(readFileSync(rowsFile, "utf8")) : {};
  const keyOf = ({ name, template }) => `${template} ${name} ${trials}`;
  let longest = 0;
  for (const row of asked.filter((each) => !(keyOf(each) in known))) {
    const start = performance.now();
    if ((start - begun) / 1000 + longest > budget) break;
    known[keyOf(row)] = await rowOf(row);
    writeFileSync(rowsFile, JSON.stringify(known));
    longest = Math.max(longest, (performance.now() - start) / 1000);
  }
  const found = asked.flatMap((row) => known[keyOf(row)] ?? []);
  if (found.length > 0) tell(found);
  console.log(
    `${found.length} of ${asked.length} shapes in ${((performance.now() - begun) / 1000).toFixed(0)} s${found.length < asked.length ? "; the same command goes on" : ""}`,
  );
  return { rows: found };
}

const command = `node bench/gpu/held-out.mjs ${process.argv.slice(2).join(" ")}`.trim();
const figures = await shapes();
if (!isDry) saveResults("gpu-held-out", command, figures, { gpu: true });
