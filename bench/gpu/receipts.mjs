/**
 * How many of 100 sessions lie in the prediction that five earlier sessions give, on one device: ten kernels in turns, 15
 * sessions each, so that the sessions of one kernel are minutes apart.
 *
 *   npm run build && node bench/gpu/receipts.mjs [--cpu]
 *
 * Resumable: each session is a line of $OUT/receipts.jsonl (out/ without $OUT), and a second run goes on after the last. Writes
 * bench/results/gpu-receipts.json. --cpu tries the script on a processor, and writes no results.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { groupBy } from "@warpfarm/records/group-by";
import { leastSessions, spreadOf } from "@warpfarm/records/receipts";
import { measure, openFarm } from "../../index.js";
import { saveResults } from "../results.mjs";
import { powerBound } from "./hopper-cases.mjs";
import { median, outFolder, percent, table } from "./shared/sections.mjs";

const isCpu = process.argv.includes("--cpu");
/**
 * @type {{ task: string, args?: import("@warpfarm/common").Json, config: "published" | number | Readonly<Record<string,
 * import("@warpfarm/common").Json>> }[]}
 */
const kernels = isCpu
  ? [16, 32, 64].map((n) => ({ task: "matmul_derived", args: { M: n, N: n, K: n }, config: 0 }))
  : // References of the largest products take longer than the session.
    [
      ...powerBound.filter(({ args }) => args?.M !== 8192),
      { task: "elementwise_derived", config: { "z.threads": 256, "z.vector": 4, "z.items": 1 } },
    ];
const turns = leastSessions + 10;

const lines = join(outFolder, isCpu ? "receipts-cpu.jsonl" : "receipts.jsonl");
mkdirSync(outFolder, { recursive: true });
/** @type {{ name: string, seconds: number }[]} */
const done = existsSync(lines)
  ? readFileSync(lines, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line))
  : [];
const farm = await openFarm({ device: isCpu ? "cpu" : "cuda" });
for (let turn = 0; turn < turns; turn++)
  for (const kernel of kernels) {
    const name = `${kernel.task} ${JSON.stringify(kernel.args ?? "published")}`;
    if (done.filter((each) => each.name === name).length > turn) continue;
    const result = await measure(farm, kernel);
    if (result.kind !== "timed") throw new Error(`${name}: ${"message" in result ? result.message : result.kind}`);
    const session = { name, seconds: median(result.costs) };
    done.push(session);
    appendFileSync(lines, `${JSON.stringify(session)}\n`);
  }
await farm[Symbol.asyncDispose]();

const rows = [...groupBy(done, ({ name }) => name)].map(([name, sessions]) => {
  const seconds = sessions.map((each) => each.seconds);
  const [first, next] = [seconds.slice(0, leastSessions), seconds.slice(leastSessions)];
  const { prediction, deviation } = spreadOf(first);
  const inside = next.filter((each) => each >= prediction.low && each <= prediction.high).length;
  return {
    name,
    us: median(first) * 1e6,
    deviation,
    half: Math.log(prediction.high / prediction.low) / 2,
    inside,
    of: next.length,
  };
});
table(
  ["kernel", "us", "deviation", "prediction +-", "inside"],
  rows.map(({ name, us, deviation, half, inside, of }) => [
    name,
    us.toFixed(1),
    percent(deviation),
    percent(half),
    `${inside} of ${of}`,
  ]),
);
const total = (/** @type {"inside" | "of"} */ name) => rows.reduce((sum, row) => sum + row[name], 0);
console.log(`inside: ${total("inside")} of ${total("of")}`);
if (!isCpu) saveResults("gpu-receipts", "node bench/gpu/receipts.mjs", { rows }, { gpu: true });
