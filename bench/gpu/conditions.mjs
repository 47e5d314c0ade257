/**
 * What a time depends on besides the kernel: what inputs hold, and whether the GPU is in a burst or at its limit of power.
 * Kernels that are bound by power, each measured with both kinds of inputs, by short repeats with rests and by long ones, in
 * turns.
 *
 *   npm run build && node bench/gpu/conditions.mjs
 *
 * Writes bench/results/gpu-conditions.json.
 */
import { measure, openFarm } from "../../index.js";
import { saveResults } from "../results.mjs";
import { powerBound } from "./hopper-cases.mjs";
import { median, table } from "./shared/sections.mjs";

const inputs = /** @type {const} */ (["full", "exact"]);
const states = /** @type {const} */ ({
  burst: { power: "burst", repeat: 15 },
  sustained: { power: "sustained", repeat: 3, min_repeat: "1s" },
});

const farm = await openFarm({ device: "cuda" });
const measured = [];
for (const row of powerBound) {
  const us = {};
  for (const [state, how] of Object.entries(states))
    for (const kind of inputs) {
      const result = await measure(farm, { ...row, measure: { ...how, inputs: kind } });
      if (result.kind !== "timed")
        throw new Error(
          `${row.task} ${JSON.stringify(row.args)} ${state} ${kind}: ${"message" in result ? result.message : result.kind}`,
        );
      us[`${state} ${kind}`] = median(result.costs) * 1e6;
    }
  measured.push({ task: row.task, args: JSON.stringify(row.args ?? "published"), ...us });
}
await farm[Symbol.asyncDispose]();
table(
  ["kernel", "arguments", ...Object.keys(states).flatMap((state) => inputs.map((kind) => `${state} ${kind} us`)), "full / exact"],
  measured.map(({ task, args, ...us }) => [
    task,
    args,
    ...Object.values(us).map((x) => x.toFixed(1)),
    (us["sustained full"] / us["sustained exact"]).toFixed(3),
  ]),
);
saveResults("gpu-conditions", "node bench/gpu/conditions.mjs", { rows: measured }, { gpu: true });
