/**
 * What logs of other shapes are worth on a shape that was left out: the share of the best time after k measurements, by `auto`
 * with the other shapes' records and by the ranking of configs by their mean share alone. The times are those of a H100's logs
 * (client/test/spaces/shapes). A config that the log of the shape left out does not have is estimated: the geometric mean of the
 * measured configs that are fewest steps of knobs away. `estimated` counts these. bench/gpu/leave-one-out.mjs measures instead.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createTask, tuners } from "@warpfarm/client";
import { table } from "./table.mjs";

const marks = [1, 2, 4, 8];
const budget = Math.max(...marks);

const filesOf = ["matmul_mma", "conv2d_nchw_gemm"];

function shapesOf(template) {
  const file = new URL(`../client/test/spaces/shapes/${template}-H100.json.gz`, import.meta.url);
  const { task, target, knobs, shapes } = JSON.parse(gunzipSync(readFileSync(file)).toString());
  return shapes.map(({ args, rows, later = [] }) => ({
    name: args.flat().join(" "),
    space: createTask(task, args, target).space,
    rows: named(knobs, rows),
    later: named(knobs, later),
  }));
}
const named = (knobs, rows) =>
  rows.map((row) => ({
    values: new Map(knobs.map((knob, i) => [knob, row[i]])),
    seconds: (row.at(-1) ?? undefined) && row.at(-1) / 1e6,
  }));

/** The results of one shape in the space of another. */
const inSpace = (space, rows) =>
  rows.flatMap(({ values, seconds }) => {
    const index = space.indexOf(values);
    return index === undefined ? [] : [{ index: space.toIndex(index), seconds }];
  });

/** Share of the best of any config of this shape: measured, or estimated by the nearest ones. */
function timesOf({ space, rows, later }) {
  const known = new Map();
  for (const { index, seconds = Infinity } of inSpace(space, [...rows, ...later]))
    known.set(index, Math.min(known.get(index) ?? Infinity, seconds));
  const all = [...known].map(([index, seconds]) => ({ digits: space.digits(index), seconds }));
  const best = Math.min(...known.values());
  return (index) => {
    if (known.has(index)) return { seconds: known.get(index), share: best / known.get(index), isEstimated: false };
    const digits = space.digits(index);
    const apart = all.map((one) => one.digits.reduce((sum, digit, k) => sum + Math.abs(digit - digits[k]), 0));
    const least = Math.min(...apart);
    const near = all.filter((_, i) => apart[i] === least);
    const seconds = Math.exp(near.reduce((sum, one) => sum + Math.log(one.seconds), 0) / near.length);
    return { seconds, share: best / seconds, isEstimated: true };
  };
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
  return order.slice(0, budget).map(([index]) => index);
}

function searched(target, sources, timeOf) {
  const tuner = tuners.auto({ space: target.space, seed: 2, isValid: () => true, records: sources });
  const found = [];
  while (found.length < budget) {
    const [index] = tuner.ask(1);
    if (index === undefined) break;
    found.push(index);
    tuner.tell([{ index, outcome: { kind: "timed", seconds: timeOf(index).seconds } }]);
  }
  return found;
}

export async function run() {
  for (const template of filesOf) {
    const shapes = shapesOf(template);
    const rows = shapes.map((target) => {
      const sources = shapes
        .filter((other) => other !== target)
        .map((other) => ({ name: other.name, rows: inSpace(target.space, other.rows) }))
        .filter(({ rows }) => rows.length > 0);
      const timeOf = timesOf(target);
      const curve = (found) => {
        const at = found.map(timeOf);
        return {
          shares: marks.map((mark) => Math.max(...at.slice(0, mark).map(({ share }) => share))),
          estimated: at.filter(({ isEstimated }) => isEstimated).length,
        };
      };
      return { name: target.name, records: curve(searched(target, sources, timeOf)), ranking: curve(ranked(sources)) };
    });
    const line = (shape, shares, estimated) => ({
      shape,
      ...Object.fromEntries(marks.map((mark, i) => [`after ${mark}`, shares[i].toFixed(3)])),
      [`estimated of ${budget}`]: estimated,
    });
    const over = (of, reduce) => marks.map((_, i) => reduce(rows.map((row) => row[of].shares[i])));
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const least = (values) => Math.min(...values);
    table(template, [
      ...rows.map(({ name, records }) => line(name, records.shares, records.estimated)),
      line("mean", over("records", mean), ""),
      line("worst", over("records", least), ""),
      line("ranking of known shares alone, mean", over("ranking", mean), mean(rows.map(({ ranking }) => ranking.estimated))),
      line("ranking of known shares alone, worst", over("ranking", least), ""),
    ]);
  }
}
