/** The outputs of a candidate: made wrong before its launches, compared with the reference's after them. */
import { type BufferRole, blobOf, type Mismatch, measureErrorNo, type Tolerance } from "@warpfarm/common";
import type { DeviceApi, DeviceBuffer } from "../device/device-api.ts";
import type { Candidate, Failure } from "./batches.ts";
import { sumsOver, worstOf } from "./check.ts";

/** Makes every element of outputs and workspaces wrong, so an element that the kernel does not write is noticed. */
export function prepare(device: DeviceApi, { buffers, expected, refill }: Omit<Candidate, "module">): void {
  refill();
  for (const [name, buffer] of buffers) {
    const { role, fill } = buffer.spec;
    const isScratch = role === "workspace" && blobOf(fill) === undefined;
    // Another number of parts has no counterparts in the reference.
    const { sum_over: parts } = buffer.spec;
    if (role === "out" || isScratch) device.poison(buffer, parts ? undefined : expected?.reference.get(name));
  }
}

/** Finds forbidden writes, around the candidate's buffers and into sealed ones. */
export function damage(device: DeviceApi, { buffers }: Pick<Candidate, "buffers">): Failure | undefined {
  const [damaged] = device.damaged(buffers.values());
  if (damaged === undefined) return undefined;
  const message = damageWords(damaged, buffers.get(damaged)?.spec.role);
  return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "out_of_bounds_write", message, tainted: true };
}

export const inspect = (device: DeviceApi, candidate: Omit<Candidate, "module">): Failure | undefined =>
  damage(device, candidate) ?? disagreement(device, candidate);

/** The first output that is not the reference's. */
export function disagreement(
  device: DeviceApi,
  { buffers, expected }: Pick<Candidate, "buffers" | "expected">,
): Failure | undefined {
  for (const [name, reference] of expected?.reference ?? []) {
    const output = buffers.get(name);
    if (output === undefined || expected === undefined) continue;
    const tolerance = expected.toleranceOf(name);
    const axes = output.spec.sum_over ?? reference.spec.sum_over;
    const mismatch = axes ? worstSum(device, output, reference, tolerance) : device.compare(output, reference, tolerance);
    if (mismatch === undefined) continue;
    const { index, expected: want, got, count } = mismatch;
    const summed = output.spec.sum_over ? `, summed over axis ${output.spec.sum_over.join(" and ")}` : "";
    const message = `output "${name}"${summed}: ${count} elements outside of atol ${tolerance.atol.toExponential(2)} + rtol ${tolerance.rtol.toExponential(2)}; the worst is element ${index}: expected ${want}, got ${got}`;
    return { kind: "failed", errorNo: measureErrorNo.WRONG_ANSWER, rule: "reference", message, mismatch, tainted: false };
  }
  return undefined;
}

/** Sums are few, so they are computed and compared here. */
function worstSum(device: DeviceApi, output: DeviceBuffer, reference: DeviceBuffer, tolerance: Tolerance): Mismatch | undefined {
  const sums = ({ spec }: DeviceBuffer, bytes: Uint8Array) => sumsOver(spec, bytes);
  const [got, expected] = [sums(output, device.read(output)), sums(reference, device.read(reference))];
  return worstOf(output.spec, got, expected, got.length, tolerance);
}

/** Damage is found around any buffer, and inside buffers that nobody may write. */
function damageWords(name: string, role: BufferRole | undefined): string {
  if (role === "in") return `the kernel overwrote its input "${name}" or the bytes next to it`;
  if (role === undefined)
    return `the kernel wrote outside of its buffers: into "${name}" of another computation or the bytes next to it`;
  return `the kernel wrote outside of buffer "${name}"`;
}
