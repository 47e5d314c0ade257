/** Repeated runs on a scripted device, whose results differ as a script says. */
import { type ArtifactManifest, defined, toDigest, toProgramDigest } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import type { Candidate } from "./batches.ts";
import { checkRaces, type RaceOptions, raceRuns } from "./races.ts";

const zero = `sha256:${"0".repeat(64)}`;
const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(zero),
  target: "cpu/x86-64-v1",
  format: "so",
  code: toDigest(zero),
  kernels: [],
  buffers: [],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "",
  notes: [],
};
/** The outputs of run `batch`, counted from 0. */
type Gives = (batch: number) => readonly number[];

type Asked = Partial<RaceOptions> & { readonly deterministic?: true };
async function outcomeOf(gives: Gives, { deterministic, ...over }: Asked = {}, more: Partial<Script> = {}) {
  const device = new ScriptedDevice();
  const compute: Script["compute"] = (bytes, batch) => new Float32Array(bytes("y").buffer).set(gives(batch));
  device.scripts.set("candidate", { ms: () => 1, compute, ...more });
  const [y, reference] = [0, 1].map(() =>
    device.allocate({ ...tensor("y", "out", "float32", [2]), ...defined({ deterministic }) }),
  );
  if (!y || !reference) throw new Error("two buffers");
  new Float32Array((reference as unknown as { bytes: Uint8Array }).bytes.buffer).set([1, 2]);
  const candidate: Candidate = {
    module: device.load(manifest, "candidate"),
    buffers: new Map([["y", y]]),
    expected: { reference: new Map([["y", reference]]), toleranceOf: () => ({ rtol: 1e-3, atol: 0 }) },
    refill: () => {},
  };
  const phases: string[] = [];
  const options = { runTimeoutMs: 1_000, mayAddFloats: true, ...over };
  const hooks = {
    enter: async (phase: string, budget?: number) => void phases.push(`${phase} ${budget}`),
    monotonic: () => device.now,
  };
  const outcome = await checkRaces(device, candidate, options, hooks);
  expect(phases).toEqual(["run 1000"]);
  expect(device.live).toBe(2);
  return { outcome, device };
}

describe("32 runs beside other work", () => {
  test("with equal bits are right", async () => {
    const { outcome, device } = await outcomeOf(() => [1, 2], { mayAddFloats: false, deterministic: true });
    expect(outcome).toEqual({ kind: "right", runs: raceRuns, unlike: 0 });
    expect(device.disturbed).toEqual(Array.from({ length: raceRuns }, (_, step) => [step, "over"]).flat());
  });
  const lastBit: Gives = (batch) => [1, batch === 31 ? 2.0001 : 2];
  test("with other bits in the last one are right where floats are added by atomic operations", async () => {
    expect((await outcomeOf(lastBit)).outcome).toEqual({ kind: "right", runs: raceRuns, unlike: 1 });
  });
  test("and so has each of several outputs", async () => {
    const device = new ScriptedDevice();
    const compute: Script["compute"] = (bytes, batch) => {
      new Float32Array(bytes("y").buffer).set([1]);
      new Float32Array(bytes("z").buffer).set([batch === 9 ? 2.0001 : 2]);
    };
    device.scripts.set("candidate", { ms: () => 1, compute });
    const outputs = () => new Map(["y", "z"].map((name) => [name, device.allocate(tensor(name, "out", "float32", [1]))]));
    const [buffers, reference] = [outputs(), outputs()];
    for (const [i, buffer] of [...reference.values()].entries())
      device.write(buffer, new Uint8Array(Float32Array.of(i + 1).buffer));
    const expected = { reference, toleranceOf: () => ({ rtol: 1e-3, atol: 0 }) };
    const candidate: Candidate = { module: device.load(manifest, "candidate"), buffers, expected, refill: () => {} };
    const hooks = { enter: async () => {}, monotonic: () => device.now };
    const outcome = await checkRaces(device, candidate, { runTimeoutMs: 1_000, mayAddFloats: false }, hooks);
    expect(outcome).toMatchObject({ rule: "races", message: expect.stringMatching(/^not bit-stable: 1 of 32 .*race for "z"$/) });
    expect(device.live).toBe(4);
  });
  test("and refused where none adds floats, or where equal bits were promised", async () => {
    const refused = { kind: "failed", errorNo: 5, rule: "races", tainted: false };
    const without = await outcomeOf(lastBit, { mayAddFloats: false });
    expect(without.outcome).toEqual({
      ...refused,
      message: expect.stringMatching(/^not bit-stable: 1 of 32 runs .* no atomic operation/),
    });
    // Whichever run it was.
    const early: Gives = (batch) => [1, batch === 7 ? 2.0001 : 2];
    expect((await outcomeOf(early, { mayAddFloats: false })).outcome).toEqual(without.outcome);
    const promised = await outcomeOf(lastBit, { deterministic: true });
    expect(promised.outcome).toEqual({ ...refused, message: expect.stringMatching(/says that "y" is deterministic$/) });
  });
  test("with an element outside the tolerance are refused in any case, naming the run", async () => {
    const { outcome, device } = await outcomeOf((batch) => [1, batch === 4 ? 3 : 2]);
    expect(outcome).toMatchObject({
      errorNo: 5,
      rule: "races",
      message: expect.stringMatching(/^run 5 of 32 .*element 1: expected 2, got 3$/),
    });
    expect(device.batches).toHaveLength(5);
    expect(device.disturbed.at(-1)).toBe("over");
  });
  test("that write outside of their buffers are refused as that", async () => {
    expect((await outcomeOf(() => [1, 2], {}, { damages: "y" })).outcome).toMatchObject({
      rule: "out_of_bounds_write",
      tainted: true,
    });
  });
  test("are fewer where the run timeout ends sooner, and poisoned before each", async () => {
    const slow = await outcomeOf(() => [1, 2], {}, { ms: () => 100 });
    expect(slow.outcome).toEqual({ kind: "right", runs: 8, unlike: 0 });
    const { outcome } = await outcomeOf((batch) => (batch === 0 ? [1, 2] : [1]));
    expect(outcome).toMatchObject({ rule: "races", message: expect.stringMatching(/^run 2 of 32 .*got NaN$/) });
  });
});
