/**
 * The cheats of test-support/cheats that a CPU can run, through what a child does with a job: plainly, where many pass, and
 * judged, where none does.
 */
import { defaultMeasureOptions, type MeasureOptions, normalValue, philoxBits, systemClock } from "@warpfarm/common";
import { afterAll, describe, expect, test } from "vitest";
import { CheatKernels } from "../../../test-support/cheats/on-cpu.ts";
import { cheats, type Defence, honest, plain, type Row, tensorsOf, textOf } from "../../../test-support/cheats/suite.mjs";
import { has, needs } from "../../../test-support/needs.ts";
import { CpuDevice } from "../device/cpu/cpu-device.ts";
import { carryOut } from "../worker/measure-job.ts";
import type { ChildAnswer } from "../worker/messages.ts";
import { Workloads } from "../worker/workloads.ts";

/** A fixed number of launches, so that no verdict depends on the machine's speed. */
const options: MeasureOptions = {
  ...defaultMeasureOptions("cpu", "as_asked"),
  number: 160,
  minRepeatMs: 0,
  repeat: 2,
  runTimeoutMs: 600_000,
};
/** Draws of lengths and inputs follow from these, so every run has the same. */
const judged = { secret: "5e".repeat(32), leaseSecret: "1a".repeat(32) };

const device = new CpuDevice();
const description = { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 2 ** 28, limits: {} };
let workloads = new Workloads(device, 2 ** 28);
const kernels = new CheatKernels([...cheats, ...honest]);
afterAll(() => kernels[Symbol.dispose]());

/** `scored`: judged without an audit, whose suspicions depend on how busy the machine is. */
async function measured(row: Row, how: "plain" | "scored" | "audited"): Promise<ChildAnswer> {
  const secrets = how === "scored" ? { ...judged, auditBelowMs: 0 } : judged;
  const job = how === "plain" ? { options } : { options: { ...options, judged: true as const }, judged: secrets };
  const answer = await carryOut(
    { kind: "measure", artifact: kernels.artifactOf(row), reference: kernels.artifactOf(plain(row.task)), ...job },
    { device, description, workloads, clock: systemClock, enter: async () => {}, hold: () => ({ [Symbol.dispose]() {} }) },
  );
  // A child that was written over ends, and the next one begins with new memory.
  if (answer.kind === "failed" && answer.tainted) workloads = new Workloads(device, 2 ** 28);
  return answer;
}

type Stop = Defence | "passes" | "not judged";
const ofRule: { readonly [rule: string]: Stop } = {
  out_of_bounds_write: "guards",
  CHEAT_SUSPECTED: "audit",
  structure: "structure",
  races: "races",
  "task.trivial": "task",
};
function stopOf(answer: ChildAnswer): Stop {
  if (answer.kind === "timed") return answer.judged && "not" in answer.judged ? "not judged" : "passes";
  if (answer.kind !== "failed") throw new Error(answer.kind);
  const known = ofRule[answer.rule];
  if (known !== undefined) return known;
  if (answer.errorNo !== 5) throw new Error(`${answer.rule}: ${answer.message}`);
  if (answer.message.startsWith("in an audit")) return "audit";
  return answer.message.startsWith("in a timed repeat") ? "judged" : "check";
}

/**
 * A cheat that looks at the clock takes a pause of the machine for one between batches, and works where it meant to do nothing.
 * Such a cheat passes when it happens to have worked in every launch that is compared. It is stopped when it is measured again.
 */
async function stopOfJudged(row: Row): Promise<Stop> {
  const isClocked = /^KERNEL \{[\s\S]*\b(?:now|began)\(\)/m.test(textOf(row, "cpu"));
  let stop: Stop = "passes";
  for (let tries = isClocked ? 3 : 1; tries > 0 && stop === "passes"; tries--) stop = stopOf(await measured(row, "audited"));
  return stop;
}

/** What stops a cheat in a plain measurement. */
const plainly: readonly Defence[] = ["check", "guards"];
/** Their answers are right. Their times are only suspected where a copy is much faster than the kernel, as on a GPU. */
const isCopying = ({ file }: Row) => file.startsWith("kernels/memo");

describe.runIf(has("c++"))("a cheat", () => {
  const onCpu = cheats.filter((row) => row.onCpu);
  test.for(onCpu)("$kind $name, measured plainly", async (row) => {
    const stops = row.stoppedBy.filter((defence) => plainly.includes(defence));
    expect(stopOf(await measured(row, "plain")), row.does).toBeOneOf(stops.length > 0 ? stops : ["passes"]);
  });
  test.for(onCpu)("$kind $name, judged", async (row) => {
    const stop = await stopOfJudged(row);
    if (row.task === "total") expect(stop).toBe("not judged");
    else if (row.stoppedBy.includes("no gain") || isCopying(row))
      expect(stop).toBeOneOf(["passes", "audit", "structure", "races"]);
    else expect(stop, row.does).not.toBe("passes");
  });
});

describe.runIf(has("c++"))("an honest kernel passes", () => {
  const trivial = cheats.flatMap(({ task, stoppedBy }) => (stoppedBy.includes("task") ? [task] : []));
  test.for(honest.filter(({ onCpu }) => onCpu))("$name", async (row) => {
    expect(stopOf(await measured(row, "plain"))).toBe("passes");
    const expected = trivial.includes(row.task) ? "task" : row.task === "total" ? "not judged" : "passes";
    expect(stopOf(await measured(row, "scored"))).toBe(expected);
  });
});

test("there is a compiler for C++", (ctx) => needs(ctx, "c++"));

test("sums in any order are within what the tasks state", () => {
  for (const task of ["product", "large", "rows", "ragged"]) {
    const [x, w, y] = ["x", "w", "y"].map((name) => tensorsOf(plain(task), "gpu").find((each) => each.name === name));
    const terms = x?.shape[1] ?? 0;
    let worst = 0;
    for (let at = 0; at < 1000 * terms; at += terms) {
      let [exact, rounded] = [0, 0];
      for (let i = at; i < at + terms; i++) {
        const term = Math.fround(normalValue(philoxBits(1, 0, i))) * (w ? Math.fround(normalValue(philoxBits(1, 1, i))) : 1);
        exact += term;
        rounded = Math.fround(rounded + term);
      }
      worst = Math.max(worst, Math.abs(rounded - exact));
    }
    expect(worst).toBeLessThan(Number(y?.tolerance?.atol) / 2);
    expect(worst).toBeGreaterThan(Number(y?.tolerance?.atol) / 20);
  }
});

test("each class of cheats has one, and the suite is as large as it was asked to be", () => {
  expect([...new Set(cheats.map(({ kind }) => kind))].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))).toEqual(
    Array.from({ length: 29 }, (_, i) => `D${i + 1}`),
  );
  expect(cheats.length).toBeGreaterThanOrEqual(60);
});
