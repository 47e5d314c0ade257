/**
 * Records rounds on a GPU: each kernel paired with itself, so that ratios are noise alone. `npm run bench -- finals` resamples
 * them.
 *
 *   npm run build && node bench/gpu/rounds.mjs [ROUNDS]
 *
 * About five minutes on an H100 with 200 rounds. Each recording is a file of bench/results/rounds, and one that is there is not
 * made again, so a run that was cut off goes on.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { table } from "./shared/sections.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const rounds = process.argv[2] ?? "200";
const folder = at("../results/rounds");
mkdirSync(folder, { recursive: true });

/** Bound by memory, by power, and by plain arithmetic: task, arguments (default: documented), config. */
/** @type {Readonly<Record<string, readonly [string, object | undefined, string]>>} */
const kernels = {
  memory: ["elementwise_derived", undefined, '{"z.threads":256,"z.vector":4,"z.items":1}'],
  power: ["matmul_mma", { M: 4096, N: 4096, K: 4096 }, "published"],
  "power-large": ["matmul_mma", { M: 8192, N: 8192, K: 8192 }, "published"],
  arithmetic: ["matmul_simt", { M: 2048, N: 2048, K: 2048 }, "published"],
  convolution: ["conv2d_nhwc_mma", undefined, "published"],
};

const rows = [];
for (const [name, [task, args, config]] of Object.entries(kernels))
  for (const power of ["burst", "sustained"]) {
    const file = `${folder}/${name}-${power}.json`;
    if (existsSync(file)) continue;
    const given = args === undefined ? [] : ["--args", JSON.stringify(args)];
    const words = ["measure", task, ...given, "--device", "cuda", "--index", config, "--paired", config];
    const how = ["--rounds", rounds, "--measure", `power=${power}`, "--json"];
    const { status, stdout, stderr } = spawnSync(process.execPath, [at("../../bin/warpfarm.js"), ...words, ...how], {
      encoding: "utf8",
    });
    if (status !== 0) {
      rows.push([name, power, stderr.trim().split("\n").at(-1) ?? "", "", ""]);
      continue;
    }
    const { costs, ratio, seconds, ratio_low: low, ratio_high: high } = JSON.parse(stdout);
    writeFileSync(file, `${JSON.stringify({ task, args, power, costs })}\n`);
    rows.push([name, power, (seconds * 1e6).toFixed(1), ratio.toFixed(4), `${low.toFixed(4)} to ${high.toFixed(4)}`]);
  }
console.log(table(["kernel", "power", "us", "ratio to itself", "interval"], rows));
