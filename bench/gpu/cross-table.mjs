/**
 * The fastest configs of each shape on every other shape, measured on a farm: what a search on a shape could have proposed that
 * knows all other shapes. Reads the logs of first searches that leave-one-out.mjs made, takes the fastest `--each` configs of
 * each and appends a line for each pair to $OUT/cross-TEMPLATE.jsonl. Pairs that are there, or in the shape's own log, are not
 * measured again.
 *
 *   node bench/gpu/cross-table.mjs --template conv2d_nchw_gemm --tracker ADDRESS [--each=8] [--trials=300] [--budget 300s]
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { remoteMeasurer } from "../../client/dist/index.js";
import { defaultMeasureOptions, medianSeconds, Random, systemClock } from "../../common/dist/index.js";
import { configNamed } from "../../compiler/dist/language.js";
import { connect } from "../../proto/dist/index.js";
import { createTask } from "../../templates/dist/index.js";
import { leaveOneOutShapes, logName } from "./shared/left-out.mjs";
import { flag, outFolder, timeFlag } from "./shared/sections.mjs";

const template = flag("template") ?? "conv2d_nchw_gemm";
const each = Number(flag("each") ?? 8);
const trials = Number(flag("trials") ?? 300);
const target = flag("target") ?? "cuda/sm_90";
const endsAt = performance.now() + 1e3 * (timeFlag("budget") ?? 300);
const stop = new AbortController();
setTimeout(() => stop.abort(), Math.max(0, endsAt - performance.now())).unref();

if (!(template in leaveOneOutShapes))
  throw new Error(`--template ${template}: the templates are ${Object.keys(leaveOneOutShapes).join(", ")}`);

function measuredIn(log) {
  if (!existsSync(log)) throw new Error(`${log} is not there; first run leave-one-out.mjs --template ${template} --few=0`);
  const lines = readFileSync(log, "utf8").split("\n");
  const rows = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const seconds = (row) => row.warpfarm.seconds ?? Number.POSITIVE_INFINITY;
  rows.sort((a, b) => seconds(a) - seconds(b));
  return new Set(rows.map(({ config }) => JSON.stringify(config.entity)));
}

const shapes = Object.entries(leaveOneOutShapes[template]).map(([shape, args]) => {
  const log = join(outFolder, `${logName(template, shape, trials)}.jsonl`);
  return { shape, args, measured: measuredIn(log) };
});
const wanted = new Set();
for (let rank = 0; rank < each; rank++)
  for (const { measured } of shapes) {
    const entity = [...measured][rank];
    if (entity !== undefined) wanted.add(entity);
  }
const file = join(outFolder, `cross-${template}.jsonl`);
const there = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
const done = new Set(
  there.map((line) => {
    const { shape, entity } = JSON.parse(line);
    return `${shape} ${JSON.stringify(entity)}`;
  }),
);

const tracker = connect({ address: flag("tracker") ?? "127.0.0.1:9290" });
let count = 0;

async function measureShape({ shape, args, measured }) {
  const task = createTask(template, args, target);
  const pairs = [];
  for (const text of wanted) {
    if (measured.has(text) || done.has(`${shape} ${text}`)) continue;
    const entity = JSON.parse(text);
    const config = configNamed(task.space, entity);
    const made = config.ok ? task.instantiate(config.value) : undefined;
    if (made?.ok) pairs.push({ entity, program: made.value.program });
    else appendFileSync(file, `${JSON.stringify({ shape, entity, seconds: null })}\n`);
  }
  async function* inputs() {
    for (const [i, { program }] of pairs.entries()) yield { sequence: i + 1, program, reference: task.reference };
  }
  const measurer = remoteMeasurer({
    farm: tracker.farm,
    task: `${template} ${shape}`,
    selector: target,
    options: { ...defaultMeasureOptions("cuda"), repeat: 3, minRepeatMs: 10 },
    maxInFlight: 4,
    clock: systemClock,
    random: new Random(1),
  });
  for await (const { sequence, result } of measurer.measure(inputs(), { signal: stop.signal })) {
    const seconds = result.kind === "timed" ? medianSeconds(result.costs) : null;
    appendFileSync(file, `${JSON.stringify({ shape, entity: pairs[sequence - 1].entity, seconds })}\n`);
    count++;
  }
}

console.log(`${wanted.size} configs on ${shapes.length} shapes; ${done.size} pairs are there`);
// All shapes at once: when the budget is spent, each has its first pairs.
const ended = await Promise.allSettled(shapes.map(measureShape));
await tracker[Symbol.asyncDispose]();
for (const one of ended) if (one.status === "rejected" && !stop.signal.aborted) throw one.reason;
console.log(`${count} pairs measured${stop.signal.aborted ? "; the budget is spent" : ""}`);
