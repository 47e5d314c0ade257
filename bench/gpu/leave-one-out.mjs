/**
 * How near the best a search begins that knows other shapes: each shape of a template is searched 300 times without records, and
 * then anew with the logs of the template's other shapes (`--transfer`). The table has, for each shape, the best time after 1, 2,
 * 4 and 8 measurements of the second search over the best of both; the default schedule's, measured before, is not counted.
 * Measurements count in the order of the log, which is that of the results and what a user sees: builds run side by side, so it
 * need not be the order of proposals.
 *
 *   node bench/gpu/leave-one-out.mjs [--trials=300] [--few=8] [--as=transfer] [--budget 535s] [--dry]
 *
 * Logs are kept in $OUT. A search that has its log there is not run again, so the same command goes on where it was cut off; a
 * shape is left out of the table until the other shapes' logs are there. `--as NAME` gives the second searches logs of another
 * name, so another version of the tuner can be compared over the same first searches. The best is of all logs of a shape that are
 * there. `--dry`: two small products on this machine's CPU.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { saveResults } from "../results.mjs";
import { searched, secondsIn } from "./shared/search.mjs";
import { flag, table, timeFlag } from "./shared/sections.mjs";

const isDry = process.argv.includes("--dry");
const trials = Number(flag("trials") ?? 300);
const as = flag("as") ?? "transfer";
const few = Number(flag("few") ?? 8);
const marks = [1, 2, 4, 8].filter((mark) => mark <= few);
/** No search begins later than this. */
const endsAt = performance.now() + 1e3 * (timeFlag("budget") ?? 535);

const convolution = (H, CI, CO, KH, stride) => ({ N: 1, H, W: H, CO, CI, KH, KW: KH, stride, padding: (KH - 1) / 2 });
const product = (M, N, K) => ({ M, N, K, layout: "NN", dtype: "float16" });
/** @type {Record<string, Record<string, object>>} */
const shapes = isDry
  ? { matmul_cpu: { "64x64x64": { N: 64, L: 64, M: 64 }, "64x128x64": { N: 64, L: 64, M: 128 } } }
  : {
      matmul_mma: {
        "2048x2048x2048": product(2048, 2048, 2048),
        "1024x4096x1024": product(1024, 4096, 1024),
        "512x4096x4096": product(512, 4096, 4096),
        "4096x1024x2048": product(4096, 1024, 2048),
        "3072x3072x768": product(3072, 3072, 768),
      },
      conv2d_nchw_gemm: {
        "56x56 64-256 1x1": convolution(56, 64, 256, 1, 1),
        "56x56 64-64 3x3": convolution(56, 64, 64, 3, 1),
        "28x28 128-128 3x3": convolution(28, 128, 128, 3, 1),
        "14x14 1024-256 1x1": convolution(14, 1024, 256, 1, 1),
        "14x14 256-256 3x3": convolution(14, 256, 256, 3, 1),
        "7x7 512-2048 1x1": convolution(7, 512, 2048, 1, 1),
      },
    };
const device = isDry ? ["--device", "cpu"] : undefined;

/** All logs of the shape whose first log this is. */
function logsOf(log) {
  const start = log.slice(0, -`${trials}.jsonl`.length);
  const isOf = (file) => file.startsWith(start) && !file.slice(start.length).includes("-") && file.endsWith(".jsonl");
  return readdirSync(dirname(log))
    .map((file) => join(dirname(log), file))
    .filter(isOf);
}

const rows = [];
for (const [template, ofTemplate] of Object.entries(shapes)) {
  const logs = Object.entries(ofTemplate).map(([shape, args]) => {
    if (performance.now() > endsAt) return undefined;
    return searched(`left-${template}-${shape}-${trials}`, [template, args], { trials, seed: 1 }, device);
  });
  if (logs.includes(undefined)) continue;
  for (const [i, [shape, args]] of Object.entries(ofTemplate).entries()) {
    if (performance.now() > endsAt) continue;
    const transfer = logs.toSpliced(i, 1);
    const log = searched(`left-${template}-${shape}-${as}`, [template, args], { trials: few, seed: 2, transfer }, device);
    const seconds = secondsIn(log);
    const best = Math.min(...logsOf(logs[i]).flatMap(secondsIn));
    rows.push([`${template} ${shape}`, best * 1e6, ...marks.map((mark) => best / Math.min(...seconds.slice(0, mark)))]);
  }
}

const spelled = rows.map(([name, best, ...shares]) => [name, best.toFixed(1), ...shares.map((share) => share.toFixed(3))]);
const means = marks.map((_, i) => rows.reduce((sum, row) => sum + row[2 + i], 0) / rows.length);
const worst = marks.map((_, i) => Math.min(...rows.map((row) => row[2 + i])));
table(
  ["shape", "best, us", ...marks.map((mark) => `share of the best after ${mark}`)],
  [...spelled, ["mean", "", ...means.map((share) => share.toFixed(3))], ["worst", "", ...worst.map((share) => share.toFixed(3))]],
);
if (!isDry)
  saveResults(
    "gpu-leave-one-out",
    `node bench/gpu/leave-one-out.mjs --trials=${trials} --few=${few} --as=${as}`,
    { rows, means, worst, wanted: { 1: 0.97, 8: 0.99 } },
    { gpu: true },
  );
