/**
 * What a search finds on a shape of which nothing is known, by replay: of each template some of the shapes that come with
 * Warpfarm are left out, one at a time with all of the same sizes, and searched by `auto` with the results of the others. `far`:
 * with every shape left out, too, that has less than 8 times as many or as few operations.
 *
 * A config that was measured at the shape has its time. Any other has the share of the best that trees expect which know all
 * shapes, this one among them; they err as the search's own trees do, so that these figures flatter. Lists of starts were chosen
 * with these shapes. Nothing is measured here.
 */
import { tuners } from "@warpfarm/client";
import { createTask } from "@warpfarm/templates";
import { shippedFor } from "../client/dist/search/shipped.js";
import { optionsOfRecords } from "../client/dist/tuner/outlined.js";
import { sharesByTrees } from "../client/dist/tuner/shares/shape-trees.js";
import { shapeLogs } from "../client/dist/tuner/shares/share-table.js";
import { table } from "./table.mjs";

const marks = [1, 2, 4, 8, 32];
const mostShapes = 10;
const far = 3;
const templates = ["matmul_tma", "matmul_latency", "matmul_mma", "conv2d_nhwc_mma", "conv2d_nhwc_tma", "conv2d_nchw_gemm"];

const sizesOf = (args) => String(args.flat(9).filter((each) => typeof each === "number"));
const targetOf = (template) => (template.endsWith("_tma") ? "cuda/sm_90a" : "cuda/sm_90");

/** @type {(task: any) => any[]} */
const sourcesFor = (task) => [...shippedFor(task)];

function shapesOf(template) {
  const all = sourcesFor(createTask(template, undefined, targetOf(template)));
  const shapes = [...new Map(all.map(({ of }) => [sizesOf(of.args), of])).values()];
  const step = Math.max(1, shapes.length / mostShapes);
  return Array.from({ length: Math.min(mostShapes, shapes.length) }, (_, i) => shapes[Math.floor(i * step)]);
}

/** The share of the best of each config. */
function truthOf(task, sources) {
  /** @type {any} */
  const options = optionsOfRecords(task, sources);
  const own = sources.filter(({ of }) => sizesOf(of.args) === sizesOf(task.args)).at(-1);
  const timed = own.rows.filter(({ seconds, isBound }) => seconds !== undefined && !isBound);
  const best = Math.min(...timed.map(({ seconds }) => seconds));
  const measured = new Map(own.rows.map(({ index, seconds }) => [index, seconds === undefined ? 0 : best / seconds]));
  const expected = sharesByTrees(task.space, shapeLogs(task.space, options.records), options.of, options.outline);
  return (index) => measured.get(index) ?? Math.min(1, expected([index])[0]);
}

/** The best shares after so many trials; `first` comes before what the tuner proposes. */
function searched(task, truth, records, { starts, first }) {
  const options = optionsOfRecords(task, records);
  const tuner = tuners.auto({ space: task.space, seed: 0, isValid: () => true, ...options, starts });
  const left = [...first];
  const found = [];
  while (found.length < Math.max(...marks)) {
    const index = left.shift() ?? tuner.ask(1)[0];
    if (index === undefined) break;
    const share = truth(index);
    found.push(share);
    tuner.tell([{ index, outcome: share > 0 ? { kind: "timed", seconds: 1e-3 / share } : { kind: "failed" } }]);
  }
  return marks.map((mark) => Math.max(...found.slice(0, mark)));
}

function leftOut(template, isFar) {
  /** @type {Record<string, number[][]>} */
  const rows = { "records alone": [], "starts, then records": [], "as searches begin": [] };
  for (const { args, target } of shapesOf(template)) {
    const task = createTask(template, args, target);
    const all = sourcesFor(task);
    const apart = ({ of }) => Math.abs(Math.log2(createTask(template, of.args, of.target).flops / task.flops));
    const records = all.filter((each) => sizesOf(each.of.args) !== sizesOf(task.args) && (!isFar || apart(each) >= far));
    const truth = truthOf(task, all);
    const { starts } = task;
    rows["records alone"].push(searched(task, truth, records, { starts: [], first: [] }));
    rows["starts, then records"].push(searched(task, truth, records, { starts: [], first: starts }));
    rows["as searches begin"].push(searched(task, truth, records, { starts, first: [] }));
  }
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  return Object.entries(rows).map(([first, shares]) => ({
    template: `${template}${isFar ? ", far" : ""}`,
    shapes: String(shares.length),
    first,
    ...Object.fromEntries(marks.map((mark, i) => [`after ${mark}`, mean(shares.map((of) => of[i])).toFixed(3)])),
    "worst after 8": Math.min(...shares.map((of) => of[marks.indexOf(8)])).toFixed(2),
  }));
}

export async function run() {
  table("each shape left out", [...templates.flatMap((template) => leftOut(template, false)), ...leftOut("matmul_tma", true)]);
}
