import { Session } from "node:inspector/promises";
import { createTask, type TemplateTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { tuners } from "../tuner/index.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import type { ShareSource } from "../tuner/tuner.ts";
import { foresee } from "./open-search.ts";
import { wholeSpec } from "./search-spec.ts";
import { shippedFor, withShipped } from "./shipped.ts";

const task = createTask("matmul_latency", {}, "cuda/sm_90");
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
function makeTuner(at: TemplateTask, known: readonly ShareSource[] = [own]): void {
  tuners.auto({ space: at.space, seed: 3, isValid: () => true, ...optionsOfRecords(at, withShipped(known, at, "auto")) });
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

test("what was foreseen is not learnt again, whatever the seed, the target, the shape and the epilogue; other records are", async () => {
  expect(await trainings(() => foresee({ spec: specOf("none"), task }, records, signal))).toBe(0);
  expect(await trainings(() => foresee({ spec: specOf("farm"), task }, records, signal))).toBeGreaterThan(0);
  expect(await trainings(() => makeTuner(task))).toBe(0);
  expect(await trainings(() => makeTuner(createTask("matmul_latency", {}, "cuda/sm_80")))).toBe(0);
  const small = { M: 16, N: 1040, K: 528, epilogue: ["bias", "relu"] };
  expect(await trainings(() => makeTuner(createTask("matmul_latency", small, "cuda/sm_90")))).toBe(0);
  const faster = own.rows.map((row, i) => (i === 0 && row.seconds !== undefined ? { ...row, seconds: row.seconds / 2 } : row));
  expect(await trainings(() => makeTuner(task, [{ ...own, rows: faster }]))).toBeGreaterThan(0);
});

test("shapes whose spaces have other entries learn once from what ships, with any epilogue", async () => {
  const taskOf = (H: number, CI: number, epilogue: readonly string[]) =>
    createTask("conv2d_splitk", { H, W: H, CO: 256, CI, KH: 1, KW: 1, padding: [0, 0], epilogue }, "cuda/sm_90");
  const [wide, narrow] = [taskOf(14, 1024, ["bias", "relu"]), taskOf(28, 48, [])];
  expect(narrow.space.size).not.toBe(wide.space.size);
  expect(await trainings(() => makeTuner(wide, []))).toBeGreaterThan(0);
  expect(await trainings(() => makeTuner(narrow, []))).toBe(0);
});
