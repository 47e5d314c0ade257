/**
 * What logs of other shapes are worth on a shape that was left out: the share of the best time after k measurements, by `auto`
 * with the other shapes' records and by the ranking of configs by their mean share alone. The times are measured ones of a H100
 * (client/test/spaces/shapes): of the shape's own search, and of the fastest configs of each other shape. A config that nobody
 * measured at the shape left out is refused, as by the static check.
 * The last table's searches know 67 convolutions of other networks too, 96 trials each.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { tuners } from "@warpfarm/client";
import { createTask } from "@warpfarm/templates";
import { table } from "./table.mjs";

const marks = [1, 2, 4, 8];
const budget = Math.max(...marks);

const filesOf = ["matmul_mma", "conv2d_nchw_gemm"];

function shapesOf(name) {
  const file = new URL(`../client/test/spaces/shapes/${name}-H100.json.gz`, import.meta.url);
  const { task, target, knobs, shapes } = JSON.parse(gunzipSync(readFileSync(file)).toString());
  return shapes.map(({ args, rows, later = [] }) => {
    const { space, outline, args: given } = createTask(task, args, target);
    const of = { args: given, target };
    const named = (row) => {
      const values = new Map(knobs.map((knob, i) => [knob, row[i]]));
      const index = space.toIndex(space.indexOf(values) ?? 0);
      const seconds = row.at(-1) === null ? undefined : row.at(-1) / 1e6;
      return { values, seconds, outline: outline?.(index), features: space.features(index) };
    };
    return { name: args.flat().join(" "), space, of, outline, rows: rows.map(named), later: later.map(named) };
  });
}

const inSpace = (space, rows) =>
  rows.flatMap(({ values, ...known }) => {
    const index = space.indexOf(values);
    return index === undefined ? [] : [{ index: space.toIndex(index), ...known }];
  });

function timesOf({ space, rows, later }) {
  const known = new Map();
  // The static check refuses those of the other shapes' configs that have no time here.
  const measured = [...rows, ...later.filter(({ seconds }) => seconds !== undefined)];
  for (const { index, seconds = Infinity } of inSpace(space, measured))
    known.set(index, Math.min(known.get(index) ?? Infinity, seconds));
  return known;
}

/** The first configs by the mean logarithm of their shares, among the sources that know them. */
function ranked(sources) {
  const shares = new Map();
  for (const { rows } of sources) {
    const best = Math.min(...rows.map(({ seconds = Infinity }) => seconds));
    for (const { index, seconds } of rows) {
      const share = seconds === undefined ? -1 : Math.max(-1, Math.log(best / seconds));
      shares.set(index, [...(shares.get(index) ?? []), share]);
    }
  }
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const order = [...shares].map(([index, of]) => [index, mean(of)]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return order.map(([index]) => index);
}

function searched({ space, of, outline }, sources, times) {
  const isValid = (index) => times.has(index);
  const tuner = tuners.auto({ space, of, outline, seed: 2, isValid, records: sources });
  const found = [];
  while (found.length < budget) {
    const [index] = tuner.ask(1);
    if (index === undefined) break;
    found.push(index);
    tuner.tell([{ index, outcome: { kind: "timed", seconds: times.get(index) } }]);
  }
  return found;
}

export async function run() {
  for (const template of filesOf) leftOut(template, shapesOf(template));
  leftOut("conv2d_nchw_gemm, more records", shapesOf("conv2d_nchw_gemm"), shapesOf("conv2d_nchw_gemm-more"));
}

function leftOut(title, shapes, more = []) {
  const rows = shapes.map((target) => {
    const sources = [...shapes, ...more]
      .filter((other) => other !== target)
      .map((other) => ({
        name: other.name,
        of: other.of,
        rows: inSpace(target.space, other.rows),
        others: other.rows.filter(({ values }) => target.space.indexOf(values) === undefined),
      }))
      .filter(({ rows }) => rows.length > 0);
    const times = timesOf(target);
    const best = Math.min(...times.values());
    const shares = (found) => marks.map((mark) => Math.max(...found.slice(0, mark).map((index) => best / times.get(index))));
    const ranking = ranked(sources).filter((index) => times.has(index));
    return { name: target.name, records: shares(searched(target, sources, times)), ranking: shares(ranking) };
  });
  const line = (shape, shares) => ({
    shape,
    ...Object.fromEntries(marks.map((mark, i) => [`after ${mark}`, shares[i].toFixed(3)])),
  });
  const over = (of, reduce) => marks.map((_, i) => reduce(rows.map((row) => row[of][i])));
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const least = (values) => Math.min(...values);
  table(title, [
    ...rows.map(({ name, records }) => line(name, records)),
    line("mean", over("records", mean)),
    line("worst", over("records", least)),
    line("ranking of known shares alone, mean", over("ranking", mean)),
    line("ranking of known shares alone, worst", over("ranking", least)),
  ]);
}
