/** What a child does with one request, on a scripted device: what it keeps and returns, and who is blamed for a failure. */
import {
  type ArtifactManifest,
  defaultMeasureOptions,
  digestOf,
  type ManifestBuffer,
  systemClock,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import { carryOut } from "./measure-job.ts";
import type { ChildAnswer, ChildRequest, LocalArtifact } from "./messages.ts";
import { Workloads } from "./workloads.ts";

const options = { ...defaultMeasureOptions("cpu"), minRepeatMs: 1, repeat: 1 };
const zero = `sha256:${"0".repeat(64)}`;

function artifact(name: string, buffers: readonly ManifestBuffer[]): LocalArtifact {
  const manifest: ArtifactManifest = {
    version: 1,
    program: toProgramDigest(zero),
    target: "cpu/x86-64-v1",
    format: "so",
    code: toDigest(zero),
    kernels: [],
    buffers,
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "",
    notes: [],
  };
  return { digest: toArtifactDigest(digestOf(name)), manifest, codePath: name };
}

/** A device with its child's memory. */
function stage(scripts: Readonly<Record<string, Script>>, keepBytes = 1e6) {
  const device = new ScriptedDevice();
  for (const [name, script] of Object.entries(scripts)) device.scripts.set(name, script);
  const workloads = new Workloads(device, keepBytes);
  const phases: string[] = [];
  const description = { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 0, limits: {} };
  const ask = (request: ChildRequest): Promise<ChildAnswer> =>
    carryOut(request, {
      device,
      description,
      workloads,
      clock: systemClock,
      enter: async (phase) => void phases.push(phase),
      hold: () => ({ [Symbol.dispose]() {} }),
    });
  return { device, phases, ask };
}

const io = [tensor("x", "in", "float32", [4]), tensor("y", "out", "float32", [4])];
const floats = (bytes: Uint8Array) => new Float32Array(bytes.buffer, bytes.byteOffset, 4);
/** y = x + addend */
const plus = (addend: number): Script => ({
  ms: (number) => number,
  compute: (bytes) => floats(bytes("y")).set(floats(bytes("x")).map((v) => v + addend)),
});
const reference = artifact("reference", io);

describe("the reference", () => {
  test("runs once for all candidates of its workload, when its inputs are there", async () => {
    const { ask, phases } = stage({ reference: plus(1), a: plus(1), b: plus(1) });
    const first = await ask({ kind: "measure", artifact: artifact("a", io), reference, options });
    const second = await ask({ kind: "measure", artifact: artifact("b", io), reference, options });
    expect([first.kind, second.kind]).toEqual(["timed", "timed"]);
    expect(phases.filter((phase) => phase === "fill" || phase === "reference")).toEqual(["fill", "reference"]);
    expect(phases.slice(0, 3)).toEqual(["fill", "reference", "load"]);
  });

  test("that the device refuses is a failure of its own, which taints the process only when it is sticky", async () => {
    for (const sticky of [false, true]) {
      const { ask, device } = stage({ reference: { ms: () => 1, fails: { rule: "700", sticky } }, a: plus(1) });
      const answer = await ask({ kind: "measure", artifact: artifact("a", io), reference, options });
      expect(answer).toEqual({
        kind: "failed",
        errorNo: 4,
        rule: "700",
        message: "the driver refuses",
        tainted: sticky,
        ofReference: true,
      });
      expect(device.live).toBe(0);
    }
  });

  test("hardware that fails under it, or under a candidate, is no program's doing", async () => {
    const broken: Script = { ms: () => 1, fails: { rule: "214", sticky: true, hardware: true } };
    const { ask } = stage({ reference: broken, right: plus(1), a: broken });
    const fault = { kind: "fault", hardware: true, message: "the driver refuses [214]" };
    expect(await ask({ kind: "measure", artifact: artifact("a", io), reference, options })).toEqual(fault);
    expect(await ask({ kind: "measure", artifact: artifact("a", io), reference: artifact("right", io), options })).toEqual(fault);
  });

  test("with other tensors than the candidate's is the program's failure, named", async () => {
    const { ask } = stage({ reference: plus(1), a: plus(1) });
    const int = [tensor("x", "in", "float32", [4]), tensor("y", "out", "int32", [4])];
    const answer = await ask({ kind: "measure", artifact: artifact("a", int), reference, options });
    const message = "the artifact has out y: int32[4], its reference out y: float32[4]";
    expect(answer).toEqual({ kind: "failed", errorNo: 4, rule: "tensors", message, tainted: false });
  });
});

describe("an output in parts", () => {
  const parts = (shape: readonly number[], axes: readonly number[]) => [
    tensor("x", "in", "float32", [4]),
    { ...tensor("y", "out", "float32", shape), sum_over: axes },
  ];
  const gives = (...values: readonly number[]): Script => ({
    ms: (number) => number,
    compute: (bytes) => new Float32Array(bytes("y").buffer, bytes("y").byteOffset, values.length).set(values),
  });
  const whole = artifact("whole", [tensor("x", "in", "float32", [4]), tensor("y", "out", "float32", [2])]);
  const answers = async (script: Script, buffers: readonly ManifestBuffer[], against = whole) => {
    const { ask, device } = stage({ whole: gives(10, 20), other: gives(4, 5, 6, 15), a: script });
    const live = device.live;
    const answer = await ask({ kind: "measure", artifact: artifact("a", buffers), reference: against, options });
    // What is kept for the next: x, y of the reference and its copy. The candidate's own y is gone.
    expect(device.live - live).toBe(3);
    return answer;
  };

  test("is compared with its reference by the sums, in as many parts as it has", async () => {
    expect(await answers(gives(1, 2, 3, 8, 6, 10), parts([3, 2], [0]))).toMatchObject({ kind: "timed", checked: true });
    expect(await answers(gives(1, 2, 7, 8, 6, 6), parts([2, 3], [1]))).toMatchObject({ kind: "timed", checked: true });
    const wrong = await answers(gives(1, 2, 3, 8, 6, 11), parts([3, 2], [0]));
    expect(wrong).toMatchObject({
      kind: "failed",
      errorNo: 5,
      mismatch: { buffer: "y", index: 1, expected: 20, got: 21, count: 1 },
    });
    expect(wrong).toMatchObject({ message: expect.stringContaining('output "y", summed over axis 0: 1 elements') });
  });

  test("may have a reference in other parts; an element that was not written is noticed", async () => {
    const other = artifact("other", parts([4], [0]));
    expect(await answers(gives(30), parts([1], [0]), other)).toMatchObject({ kind: "timed" });
    expect(await answers(gives(10, 20), parts([3], [0]), other)).toMatchObject({ kind: "failed", errorNo: 5 });
  });

  test("whose sums have another shape than the reference's is refused", async () => {
    const { ask } = stage({ whole: gives(10, 20), a: gives(1) });
    const answer = await ask({ kind: "measure", artifact: artifact("a", parts([2, 3], [0])), reference: whole, options });
    const message = "the artifact has out y: float32[3], its reference out y: float32[2]";
    expect(answer).toEqual({ kind: "failed", errorNo: 4, rule: "tensors", message, tainted: false });
  });
});

describe("an input of zeros", () => {
  const zeros = { fill: "zeros" } as const;
  const accumulate: Script = {
    ms: (number) => number,
    compute: (bytes) => floats(bytes("y")).set(floats(bytes("x")).map((v, i) => v + (floats(bytes("y"))[i] ?? 0))),
  };
  const sums = [tensor("x", "in", "float32", [4]), { ...tensor("y", "inout", "float32", [4]), ...zeros }];

  test("is one before every candidate, also when kernels add to it, and the tolerance does not vanish with it", async () => {
    const seen: number[][] = [];
    const watched: Script = {
      ...accumulate,
      compute: (bytes, batch) => {
        seen.push([...floats(bytes("y"))]);
        accumulate.compute?.(bytes, batch);
        // Another order of summation.
        floats(bytes("y"))[0] = (floats(bytes("y"))[0] ?? 0) * (1 + 2 ** -23);
      },
    };
    const { ask } = stage({ sum: accumulate, a: watched });
    const ofSums = artifact("sum", sums);
    for (let i = 0; i < 2; i++) {
      seen.length = 0;
      expect(await ask({ kind: "measure", artifact: artifact("a", sums), reference: ofSums, options })).toMatchObject({
        kind: "timed",
        checked: true,
      });
      expect(seen[0]).toEqual([0, 0, 0, 0]);
    }
  });

  test("is part of what candidate and reference must have in common", async () => {
    const { ask } = stage({ sum: accumulate, a: accumulate });
    const random = sums.map(({ fill, ...spec }) => spec);
    const answer = await ask({ kind: "measure", artifact: artifact("a", random), reference: artifact("sum", sums), options });
    expect(answer).toEqual({
      kind: "failed",
      errorNo: 4,
      rule: "tensors",
      message: "the artifact has inout y: float32[4], its reference inout y: float32[4] of zeros",
      tainted: false,
    });
  });

  test("is nothing that outputs must have in common: they are poisoned before every run", async () => {
    const { ask } = stage({ reference: plus(1), a: plus(1) });
    const filled = io.map((spec) => (spec.role === "out" ? { ...spec, ...zeros } : spec));
    const answer = await ask({ kind: "measure", artifact: artifact("a", filled), reference: artifact("reference", io), options });
    expect(answer).toMatchObject({ kind: "timed", checked: true });
  });
});

describe("memory", () => {
  test("workspaces are the candidate's and go with it, also when it fails", async () => {
    const { ask, device } = stage({ reference: plus(1), a: plus(1), b: { ms: () => 1, fails: { rule: "1", sticky: false } } });
    const withWorkspace = [...io, tensor("t", "workspace", "float32", [8])];
    await ask({ kind: "measure", artifact: artifact("a", io), reference, options });
    const kept = device.live;
    expect(await ask({ kind: "measure", artifact: artifact("a", withWorkspace), reference, options })).toMatchObject({
      kind: "timed",
    });
    expect(device.live).toBe(kept);
    const failed = await ask({ kind: "measure", artifact: artifact("b", withWorkspace), reference, options });
    expect(failed).toMatchObject({ kind: "failed", errorNo: 4, rule: "1", tainted: false });
    expect(device.live).toBe(kept);
  });

  test("workspaces of a reference go when it has run", async () => {
    const { ask, device } = stage({ reference: plus(1), a: plus(1) });
    const own = artifact("reference", [...io, tensor("t", "workspace", "float32", [8])]);
    expect(await ask({ kind: "measure", artifact: artifact("a", io), reference: own, options })).toMatchObject({ kind: "timed" });
    expect(device.live).toBe(3);
  });

  test("the least recently used workload goes when there is no room, and comes back right", async () => {
    const [one, two, three] = ["one", "two", "three"].map((name) => artifact(name, io));
    if (!one || !two || !three) throw new Error("unreachable");
    // Inputs, outputs and the reference's copies: 64 bytes a workload.
    const { ask, device, phases } = stage({ one: plus(1), two: plus(2), three: plus(3), a: plus(1) }, 150);
    const use = (which: LocalArtifact) => ask({ kind: "measure", artifact: which, reference: which, options });
    const made = () => phases.filter((phase) => phase === "fill").length;
    for (const which of [one, two, one, three]) await use(which);
    expect(device.live).toBe(6);
    await use(one);
    expect(made()).toBe(3);
    await use(two);
    expect(made()).toBe(4);
    expect(await ask({ kind: "measure", artifact: artifact("a", io), reference: one, options })).toMatchObject({ kind: "timed" });
  });

  test.each([
    [128, 2],
    [127, 1],
    [63, 1],
  ])("of 64 bytes a workload, in %i bytes %i are kept, however often they take turns", async (keepBytes, kept) => {
    const all = ["one", "two", "three"].map((name) => artifact(name, io));
    const { ask, device } = stage({ one: plus(1), two: plus(2), three: plus(3) }, keepBytes);
    for (const which of [...all, ...all]) {
      await ask({ kind: "measure", artifact: which, reference: which, options });
      expect(device.live).toBeLessThanOrEqual(3 * kept);
    }
    expect(device.live).toBe(3 * kept);
  });

  test("what is kept for other workloads goes before a program is refused for want of memory", async () => {
    const [one, two] = [artifact("one", io), artifact("two", io)];
    const { ask, device } = stage({ one: plus(1), two: plus(2) });
    device.room = 4;
    const use = (which: LocalArtifact) => ask({ kind: "measure", artifact: which, reference: which, options });
    expect(await use(one)).toMatchObject({ kind: "timed" });
    expect(await use(two)).toMatchObject({ kind: "timed" });
    expect(device.live).toBe(3);
    device.room = 2;
    const refused = { kind: "failed", rule: "out_of_memory", ofReference: true, tainted: false };
    expect(await use(one)).toMatchObject(refused);
    expect(device.live).toBe(0);
    const alone = { kind: "measure", artifact: artifact("one", io), options: { ...options, check: "none" } } as const;
    device.room = 1;
    expect(await ask(alone)).toMatchObject({ ...refused, ofReference: false });
  });
});

test("a buffer that is read and written gets its input again before the run that is checked", async () => {
  const inout = [tensor("y", "inout", "float32", [4])];
  const script: Script = {
    ms: (number) => number,
    compute: (bytes) => {
      const y = floats(bytes("y"));
      y.set(y.map((v) => v + 1));
    },
  };
  const { ask } = stage({ reference: script, a: script });
  for (let i = 0; i < 3; i++) {
    const answer = await ask({
      kind: "measure",
      artifact: artifact("a", inout),
      reference: artifact("reference", inout),
      options,
    });
    expect(answer).toMatchObject({ kind: "timed" });
  }
});

test("a buffer that is read and written, in which the reference leaves NaN, is the reference's fault", async () => {
  const inout = [tensor("y", "inout", "float32", [4])];
  const spoils: Script = { ms: () => 1, compute: (bytes) => floats(bytes("y")).fill(Number.NaN) };
  const { ask } = stage({ reference: spoils, a: spoils });
  const [candidate, plain] = [artifact("a", inout), artifact("reference", inout)];
  expect(await ask({ kind: "measure", artifact: candidate, reference: plain, options })).toMatchObject({
    ...{ kind: "failed", rule: "task.nan", ofReference: true },
  });
});

test("of judged programs, one that keeps an input in constant memory has other sets than one that does not", async () => {
  const { ask, phases } = stage({ reference: plus(1), a: plus(1) });
  const judged = { secret: "5e".repeat(32), leaseSecret: "1a".repeat(32), auditBelowMs: 0 };
  const { manifest, ...rest } = artifact("a", io);
  const inConstants = { ...rest, manifest: { ...manifest, constants: [{ symbol: "c", buffer: "x" }] } };
  const measured = (subject: LocalArtifact) => ask({ kind: "measure", artifact: subject, reference, options, judged });
  expect(await measured({ manifest, ...rest })).toMatchObject({ judged: { sets: 3 } });
  expect(await measured(inConstants)).toMatchObject({ judged: { not: "outputs alike" } });
  expect(await measured({ manifest, ...rest })).toMatchObject({ judged: { sets: 3 } });
  expect(phases.filter((phase) => phase === "fill")).toHaveLength(2);
});

test("a timer the device lacks is the program's failure, named with what there is", async () => {
  const { ask } = stage({ reference: plus(1), a: plus(1) });
  const answer = await ask({
    kind: "measure",
    artifact: artifact("a", io),
    reference,
    options: { ...options, timer: "cuda_graph" },
  });
  const message = "timer cuda_graph was asked for; this device has wall";
  expect(answer).toEqual({ kind: "failed", errorNo: 4, rule: "timer", message, tainted: false });
});
