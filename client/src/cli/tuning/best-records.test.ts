/** Which records of a log are ranked together: those of one task, arguments, target, device and conditions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DeviceFacts, defaultMeasureOptions, type MeasureOptions } from "@warpfarm/common";
import { encodeTrial, type TrialRecord } from "@warpfarm/records/logs";
import { expect, test } from "vitest";
import { timedResult } from "../../measure/scripted.testing.ts";
import { scratch } from "../context.testing.ts";
import { chosen, readTasks, type TaskRecords, titleOf } from "./best-records.ts";

interface Of extends Partial<Pick<TrialRecord["run"], "task" | "args" | "target">>, Partial<MeasureOptions> {
  readonly device?: string;
}
const trial = (
  { task = "t", args = [64], target = "cpu/x86-64-v3", device = "a CPU", ...options }: Of,
  sequence: number,
): TrialRecord => {
  const facts: DeviceFacts = { key: target, name: device, uuid: "u", node: "n", driver: "none" };
  return {
    run: { task, args, target, tuner: "random", seed: 0 },
    session: "s",
    sequence,
    told: sequence - 1,
    config: { index: sequence, code_hash: null, entity: [["x", "ot", sequence]] },
    options: { ...defaultMeasureOptions("cpu"), ...options },
    result: { ...timedResult(1e-3), device: facts },
  } as TrialRecord;
};

test.each<[string, Of]>([
  ["another task", { task: "u" }],
  ["other arguments", { args: [65] }],
  ["another target", { target: "cuda/sm_90" }],
  ["another device", { device: "another CPU" }],
  ["a flushed L2", { l2: "flushed" }],
  ["exact inputs", { inputs: "exact" }],
  ["another timer", { timer: "events" }],
])("%s makes another group, and nothing else does", async (_, other) => {
  const path = join(scratch(), "log.jsonl");
  const lines = [{}, other, { repeat: 7, check: "none" as const }, other].map((of, i) => encodeTrial(trial(of, i + 1)));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  const found = await readTasks(path, "log.jsonl", { stderr: { write: () => true } } as never);
  expect(found.map(({ records }) => records.length)).toEqual([2, 2]);
  expect(new Set(found.map(titleOf)).size).toBe(2);
});

test("of an operator's templates the fastest is shown, and of equally fast ones each, on every device for itself", () => {
  const tasks = (
    [
      ["a", "x", 1e-3],
      ["b", "x", 1e-3],
      ["c", "x", 2e-3],
      ["c", "y", 3e-3],
    ] as const
  ).map(([task, device, seconds]): TaskRecords => {
    const record = { ...trial({ task, device }, 1), result: timedResult(seconds) };
    return {
      ...{ task, args: [64], target: "cpu/x86-64-v3", device, conditions: "", operator: "o" },
      ...{ records: [{ kind: "warpfarm", trial: record }], finals: [] },
    };
  });
  expect(chosen(tasks, undefined, undefined).map(({ task, device }) => task + device)).toEqual(["ax", "bx", "cy"]);
});
