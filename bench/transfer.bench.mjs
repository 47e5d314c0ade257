/**
 * What records of other GPUs are worth on one that was left out (client/src/score/transfer-score.ts): the share of the best time
 * after k measurements, by `auto` with records and by the ranking alone. First five kernels on three to five GPUs, each GPU left
 * out in turn, on which the model's numbers were chosen; then five GPUs that had no part in choosing them.
 */
import { existsSync, readdirSync } from "node:fs";
import { afterMeasurements, readRecorded, transferScore, tuners } from "@warpfarm/client";
import { table } from "./table.mjs";

const folder = new URL("../client/test/spaces/", import.meta.url).pathname;
const kernels = {
  convolution_milo: ["A100", "A4000", "A6000", "MI250X", "W7800"],
  dedispersion_milo: ["A100", "A4000", "A6000", "MI250X", "W7800"],
  convolution: ["RTX_3090", "RTX_2080_Ti", "RTX_Titan"],
  gemm: ["RTX_3090", "RTX_2080_Ti", "RTX_Titan"],
  pnpoly: ["RTX_3090", "RTX_2080_Ti", "RTX_Titan"],
};
/** `auto`'s own proposals, one in eight, depend on the seed. */
const options = { seed: 0, repeats: 8, inFlight: 1 };

async function space(file) {
  const path = [folder, `${folder}transfer/`].map((from) => `${from}${file}`).find((one) => existsSync(one));
  if (path === undefined) throw new Error(`there is no ${file} in ${folder}`);
  const read = await readRecorded(path);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

export async function run() {
  const spaces = {};
  for (const [kernel, gpus] of Object.entries(kernels))
    spaces[kernel] = await Promise.all(gpus.map((gpu) => space(`${kernel}-${gpu}.json.gz`)));
  const leftOut = Object.values(spaces).flatMap((all) =>
    all.map((target) =>
      transferScore(
        target,
        all.filter((other) => other !== target),
        tuners.auto,
        options,
      ),
    ),
  );
  tell("left out", leftOut);
  const files = readdirSync(`${folder}transfer/held-out`);
  const held = [];
  for (const file of files) {
    const target = await space(`held-out/${file}`);
    held.push(transferScore(target, spaces[file.slice(0, file.indexOf("-"))], tuners.auto, options));
  }
  console.log("");
  tell("held out", held);
}

function tell(name, scores) {
  const row = (what, values) => ({
    gpu: what,
    ...Object.fromEntries(afterMeasurements.map((k, i) => [`after ${k}`, values[i].toFixed(3)])),
  });
  const of = (what) => afterMeasurements.map((_, i) => scores.map((score) => score[what][i]));
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  table(name, [
    ...scores.map(({ space: of, records }) => row(of.replace(".json.gz", ""), records)),
    row("mean", of("records").map(mean)),
    row(
      "worst",
      of("records").map((values) => Math.min(...values)),
    ),
    row("ranking alone, mean", of("ranking").map(mean)),
    row(
      "ranking alone, worst",
      of("ranking").map((values) => Math.min(...values)),
    ),
  ]);
}
