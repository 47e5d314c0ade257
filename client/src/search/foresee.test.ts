import { Session } from "node:inspector/promises";
import { createTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { tuners } from "../tuner/index.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import type { ShareSource } from "../tuner/tuner.ts";
import { foresee } from "./open-search.ts";
import { wholeSpec } from "./search-spec.ts";
import { shippedFor, withShipped } from "./shipped.ts";

const taskOf = (target: string) => createTask("matmul_latency", {}, target);
const task = taskOf("cuda/sm_90");
const specOf = (start: "farm" | "none") =>
  wholeSpec({ version: 1, task: { template: "matmul_latency" }, start }, task, "cuda/sm_90");

/** Records that no other test begins with: the models of a process are remembered. */
const [first] = shippedFor(task) as [ShareSource];
const own: ShareSource = {
  ...first,
  name: "of this test",
  of: { args: [3, 4096, 4096, "float16", "NN"], target: "cuda/sm_90" },
  rows: first.rows.map((row, i) => ({ ...row, ...(row.seconds === undefined ? {} : { seconds: row.seconds * (1 + i / 700) }) })),
};
const records = { of: async () => [own] };
const { signal } = new AbortController();

/** As a search makes its tuner, whatever its seed. */
function makeTuner(target: string): void {
  const at = taskOf(target);
  tuners.auto({ space: at.space, seed: 3, isValid: () => true, ...optionsOfRecords(at, withShipped([own], at, "auto")) });
}

/** Whether boosted trees were trained (1 or 0); the engine says so, and optimizes what it need not count. */
async function trainings(act: () => void | Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: false });
  await act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const { functions = [] } = result.find(({ url }) => /\/boost\/boost\.[tj]s$/.test(url)) ?? {};
  return functions.find(({ functionName }) => functionName === "train")?.ranges[0]?.count ?? 0;
}

test("what was foreseen is not learnt again, whatever the seed; another target's is", async () => {
  expect(await trainings(() => foresee({ spec: specOf("none"), task }, records, signal))).toBe(0);
  expect(await trainings(() => foresee({ spec: specOf("farm"), task }, records, signal))).toBeGreaterThan(0);
  expect(await trainings(() => makeTuner("cuda/sm_90"))).toBe(0);
  expect(await trainings(() => makeTuner("cuda/sm_80"))).toBeGreaterThan(0);
});
