/**
 * Finalists and paired timing on a GPU, by the commands a user has, on an embedded farm; and kernels with large local arrays,
 * whose verdict must name them.
 *
 *   npm run build && node bench/gpu/finalists.mjs [--dry]
 *
 * About four minutes on an H100. Exit code 1 when something is not as expected:
 *   search    24 trials of matmul_simt, then 5 interleaved finalists: a winner with its interval, who cannot be told from it
 *   best      names the winner; --resume measures nothing again
 *   A/A       a config paired with itself: the interval of the ratio holds 1 (in 1 of 20 runs it does not), and is narrower than
 *             2 %
 *   default   a config paired with the default schedule: told apart
 *   local     arrays of 64 KiB to 448 KiB a thread: each runs, or is refused with local_memory; none is UNKNOWN_ERROR
 * --dry does the search on a CPU and leaves the local arrays out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, digestOf, toProgramDigest } from "../../common/dist/index.js";
import { openCommand } from "./shared/command.mjs";
import { dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";

const { folder, warpfarm } = openCommand();
const task = dry
  ? ["matmul_derived", "--args", '{"M":128,"N":128,"K":128}', "--device", "cpu"]
  : ["matmul_simt", "--args", '{"M":1024,"N":1024,"K":1024}', "--device", "cuda"];
let failures = 0;

function expect(what, holds, found) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}: ${found}`);
  if (!holds) failures++;
}

const us = (seconds) => `${(seconds * 1e6).toFixed(2)} us`;

function search() {
  const args = ["tune", ...task, "--trials", "24", "--measure", "repeat=3,min_repeat=20ms", "--log", "t.jsonl"];
  const begun = performance.now();
  const { finalists, best } = warpfarm(...args);
  const seconds = ((performance.now() - begun) / 1e3).toFixed(1);
  expect("search", finalists.winner === best.index && finalists.ranks.length === 5, `winner ${finalists.winner}, ${seconds} s`);
  for (const rank of finalists.ranks)
    console.log(
      `     ${rank.index}: ${us(rank.seconds)} [${us(rank.seconds_low)}, ${us(rank.seconds_high)}], ${rank.ratio.toFixed(4)} ` +
        `[${rank.ratio_low.toFixed(4)}, ${rank.ratio_high.toFixed(4)}] times the winner's${rank.told_apart ? ", told apart" : ""}`,
    );
  console.log(
    `     gap to ${finalists.runner_up}: ${(100 * finalists.gap).toFixed(3)} %, ${finalists.gap_in_noise?.toFixed(2)} times the noise`,
  );
  console.log(`     not told apart: ${finalists.tied.join(", ") || "none"}`);
  const shown = warpfarm("best", "t.jsonl");
  expect("best", shown.index === best.index && shown.finalist.winner, `index ${shown.index}`);
  warpfarm("tune", "--resume", "t.jsonl");
  const notes = readFileSync(join(folder, "t.jsonl"), "utf8").match(/\{"finalists"/g)?.length ?? 0;
  expect("resume", notes === 1, `${notes} measurements of finalists in the log`);
  return best.index;
}

function paired(index) {
  const words = ({ ratio, ratio_low, ratio_high }) => `${ratio.toFixed(4)} [${ratio_low.toFixed(4)}, ${ratio_high.toFixed(4)}]`;
  const same = warpfarm("measure", ...task, "--index", `${index}`, "--paired", `${index}`);
  const isNarrow = dry || same.ratio_high / same.ratio_low < 1.02;
  expect("A/A", same.ratio_low <= 1 && same.ratio_high >= 1 && isNarrow, words(same));
  const other = warpfarm("measure", ...task, "--index", `${index}`, "--paired", "default");
  expect("default", other.told_apart, words(other));
}

/** out[i] of x, through an array of `bytes` bytes per thread whose indices the compiler does not know. */
/** @returns {import("@warpfarm/common").ProgramBytes} */
function localProgram(target, bytes) {
  const n = bytes / 4;
  const text = `extern "C" __global__ void local(const float *x, float *y) {
  float a[${n}];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < ${n}; k++) a[k] = x[i] + k;
  int at = ((int)(x[i] * 256.0f) + 256) % ${n};
  y[i] = a[at] - at;
}
`;
  const tensor = { dtype: "float32", shape: [1024], fill: "random" };
  const json = {
    version: 1,
    kind: "cuda_source",
    target,
    files: { "local.cu": text },
    kernels: [{ entry: "local", grid: [4, 1, 1], block: [256, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
    defines: {},
    flags: [],
    args: [
      { name: "x", role: "in", ...tensor },
      { name: "y", role: "out", ...tensor },
    ],
  };
  const bytesOf = Buffer.from(canonicalJson(json));
  return { digest: toProgramDigest(digestOf(bytesOf)), bytes: bytesOf };
}

async function localArrays() {
  const target = targetHere();
  const builds = await openBuilds(1);
  const host = await openHost();
  try {
    for (const kib of [64, 192, 256, 320, 448]) {
      const built = await builds.build(localProgram(target, kib * 1024));
      if (!built.artifact) {
        expect(`local ${kib} KiB`, true, `refused by the compiler: ${built.refused.rule ?? built.refused.message}`);
        continue;
      }
      const result = await host.run(built.artifact, undefined, { check: "none" });
      const words = result.kind === "timed" ? us(result.costs[0]) : `${result.rule ?? result.kind}: ${result.message}`;
      const isRight =
        result.kind === "timed" || (result.kind === "failed" && result.errorNo === 4 && result.rule === "local_memory");
      expect(`local ${kib} KiB`, isRight, words);
    }
  } finally {
    await host.close();
    await builds.close();
  }
}

paired(search());
if (!dry) await localArrays();
process.exit(failures > 0 ? 1 : 0);
