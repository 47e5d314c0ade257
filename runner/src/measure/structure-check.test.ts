/** Inputs of other structure, and tasks that an answer without work passes, on the suite's kernels that a CPU can run. */
import { inputSeed, type ManifestBuffer } from "@warpfarm/common";
import { afterAll, describe, expect, test, vi } from "vitest";
import { CheatKernels } from "../../../test-support/cheats/on-cpu.ts";
import { cheats, honest, plain, type Row, taskNames } from "../../../test-support/cheats/suite.mjs";
import { tensor } from "../../../test-support/kernels.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { CpuDevice } from "../device/cpu/cpu-device.ts";
import type { Buffers, DeviceApi, DeviceBuffer } from "../device/device-api.ts";
import type { LocalArtifact } from "../worker/messages.ts";
import { tolerancesOf } from "./check.ts";
import { elementsOf } from "./elements.ts";
import { checkStructure, type StructureCheck } from "./structure-check.ts";
import { firstBytes, structures } from "./structures.ts";
import { trivialAnswer } from "./trivial-task.ts";

const device: DeviceApi = new CpuDevice();
const kernels = new CheatKernels([...cheats, ...honest]);
afterAll(() => kernels[Symbol.dispose]());
const isInPlace = ({ task }: Row) => task === "total";

function runner({ manifest, codePath }: LocalArtifact) {
  return (buffers: Buffers): void => {
    using module = device.load(manifest, codePath);
    device.run(module, buffers, 1, "wall");
  };
}

function checkOf(row: Row): StructureCheck {
  const reference = kernels.artifactOf(plain(row.task));
  const candidate = kernels.artifactOf(row);
  const tensors = reference.manifest.buffers;
  const run = runner(reference);
  const workspaces = candidate.manifest.buffers.filter(({ role }) => role === "workspace");
  return {
    tensors,
    inputs: "full",
    seed: 7,
    fill: (buffer, number) => device.fill(buffer, 7, number, "full"),
    reference: (buffers, see) => {
      run(buffers);
      for (const buffer of buffers.values()) if (buffer.spec.role === "out") see(buffer);
    },
    candidate: { own: new Map(workspaces.map((spec) => [spec.name, device.allocate(spec)])), run: runner(candidate) },
  };
}
const checked = (row: Row, phases: string[] = []) =>
  checkStructure(device, checkOf(row), 1_000, {
    enter: async (phase, budget) => void phases.push(`${phase} ${budget ?? ""}`.trim()),
  });

describe.runIf(has("c++"))("inputs of other structure", () => {
  const others = cheats.filter(({ onCpu, stoppedBy }) => onCpu && stoppedBy.includes("structure"));
  test.for(others)("$kind: notice $name", async (row) => {
    const outcome = await checked(row);
    expect(outcome, row.does).toMatchObject({ kind: "failed", errorNo: 5, rule: "structure" });
  });
  test.for(honest.filter((row) => row.onCpu && !isInPlace(row)))("pass $name", async (row) => {
    expect(await checked(row)).toMatchObject({ kind: "right", leftOut: [] });
  });
  test("are those that suit the inputs, each a check and then a run with its own limit", async () => {
    const phases: string[] = [];
    const names = async (task: string) =>
      ((await checked(plain(task), phases.splice(0) && phases)) as { checked: readonly string[] }).checked;
    expect(await names("decay")).toEqual(["scaled by 10", "moved by 5", "small", "tails", "ramp", "high", "low"]);
    expect(await names("plain-norm")).toEqual(["scaled by 10", "moved by 5", "small", "tails", "ramp", "perturbed"]);
    expect(await names("counts")).toEqual(["high", "low", "uneven"]);
    expect(phases).toEqual(Array(3).fill(["check", "run 1000", "check"]).flat());
  });
  test("say which inputs they were, and leave out those without a finite answer", async () => {
    const row = cheats.find(({ name }) => name.startsWith("drop-small"));
    expect(await checked(row as Row)).toMatchObject({
      message: expect.stringMatching(/^with inputs "small": output "y": 1000 elements/),
    });
    const check = checkOf(plain("scale"));
    const infinite = (output: DeviceBuffer) =>
      device.write(output, new Uint8Array(new Float32Array(output.spec.bytes / 4).fill(Number.POSITIVE_INFINITY).buffer));
    for (const spoil of [(output: DeviceBuffer) => device.poison(output), infinite]) {
      const reference: StructureCheck["reference"] = (buffers, see) => {
        check.reference(buffers, () => {});
        const output = buffers.get("y") as DeviceBuffer;
        if (Math.abs(device.contents(buffers.get("x") as DeviceBuffer).high) > 100) spoil(output);
        see(output);
      };
      expect(await checkStructure(device, { ...check, reference }, 1_000, { enter: async () => {} })).toEqual({
        kind: "right",
        checked: ["scaled by 10", "moved by 5", "small", "ramp"],
        leftOut: ["tails"],
      });
    }
  });
});

/** With a tolerance of its own. */
function statedCheck(): StructureCheck {
  const check = checkOf(plain("scale"));
  const tolerance = { atol: "1", rtol: "0" } as const;
  return { ...check, tensors: check.tensors.map((spec) => (spec.role === "out" ? { ...spec, tolerance } : spec)) };
}

