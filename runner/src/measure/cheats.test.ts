/**
 * The cheats of test-support/cheats that a CPU can run, through what a child does with a job. What a defence stops is stopped;
 * what none of today's stops is known to pass, so that a new defence shows here.
 */
import { defaultMeasureOptions, type MeasureOptions, systemClock } from "@warpfarm/common";
import { afterAll, describe, expect, test } from "vitest";
import { CheatKernels } from "../../../test-support/cheats/on-cpu.ts";
import { cheats, type Defence, honest, plain, type Row } from "../../../test-support/cheats/suite.mjs";
import { has, needs } from "../../../test-support/needs.ts";
import { CpuDevice } from "../device/cpu/cpu-device.ts";
import { carryOut } from "../worker/measure-job.ts";
import type { ChildAnswer } from "../worker/messages.ts";
import { Workloads } from "../worker/workloads.ts";

/** A fixed number of launches, so that no verdict depends on the machine's speed. */
const options: MeasureOptions = {
  ...defaultMeasureOptions("cpu"),
  number: 120,
  minRepeatMs: 0,
  repeat: 1,
  runTimeoutMs: 600_000,
};
/** Those that a session has today. */
const there: readonly Defence[] = ["check", "guards"];

const device = new CpuDevice();
let workloads = new Workloads(device, 2 ** 28);
const description = { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 0, limits: {} };

const kernels = new CheatKernels([...cheats, ...honest]);
afterAll(() => kernels[Symbol.dispose]());

async function measured(row: Row): Promise<ChildAnswer> {
  const answer = await carryOut(
    { kind: "measure", artifact: kernels.artifactOf(row), reference: kernels.artifactOf(plain(row.task)), options },
    { device, description, workloads, clock: systemClock, enter: async () => {}, hold: () => ({ [Symbol.dispose]() {} }) },
  );
  // A child that was written over ends, and the next one begins with new memory.
  if (answer.kind === "failed" && answer.tainted) workloads = new Workloads(device, 2 ** 28);
  return answer;
}

function stopOf(answer: ChildAnswer): Defence | "passes" | string {
  if (answer.kind === "timed") return "passes";
  if (answer.kind !== "failed") return answer.kind;
  if (answer.rule === "out_of_bounds_write") return "guards";
  return answer.errorNo === 5 ? "check" : `${answer.rule}: ${answer.message}`;
}

describe.runIf(has("c++"))("a cheat", () => {
  test.for(cheats.filter(({ onCpu }) => onCpu))("$kind $name", async (row) => {
    const stops = row.stoppedBy.filter((defence) => there.includes(defence));
    expect(stopOf(await measured(row)), row.does).toBeOneOf(stops.length > 0 ? stops : ["passes"]);
  });
});

describe.runIf(has("c++"))("an honest kernel passes", () => {
  test.for(honest.filter(({ onCpu }) => onCpu))("$name", async (row) => {
    expect(stopOf(await measured(row))).toBe("passes");
  });
});

test("there is a compiler for C++", (ctx) => needs(ctx, "c++"));

test("each class of cheats has one, and the suite is as large as it was asked to be", () => {
  expect([...new Set(cheats.map(({ kind }) => kind))].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))).toEqual(
    Array.from({ length: 29 }, (_, i) => `D${i + 1}`),
  );
  expect(cheats.length).toBeGreaterThanOrEqual(60);
});
