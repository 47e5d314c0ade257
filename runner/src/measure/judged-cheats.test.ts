/** The cheats of test-support/cheats that a CPU can run, judged and audited: what judged repeats or an audit stop, they stop. */
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
  ...{ number: 200, minRepeatMs: 0, repeat: 2, runTimeoutMs: 600_000, cooldownMs: 0, judged: true },
};
/**
 * What an audit alone stops is too fast, and a host's processor is too disturbed for small kernels (judged.test.ts has large
 * ones).
 */
const there: readonly Defence[] = ["check", "guards", "judged"];

const device = new CpuDevice();
let workloads = new Workloads(device, 2 ** 28);
const description = { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 0, limits: {} };
const kernels = new CheatKernels([...cheats, ...honest]);
afterAll(() => kernels[Symbol.dispose]());

async function measured(row: Row): Promise<ChildAnswer> {
  const answer = await carryOut(
    {
      ...{ kind: "measure", artifact: kernels.artifactOf(row), reference: kernels.artifactOf(plain(row.task)), options },
      judged: { secret: "5e".repeat(32), leaseSecret: "1f".repeat(32) },
    },
    { device, description, workloads, clock: systemClock, enter: async () => {}, hold: () => ({ [Symbol.dispose]() {} }) },
  );
  if (answer.kind === "failed" && answer.tainted) workloads = new Workloads(device, 2 ** 28);
  return answer;
}

function stopOf(answer: ChildAnswer): string {
  if (answer.kind === "timed") return answer.judged && "not" in answer.judged ? `not judged: ${answer.judged.not}` : "passes";
  return answer.kind === "failed" ? `${answer.rule}` : answer.kind;
}

describe.runIf(has("c++"))("judged and audited", () => {
  const rows = cheats.filter(({ onCpu, stoppedBy }) => onCpu && stoppedBy.some((defence) => there.includes(defence)));
  test.for(rows)("$kind $name is stopped", async (row) => {
    expect(stopOf(await measured(row)), row.does).not.toBe("passes");
  });

  test.for(honest.filter(({ onCpu }) => onCpu))("honest $name passes, or its task is refused", async (row) => {
    // A copy of the input answers `clip`, zeros answer `tiny`, and `total` writes what it reads.
    const not: { readonly [task: string]: string } = { clip: "task.trivial", tiny: "task.trivial", total: "not judged: in-out" };
    expect(stopOf(await measured(row))).toBe(not[row.task] ?? "passes");
  });
});

test("there is a compiler for C++", (ctx) => needs(ctx, "c++"));