test("a stated tolerance follows terms that cancel out", async (ctx) => {
  needs(ctx, "c++");
  const write = (buffers: Buffers, value: number) => {
    const output = buffers.get("y") as DeviceBuffer;
    device.write(output, new Uint8Array(new Float32Array(output.spec.bytes / 4).fill(value).buffer));
    return output;
  };
  const offBy = (error: number) => ({
    ...statedCheck(),
    reference: ((buffers, see) => see(write(buffers, 1))) satisfies StructureCheck["reference"],
    // Where inputs are several times the usual ones.
    candidate: {
      own: new Map(),
      run: (buffers: Buffers) => void write(buffers, device.contents(buffers.get("x") as DeviceBuffer).high > 15 ? 1 + error : 1),
    },
  });
  const outcome = (error: number) => checkStructure(device, offBy(error), 1_000, { enter: async () => {} });
  expect(await outcome(100)).toMatchObject({ kind: "right", leftOut: [] });
  expect(await outcome(10_000)).toMatchObject({ kind: "failed", rule: "structure" });
});

test("what says how large right errors are on the usual inputs is given back, like all else", async (ctx) => {
  needs(ctx, "c++");
  const check = statedCheck();
  const [taken, given] = [vi.spyOn(device, "allocate"), vi.spyOn(device, "free")];
  expect(await checkStructure(device, check, 1_000, { enter: async () => {} })).toMatchObject({ kind: "right" });
  expect(taken.mock.calls.length).toBeGreaterThan(0);
  expect(given.mock.calls.length).toBe(taken.mock.calls.length);
  vi.restoreAllMocks();
});

describe("a structure", () => {
  const changes = (spec: ManifestBuffer) =>
    structures.flatMap(({ name, changeOf }) => (changeOf(spec) ? [[name, changeOf(spec)]] : []));
  test("leaves files, permutations, constant integers and integers without a range", () => {
    const of = (dtype: "int32" | "float32", fill: ManifestBuffer["fill"]) => ({
      ...tensor("x", "in", dtype, [8]),
      ...(fill ? { fill } : {}),
    });
    expect(changes(of("int32", undefined))).toEqual([]);
    expect(changes(of("int32", { kind: "permutation" }))).toEqual([]);
    expect(changes(of("int32", { kind: "constant", value: "4" }))).toEqual([]);
    expect(changes(of("float32", { kind: "blob", digest: `sha256:${"0".repeat(64)}` }))).toEqual([]);
    expect(changes(of("float32", { kind: "constant", value: "-2" }))).toEqual([
      ["perturbed", { fill: { kind: "normal", mean: "-2", deviation: "0.5" } }],
    ]);
  });
  test("of a range of integers has both ends in it, the upper one in one of 64", () => {
    const spec = { ...tensor("x", "in", "int32", [200]), fill: { kind: "range", from: "3", to: "9" } as const };
    const uneven = structures.find(({ name }) => name === "uneven")?.changeOf(spec);
    expect(uneven?.fill).toEqual({ kind: "constant", value: "3" });
    const values = [...new Int32Array(firstBytes(spec, uneven?.first ?? Number, 1, 0).slice().buffer)];
    expect([values.filter((x) => x === 9).length, values.filter((x) => x === 3).length]).toEqual([4, 196]);
  });
  test("follows the declared distribution, and makes half precision less small", () => {
    const given = { ...tensor("x", "in", "float16", [8]), fill: { kind: "normal", mean: "2", deviation: "3" } as const };
    expect(changes(given).slice(0, 3)).toEqual([
      ["scaled by 10", { fill: { kind: "normal", mean: "20", deviation: "30" } }],
      ["moved by 5", { fill: { kind: "normal", mean: "17", deviation: "3" } }],
      ["small", { fill: { kind: "normal", mean: "0.125", deviation: "0.1875" } }],
    ]);
  });
  test("writes at most 65,536 elements, those of its index", () => {
    const spec = tensor("x", "in", "float16", [3, 40_000]);
    const bytes = firstBytes(spec, (index) => index % 100, 1, 0);
    expect(bytes).toHaveLength(2 * 65_536);
    expect([0, 99, 100, 65_535].map((i) => elementsOf("float16", bytes, 65_536)[i])).toEqual([0, 99, 0, 35]);
    expect(firstBytes(tensor("x", "in", "int32", [5]), (index) => index - 2, 1, 0)).toHaveLength(20);
  });
});

describe.runIf(has("c++"))("a task is trivial", () => {
  function answerOf(task: string): string | undefined {
    const { manifest, codePath } = kernels.artifactOf(plain(task));
    const buffers = new Map(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
    for (const [number, spec] of manifest.buffers.entries())
      if (spec.role === "in") device.fill(buffers.get(spec.name) as DeviceBuffer, inputSeed, number, "full");
    const held = new Map([...buffers].map(([name, buffer]) => [name, device.contents(buffer)]));
    runner({ manifest, codePath } as LocalArtifact)(buffers);
    const reference = new Map([...buffers].filter(([, { spec }]) => spec.role === "out"));
    const tolerances = tolerancesOf(manifest.buffers, undefined, held);
    return trivialAnswer(device, buffers, { reference, toleranceOf: (name) => tolerances.get(name) ?? { atol: 0, rtol: 0 } });
  }
  const trivial = cheats.filter(({ stoppedBy }) => stoppedBy.includes("task")).map(({ task }) => task);
  test.for(taskNames.filter((task) => task !== "total"))("%s: as the suite says", (task) => {
    const answer = answerOf(task);
    if (trivial.includes(task))
      expect(answer).toMatch(/^the task is trivial: (?:an output of zeros|a copy of input "x") is within the tolerance/);
    else expect(answer).toBeUndefined();
  });
});

test("there is a compiler for C++", (ctx) => needs(ctx, "c++"));
