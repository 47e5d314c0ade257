/**
 * Records rounds on a GPU: each kernel paired with itself, so that ratios are noise alone. `npm run bench -- finals` resamples
 * them.
 *
 *   npm run build && node bench/gpu/rounds.mjs [ROUNDS] [--dry]
 *
 * About 150 s on an H200 with 200 rounds in bursts and 50 of longer repeats. Each recording is a file of bench/results/rounds, or
 * of $OUT/rounds; one that is there is not made again, so a run that was cut off goes on. --dry: a product on the CPU, kept
 * nowhere.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { configWith } from "../../compiler/dist/language.js";
import { createTask } from "../../templates/dist/index.js";
import { large } from "./hopper-cases.mjs";
import { openHome } from "./shared/command.mjs";
import { table } from "./shared/sections.mjs";

const dry = process.argv.includes("--dry");
const rounds = Number(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? (dry ? 12 : 200));
const { home, warpfarm } = openHome("rounds");
const folder = dry ? home : join(process.env.OUT || fileURLToPath(new URL("../results", import.meta.url)), "rounds");
mkdirSync(folder, { recursive: true });

const hopper = createTask("matmul_tma", large.args, "cuda/sm_90a");
const found = configWith(hopper.space, large.entries);
if (!found.ok) throw new Error(found.error);
/** Bound by memory, by power, and by plain arithmetic: task, arguments (default: documented), config. */
/** @type {Readonly<Record<string, readonly [string, object | undefined, string]>>} */
const kernels = dry
  ? { product: ["matmul_derived", { M: 128, N: 128, K: 128 }, "61"] }
  : {
      memory: ["elementwise_derived", undefined, '{"z.threads":256,"z.vector":4,"z.items":1}'],
      power: ["matmul_mma", { M: 4096, N: 4096, K: 4096 }, "published"],
      "power-large": ["matmul_tma", large.args, String(found.value)],
      arithmetic: ["matmul_simt", { M: 4096, N: 4096, K: 4096 }, "published"],
      convolution: ["conv2d_nhwc_mma", undefined, "published"],
    };
/** Longer repeats, fewer of them. */
const roundsIn = { burst: rounds, sustained: Math.ceil(rounds / 4) };

const rows = [];
for (const [power, count] of Object.entries(roundsIn))
  for (const [name, [task, args, config]] of Object.entries(kernels)) {
    const file = join(folder, `${name}-${power}.json`);
    if (existsSync(file)) continue;
    const given = args === undefined ? [] : ["--args", JSON.stringify(args)];
    const words = ["measure", task, ...given, "--device", dry ? "cpu" : "cuda", "--index", config, "--paired", config];
    try {
      const answer = warpfarm(...words, "--rounds", String(count), "--measure", `power=${power}`);
      const { costs, ratio, seconds, ratio_low: low, ratio_high: high } = answer;
      writeFileSync(file, `${JSON.stringify({ task, args, power, costs })}\n`);
      rows.push([name, power, (seconds * 1e6).toFixed(1), ratio.toFixed(4), `${low.toFixed(4)} to ${high.toFixed(4)}`]);
    } catch (error) {
      rows.push([name, power, error.message.trim().split("\n").at(-1), "", ""]);
      process.exitCode = 1;
    }
  }
table(["kernel", "power", "us", "ratio to itself", "interval"], rows);
