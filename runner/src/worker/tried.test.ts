/** What an audited candidate must bear besides, on a scripted device, whose times are given. */
import {
  type ArtifactManifest,
  defaultMeasureOptions,
  defined,
  digestOf,
  type ManifestBuffer,
  type MeasureOptions,
  systemClock,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import type { DeviceBuffer } from "../device/device-api.ts";
import { raceRuns } from "../measure/races.ts";
import { AuditMemory } from "./audit-memory.ts";
import { carryOut } from "./measure-job.ts";
import type { LocalArtifact } from "./messages.ts";
import { Workloads } from "./workloads.ts";

const zero = `sha256:${"0".repeat(64)}`;
const buffers = [tensor("x", "in", "float32", [64]), tensor("y", "out", "float32", [64])];
type Stated = Pick<ManifestBuffer, "deterministic" | "tolerance">;
function artifact(name: string, stated: Stated): LocalArtifact {
  const all = buffers.map((spec) => (spec.role === "out" ? { ...spec, ...stated } : spec));
  const manifest: ArtifactManifest = {
    ...{ version: 1, program: toProgramDigest(zero), target: "cpu/x86-64-v1", format: "so", code: toDigest(zero) },
    ...{
      kernels: [],
      buffers: all,
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "",
      notes: [],
    },
  };
  return { digest: toArtifactDigest(digestOf(name)), manifest, codePath: name };
}
const options: MeasureOptions = {
  ...defaultMeasureOptions("cpu", "as_asked"),
  ...{ number: 8, minRepeatMs: 0, repeat: 1, judged: true },
};
const of = (bytes: Uint8Array) => new Float32Array(bytes.buffer, bytes.byteOffset, 64);
/** A run takes `runMs`, and y = f(x). */
const script = (f: (x: number) => number, runMs: NonNullable<Asked["runMs"]>): Script => ({
  ms: (number, batch) => number * (typeof runMs === "number" ? runMs : runMs(batch)),
  compute: (bytes) => of(bytes("y")).set(of(bytes("x")).map(f)),
});

const plainly = (x: number) => 2 * x + 1;
interface Asked {
  readonly auditBelowMs?: number;
  /** That the program states. */
  readonly atol?: string;
  readonly deterministic?: true;
  readonly reference?: (x: number) => number;
  readonly runMs?: number | ((batch: number) => number);
  readonly repeat?: number;
  readonly l2?: MeasureOptions["l2"];
}
async function answerTo(
  f: (x: number) => number,
  { auditBelowMs, atol, deterministic, reference = plainly, runMs = 1, repeat = 1, l2 = options.l2 }: Asked = {},
) {
  const device = new ScriptedDevice();
  device.scripts.set("reference", script(reference, 1));
  device.scripts.set("candidate", script(f, runMs));
  const stated = defined({ deterministic, tolerance: atol === undefined ? undefined : { atol, rtol: "0" } });
  const answer = await carryOut(
    {
      ...{
        kind: "measure",
        artifact: artifact("candidate", stated),
        reference: artifact("reference", stated),
        options: { ...options, repeat, l2 },
      },
      judged: { secret: "5e".repeat(32), leaseSecret: "1a".repeat(32), ...(auditBelowMs === undefined ? {} : { auditBelowMs }) },
    },
    {
      ...{ device, workloads: new Workloads(device, 1e6), enter: async () => {} },
      clock: { ...systemClock, monotonic: () => device.now },
      description: { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 1 << 20, limits: {} },
      hold: () => ({ [Symbol.dispose]() {} }),
    },
  );
  return { answer, device };
}

describe("an audited candidate", () => {
  test("that takes long runs on fewer sets, so that the audit ends in time", async () => {
    const setsAt = async (runMs: number) => (await answerTo(plainly, { runMs })).answer;
    expect(await setsAt(1)).toMatchObject({ kind: "timed", judged: { audit: { sets: 64 } } });
    expect(await setsAt(100)).toMatchObject({ kind: "timed", judged: { audit: { sets: 5 } } });
    expect(await setsAt(400)).toMatchObject({ kind: "timed", judged: { audit: { sets: 3 } } });
  });
  test("is not started when a judged repeat cannot end within the run timeout", async () => {
    expect((await answerTo(plainly, { runMs: 3_000 })).answer).toMatchObject({
      ...{ kind: "failed", errorNo: 7 },
      message: expect.stringContaining("stopped in repeat 1"),
    });
  });
  test("has cold caches before each graph where that is asked, and else never", async () => {
    const flushesOf = async (l2: MeasureOptions["l2"]) => (await answerTo(plainly, { auditBelowMs: 0, l2 })).device.flushes;
    expect(await flushesOf("warm")).toBe(0);
    expect(await flushesOf("flushed")).toBeGreaterThanOrEqual(2);
  });
  test("that is right runs on inputs of other structure, and beside other work", async () => {
    const { answer, device } = await answerTo((x) => 2 * x + 1);
    expect(answer).toMatchObject({ kind: "timed", judged: { audit: {} } });
    expect(device.disturbed).toHaveLength(2 * raceRuns);
  });
  test("whose outputs once have another last bit says so, and is refused where the program says deterministic", async () => {
    let elements = 0;
    const stirred = (x: number) => plainly(x) * (1 + (++elements % 1_000 === 0 ? 1e-7 : 0));
    const { answer } = await answerTo(stirred);
    expect(answer).toMatchObject({ kind: "timed", judged: { audit: { unlike: expect.any(Number) } } });
    expect((await answerTo(stirred, { deterministic: true })).answer).toMatchObject({
      ...{ kind: "failed", rule: "races" },
      message: expect.stringMatching(/^not bit-stable: .* the specification says that "y" is deterministic$/),
    });
  });
  test("that takes no input for greater than 8 is refused, naming the inputs", async () => {
    const clipped = (x: number) => 2 * Math.min(x, 8) + 1;
    expect((await answerTo(clipped)).answer).toMatchObject({
      ...{ kind: "failed", errorNo: 5, rule: "structure", tainted: false },
      message: expect.stringMatching(/^with inputs "scaled by 10": output "y"/),
    });
    const { answer, device } = await answerTo(clipped, { auditBelowMs: 0 });
    expect(answer).toMatchObject({ kind: "timed" });
    expect(device.disturbed).toEqual([]);
  });
  test("is one whose median is below the time to beat, whatever its slowest repeat took", async () => {
    // The first repeat takes ten times as long as the others.
    const runMs = (batch: number) => (batch < 16 ? 10 : 1);
    const isAudited = async (auditBelowMs: number) =>
      "audit" in ((await answerTo(plainly, { auditBelowMs })).answer as { readonly judged: object }).judged;
    // One that takes as long as the best is none.
    expect([await isAudited(1), await isAudited(1.001)]).toEqual([false, true]);
    const { answer } = await answerTo(plainly, { auditBelowMs: 1.5, runMs, repeat: 5 });
    expect(answer).toMatchObject({ kind: "timed", judged: { audit: { scored: expect.anything() } } });
    const scored = (answer as { judged: { audit: { scored: readonly number[] } } }).judged.audit.scored;
    expect(Math.max(...scored)).toBeGreaterThan(1.5e-3);
  });
  const memoryOf = (most: number, room = Number.POSITIVE_INFINITY) => {
    const device = Object.assign(new ScriptedDevice(), { room });
    device.scripts.set("reference", script(plainly, 1));
    const reference = artifact("reference", {});
    const candidate = new Map(reference.manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
    return { device, memory: new AuditMemory(device, { reference, inputs: "full", candidate, shared: [] }, most) };
  };
  test("has half the sets until there is memory for them, which is given back, also what did not suffice", () => {
    // Two buffers of the candidate, and two of each set.
    const { device, memory } = memoryOf(16, 2 + 2 * 7);
    expect([memory.sets.length, device.live]).toEqual([4, 2 + 2 * 4]);
    memory[Symbol.dispose]();
    expect(device.live).toBe(2);
    expect(() => memoryOf(16, 2 + 2 * 2)).toThrow(expect.objectContaining({ rule: "judged.memory" }));
  });
  test("has its outputs poisoned before each graph of an audit", () => {
    const { device, memory: made } = memoryOf(3);
    using memory = made;
    const output = memory.sets[1]?.get("y") as DeviceBuffer;
    device.write(output, new Uint8Array(output.spec.bytes));
    memory.renew(1, 5);
    expect(new Set(device.read(output))).toEqual(new Set([0xff]));
  });
  test("may be as far from its reference on greater inputs, by their magnitude, as a stated tolerance says", async () => {
    const { answer } = await answerTo((x) => plainly(x) * (1 + 1e-5), { atol: "0.0001" });
    expect(answer).toMatchObject({ kind: "timed", judged: { audit: {} } });
  });
  test("must be as near to it on small ones", async () => {
    const double = (x: number) => 2 * x;
    const { answer } = await answerTo((x) => (Math.abs(x) < 0.001 ? 0 : 2 * x), { atol: "0.01", reference: double });
    expect(answer).toMatchObject({
      ...{ kind: "failed", rule: "structure" },
      message: expect.stringContaining('with inputs "small": '),
    });
  });
});
