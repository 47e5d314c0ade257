/**
 * What programs built ahead bring a search on this machine's GPU (ADR 57): five tasks are searched without and with `ahead`
 * programs built for each one measured, from equal seeds and without records. The table has the best time after 20, 50 and 100
 * measurements over the best that any search of the task found.
 *
 *   node bench/gpu/build-ahead.mjs [--ahead=8] [--trials=100] [--seeds=1,2] [--budget 535s]
 *
 * Logs are kept in $OUT. A search that has its log there is not run again, so the same command goes on where it was cut off.
 */
import { saveResults } from "../results.mjs";
import { searched, secondsIn } from "./shared/search.mjs";
import { flag, median, table, timeFlag } from "./shared/sections.mjs";

const ahead = Number(flag("ahead") ?? 8);
const trials = Number(flag("trials") ?? 100);
const seeds = (flag("seeds") ?? "1,2").split(",").map(Number);
const marks = [20, 50, 100];
/** No search begins later than this. */
const endsAt = performance.now() + 1e3 * (timeFlag("budget") ?? 535);

const convolution = (H, CI, CO, KH, padding) => ({ N: 1, H, W: H, CO, CI, KH, KW: KH, stride: 1, padding });
/** @type {Record<string, [task: string, args: object]>} */
const tasks = {
  "conv 14x14 256-256 3x3 fp32": ["conv2d_nchw_gemm", convolution(14, 256, 256, 3, 1)],
  "conv 56x56 64-256 1x1 fp32": ["conv2d_nchw_gemm", convolution(56, 64, 256, 1, 0)],
  "sgemm 1024": ["matmul_simt_2", { M: 1024, N: 1024, K: 1024, layout: "NN" }],
  "hgemm 2048, mma.sync": ["matmul_mma", { M: 2048, N: 2048, K: 2048, layout: "NN", dtype: "float16" }],
  "hgemm 2048, wgmma": ["matmul_tma", { M: 2048, N: 2048, K: 2048, layout: "NN", dtype: "float16" }],
};

/** @type {Record<string, Record<string, number[][]>>} */
const found = {};
for (const seed of seeds)
  for (const [name, task] of Object.entries(tasks))
    for (const built of [0, ahead]) {
      if (performance.now() > endsAt) continue;
      const log = await searched(`ahead-${name}-${built}-${seed}`, task, { trials, seed, "build-ahead": built });
      found[name] ??= {};
      found[name][built] ??= [];
      found[name][built].push(secondsIn(log));
    }

const rows = Object.entries(found).flatMap(([name, searches]) => {
  const best = Math.min(...Object.values(searches).flat(2));
  return Object.entries(searches).map(([built, runs]) => {
    const shares = marks.map((mark) => median(runs.map((seconds) => best / Math.min(...seconds.slice(0, mark)))));
    return [name, built, runs.length, ...shares.map((share) => share.toFixed(3))];
  });
});
table(["task", "built ahead", "searches", ...marks.map((mark) => `share of the best after ${mark}`)], rows);
const means = [0, ahead].map((built) => {
  const of = rows.filter((row) => row[1] === String(built));
  return marks.map((_, i) => of.reduce((sum, row) => sum + Number(row[3 + i]), 0) / of.length);
});
console.log(
  `means after ${marks.join(", ")}: none ${means[0].map((m) => m.toFixed(3))}; ${ahead} ahead ${means[1].map((m) => m.toFixed(3))}`,
);
saveResults("gpu-build-ahead", `node bench/gpu/build-ahead.mjs --ahead=${ahead}`, { rows, means }, { gpu: true });
