/** What an audited candidate must bear besides, on a scripted device, whose times are given. */
import {
  type ArtifactManifest,
  defaultMeasureOptions,
  digestOf,
  type MeasureOptions,
  systemClock,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import { raceRuns } from "../measure/races.ts";
import { carryOut } from "./measure-job.ts";
import type { LocalArtifact } from "./messages.ts";
import { Workloads } from "./workloads.ts";

const zero = `sha256:${"0".repeat(64)}`;
const buffers = [tensor("x", "in", "float32", [64]), tensor("y", "out", "float32", [64])];
function artifact(name: string): LocalArtifact {
  const manifest: ArtifactManifest = {
    ...{ version: 1, program: toProgramDigest(zero), target: "cpu/x86-64-v1", format: "so", code: toDigest(zero) },
    ...{ kernels: [], buffers, resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 }, toolchain: "", notes: [] },
  };
  return { digest: toArtifactDigest(digestOf(name)), manifest, codePath: name };
}
const options: MeasureOptions = {
  ...defaultMeasureOptions("cpu", "as_asked"),
  ...{ number: 8, minRepeatMs: 0, repeat: 1, judged: true },
};
const of = (bytes: Uint8Array) => new Float32Array(bytes.buffer, bytes.byteOffset, 64);
/** Milliseconds of a run are one, and y = f(x). */
const script = (f: (x: number) => number): Script => ({
  ms: (number) => number,
  compute: (bytes) => of(bytes("y")).set(of(bytes("x")).map(f)),
});

async function answerTo(f: (x: number) => number, auditBelowMs?: number) {
  const device = new ScriptedDevice();
  device.scripts.set(
    "reference",
    script((x) => 2 * x + 1),
  );
  device.scripts.set("candidate", script(f));
  const answer = await carryOut(
    {
      ...{ kind: "measure", artifact: artifact("candidate"), reference: artifact("reference"), options },
      judged: { secret: "5e".repeat(32), leaseSecret: "1a".repeat(32), ...(auditBelowMs === undefined ? {} : { auditBelowMs }) },
    },
    {
      ...{ device, workloads: new Workloads(device, 1e6), clock: systemClock, enter: async () => {} },
      description: { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 1 << 20, limits: {} },
      hold: () => ({ [Symbol.dispose]() {} }),
    },
  );
  return { answer, device };
}

describe("an audited candidate", () => {
  test("that is right runs on inputs of other structure, and beside other work", async () => {
    const { answer, device } = await answerTo((x) => 2 * x + 1);
    expect(answer).toMatchObject({ kind: "timed", judged: { audit: {} } });
    expect(device.disturbed).toHaveLength(2 * raceRuns);
  });
  test("that takes no input for greater than 8 is refused, naming the inputs", async () => {
    const clipped = (x: number) => 2 * Math.min(x, 8) + 1;
    expect((await answerTo(clipped)).answer).toMatchObject({
      ...{ kind: "failed", errorNo: 5, rule: "structure", tainted: false },
      message: expect.stringMatching(/^with inputs "scaled by 10": output "y"/),
    });
    const { answer, device } = await answerTo(clipped, 0);
    expect(answer).toMatchObject({ kind: "timed" });
    expect(device.disturbed).toEqual([]);
  });
});
