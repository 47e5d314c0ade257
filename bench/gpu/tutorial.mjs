/**
 * Times of the steps of docs/tutorial.md on this GPU, at 4096 x 4096 x 4096: float32 for steps 1 to 5, float16 for 6 and 7.
 *
 *   npm run build && node bench/gpu/tutorial.mjs && node scripts/tutorial.mjs
 *
 * Writes bench/results/gpu-tutorial.json; scripts/tutorial.mjs puts its rows into the page.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { saveResults } from "../results.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const n = 4096;
const half = JSON.stringify({ M: n, N: n, K: n });
const steps = [
  ...[1, 2, 3, 4, 5].map((step) => ({
    step,
    task: "./tutorial.ts",
    args: JSON.stringify({ step, n }),
    index: "0",
    dtype: "float32",
  })),
  { step: 6, task: "matmul_mma", args: half, index: "published", dtype: "float16" },
  { step: 7, task: "matmul_tma", args: half, index: "published", dtype: "float16" },
];

const rows = steps.map(({ step, task, args, index, dtype }) => {
  const command = [
    "measure",
    task,
    "--args",
    args,
    "--index",
    index,
    "--target",
    "cuda",
    "--measure",
    "repeat=5,min_repeat=100ms",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, [at("bin/warpfarm.js"), ...command, "--json"], {
    cwd: at("examples"),
    encoding: "utf8",
    timeout: 300_000,
  });
  const answer = stdout.trim() === "" ? undefined : JSON.parse(stdout);
  if (typeof answer?.seconds !== "number") throw new Error(`step ${step} has no time: ${stdout}${stderr}`);
  const row = { step, task, dtype, n, us: answer.seconds * 1e6, gflops: answer.gflops, config: answer.config };
  console.log(`step ${step}: ${row.us.toFixed(1)} us, ${(row.gflops / 1000).toFixed(2)} TFLOPS`);
  return row;
});
saveResults("gpu-tutorial", "node bench/gpu/tutorial.mjs", { steps: rows }, { gpu: true });
