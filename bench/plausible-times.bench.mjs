/**
 * How close honest times come to the least believable ones (common/src/plausible-time.ts): the ratio of the bound to each time
 * that this repository has of a GPU in its table, the greatest of each source. A ratio above 1 would be an honest result refused.
 * Ours are logs of searches and tables of shapes, each time with its own program's graph. Of the spaces of others only the
 * sizes are known (client/test/spaces/ORIGIN.md), so their bounds are worked out here from the arguments and operations.
 */
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { leastSeconds } from "@warpfarm/common";
import { workOfProgram } from "@warpfarm/proto";
import { createTask } from "@warpfarm/templates";
import { saveResults } from "./results.mjs";
import { table, takeTables } from "./table.mjs";

const at = (path) => new URL(path, import.meta.url);
const unzipped = (path) => gunzipSync(readFileSync(at(path))).toString();
const tasks = new Map();

/** A search proposes many configs of one graph, so the graph's work is read once for each text of it. */
const works = new Map();
function workOf(name, args, target, values) {
  const key = JSON.stringify([name, args, target]);
  if (!tasks.has(key)) tasks.set(key, createTask(name, args, target));
  const task = tasks.get(key);
  const index = task.space.indexOf(new Map(values));
  const made = index === undefined ? undefined : task.instantiate(index);
  if (!made?.ok) return undefined;
  const document = JSON.parse(Buffer.from(made.value.program.bytes).toString());
  const graph = JSON.stringify(document.graph);
  if (!works.has(graph)) works.set(graph, workOfProgram(document));
  return works.get(graph);
}

class Greatest {
  times = 0;
  skipped = 0;
  ratio = 0;
  shortest = Number.POSITIVE_INFINITY;
  of = "";
  add(work, device, seconds, of) {
    this.times++;
    this.shortest = Math.min(this.shortest, seconds);
    const ratio = leastSeconds(work, device) / seconds;
    if (ratio > this.ratio) Object.assign(this, { ratio, of: `${of}: ${(seconds * 1e6).toFixed(2)} us` });
  }
  row(source, device) {
    const { times, skipped, ratio, shortest, of } = this;
    return {
      source,
      device,
      times,
      "not instantiated": skipped,
      "shortest us": +(shortest * 1e6).toFixed(2),
      "greatest ratio": +ratio.toFixed(3),
      of,
    };
  }
}

function ofLogs() {
  const found = new Greatest();
  for (const name of readdirSync(at("results/logs")).filter((file) => file.endsWith(".jsonl.gz")))
    for (const line of unzipped(`results/logs/${name}`).split("\n")) {
      if (!line.startsWith("{")) continue;
      const { input, config, warpfarm: trial } = JSON.parse(line);
      if (trial?.kind !== "timed") continue;
      const values = config.entity.map(([knob, , value]) => [knob, value]);
      const work = workOf(input[1], input[2], trial.target, values);
      if (work) found.add(work, trial.device.name, Math.min(...trial.costs), `${input[1]} ${JSON.stringify(input[2])}`);
      else found.skipped++;
    }
  return found.row("bench/results/logs", "H100 80GB HBM3");
}

function ofShapes(file) {
  const { task, target, knobs, shapes } = JSON.parse(unzipped(`../client/test/spaces/shapes/${file}.json.gz`));
  const found = new Greatest();
  for (const { args, rows, later = [] } of shapes) {
    for (const row of [...rows, ...later]) {
      if (row.at(-1) === null) continue;
      const work = workOf(
        task,
        args,
        target,
        knobs.map((knob, i) => [knob, row[i]]),
      );
      if (work) found.add(work, "NVIDIA H100 80GB HBM3", row.at(-1) / 1e6, `${task} ${JSON.stringify(args)}`);
      else found.skipped++;
    }
  }
  return found.row(`client/test/spaces/shapes/${file}`, "H100 80GB HBM3");
}

/**
 * Spaces of others: the file, its device, and the bytes and operations of its problem.
 * @type {[string, string, import("@warpfarm/common").Work][]}
 */
const others = [
  ["gemm-RTX_3090", "NVIDIA GeForce RTX 3090", { bytes: 3 * 4 * 4096 ** 2, operations: [{ bits: 32, count: 2 * 4096 ** 3 }] }],
  [
    "convolution-RTX_3090",
    "NVIDIA GeForce RTX 3090",
    { bytes: 2 * 4 * 4096 ** 2, operations: [{ bits: 32, count: 2 * 15 ** 2 * 4096 ** 2 }] },
  ],
  ["pnpoly-RTX_3090", "NVIDIA GeForce RTX 3090", { bytes: 12 * 2e7, operations: [] }],
  [
    "convolution_milo-A100",
    "NVIDIA A100-PCIE-40GB",
    { bytes: 2 * 4 * 4096 ** 2, operations: [{ bits: 32, count: 2 * 15 ** 2 * 4096 ** 2 }] },
  ],
];

/** @param {(typeof others)[number]} other */
function ofOthers([name, device, work]) {
  const { cache } = JSON.parse(unzipped(`../client/test/spaces/${name}.json.gz`));
  const found = new Greatest();
  for (const { time } of Object.values(cache))
    if (typeof time === "number" && time < 1e19) found.add(work, device, time / 1e3, name);
  return found.row(`client/test/spaces/${name}`, device.replace("NVIDIA ", ""));
}

table("greatest ratio of the least believable time to a measured one", [
  ofLogs(),
  ...["matmul_mma-H100", "conv2d_nchw_gemm-H100", "conv2d_nchw_gemm-more-H100"].map(ofShapes),
  ...others.map(ofOthers),
]);
saveResults("plausible-times", "node bench/plausible-times.bench.mjs", takeTables());
