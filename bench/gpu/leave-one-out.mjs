/**
 * How near the best a search begins that knows other shapes: each shape of a template is searched 300 times without records, and
 * then anew with the logs of the template's other shapes (`--transfer`). The table has, for each shape, the best time after 1, 2,
 * 4 and 8 measurements of the second search over the best of both; the default schedule's, measured before, is not counted.
 *
 *   node bench/gpu/leave-one-out.mjs [--template NAME] [--shapes TEXT,...] [--trials=300] [--few=8] [--as=transfer]
 *                                    [--gpus=1] [--also FOLDER] [--budget 535s] [--dry]
 *
 * The shapes are five products of `matmul_mma` and the 23 convolutions of the shipped suite resnet50. `--template` takes those of
 * one template, `--shapes` those whose name has one of the texts in it. `--few=0`: the first searches alone.
 *
 * Logs are kept in $OUT. A search that has its log there is not run again, so the same command goes on where it was cut off; a
 * template's second searches begin when all its first ones are done. `--as NAME` gives the second searches logs of another name.
 * `--gpus N`: as many searches at once, each on a GPU of its own. `--also FOLDER`: the second searches have its logs too, of
 * shapes that are not searched here. `--dry`: two small products on this machine's CPU.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { saveResults } from "../results.mjs";
import { leaveOneOutShapes, logName } from "./shared/left-out.mjs";
import { searched, secondsIn } from "./shared/search.mjs";
import { flag, table, timeFlag } from "./shared/sections.mjs";

const isDry = process.argv.includes("--dry");
const trials = Number(flag("trials") ?? 300);
const as = flag("as") ?? "transfer";
const few = Number(flag("few") ?? 8);
const marks = [1, 2, 4, 8].filter((mark) => mark <= few);
const endsAt = performance.now() + 1e3 * (timeFlag("budget") ?? 535);

/** @type {Record<string, Record<string, object>>} */
const allShapes = isDry
  ? { matmul_derived: { "64x64x64": { M: 64, N: 64, K: 64 }, "64x128x64": { M: 64, N: 128, K: 64 } } }
  : leaveOneOutShapes;
const shapes = selected(allShapes, flag("template"), flag("shapes")?.split(","));
const gpus = Number(flag("gpus") ?? 1);
const also = flag("also") ? logsIn(flag("also")) : [];
const deviceOf = (gpu) => ["--device", isDry ? "cpu" : `cuda:${gpu}`];

async function onGpus(items, search) {
  const found = items.map(() => undefined);
  const left = [...items.entries()];
  const lane = async (gpu) => {
    for (let next = left.shift(); next && performance.now() <= endsAt; next = left.shift())
      found[next[0]] = await search(next[1], deviceOf(gpu));
  };
  await Promise.all(Array.from({ length: gpus }, (_, gpu) => lane(gpu)));
  return found;
}

function selected(all, template, texts) {
  if (template !== undefined && !(template in all))
    throw new Error(`--template ${template}: the templates are ${Object.keys(all).join(", ")}`);
  const isTaken = (shape) => texts === undefined || texts.some((text) => shape.includes(text));
  const named = Object.entries(all).filter(([name]) => template === undefined || name === template);
  const taken = named.map(([name, of]) => [name, Object.fromEntries(Object.entries(of).filter(([shape]) => isTaken(shape)))]);
  if (taken.every(([, of]) => Object.keys(of).length === 0))
    throw new Error(`--shapes ${texts}: in no name; the names are ${named.flatMap(([, of]) => Object.keys(of)).join(", ")}`);
  return Object.fromEntries(taken);
}

function logsIn(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => join(folder, file));
}

function logsOf(log) {
  const start = log.slice(0, -`${trials}.jsonl`.length);
  return logsIn(dirname(log)).filter((file) => file.startsWith(start) && !file.slice(start.length).includes("-"));
}

const rows = [];
for (const [template, ofTemplate] of Object.entries(shapes)) {
  const all = Object.entries(ofTemplate);
  const logs = await onGpus(all, ([shape, args], device) =>
    searched(logName(template, shape, trials), [template, args], { trials, seed: 1 }, device),
  );
  if (logs.includes(undefined) || few === 0) continue;
  const transferred = await onGpus([...all.keys()], (i, device) => {
    const [shape, args] = all[i];
    const options = { trials: few, seed: 2, transfer: [...logs.toSpliced(i, 1), ...also] };
    return searched(logName(template, shape, as), [template, args], options, device);
  });
  for (const [i, log] of transferred.entries()) {
    if (log === undefined) continue;
    const seconds = secondsIn(log);
    const best = Math.min(...logsOf(logs[i]).flatMap(secondsIn));
    rows.push([`${template} ${all[i][0]}`, best * 1e6, ...marks.map((mark) => best / Math.min(...seconds.slice(0, mark)))]);
  }
}

const spelled = rows.map(([name, best, ...shares]) => [name, best.toFixed(1), ...shares.map((share) => share.toFixed(3))]);
const means = marks.map((_, i) => rows.reduce((sum, row) => sum + row[2 + i], 0) / rows.length);
const worst = marks.map((_, i) => Math.min(...rows.map((row) => row[2 + i])));
table(
  ["shape", "best, us", ...marks.map((mark) => `share of the best after ${mark}`)],
  [...spelled, ["mean", "", ...means.map((share) => share.toFixed(3))], ["worst", "", ...worst.map((share) => share.toFixed(3))]],
);
if (!isDry && rows.length > 0)
  saveResults(
    "gpu-leave-one-out",
    `node bench/gpu/leave-one-out.mjs --trials=${trials} --few=${few} --as=${as}`,
    { rows, means, worst, wanted: { 1: 0.97, 8: 0.99 } },
    { gpu: true },
  );
