import { type Buffers, type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { Expectation } from "../measure/batches.ts";
import { type Held, notANumber, tolerancesOf } from "../measure/check.ts";
import type { ReferenceRun } from "./reference-run.ts";

/**
 * Runs the reference on these tensors, and says how far from its outputs a right one may be. Throws DeviceError, also where an
 * output of the reference has NaN, with which no output agrees.
 */
export function toleranceAfter(device: DeviceApi, run: ReferenceRun, tensors: Buffers): Omit<Expectation, "reference"> {
  const { buffers, stages } = run.manifest;
  const specs = buffers.filter(({ role }) => role !== "workspace");
  const held = new Map<string, Held>();
  const look = (buffer: DeviceBuffer): void => void held.set(buffer.spec.name, device.contents(buffer));
  // Before the kernel runs, because it may write what it reads.
  for (const buffer of tensors.values()) if (buffer.spec.role !== "out") look(buffer);
  run.on(tensors, look);
  const after = new Map(held);
  for (const buffer of tensors.values()) if (buffer.spec.role === "inout") after.set(buffer.spec.name, device.contents(buffer));
  const why = notANumber(specs, stages, after);
  if (why !== undefined) throw new DeviceError("task.nan", why);
  const tolerances = tolerancesOf(specs, stages, held);
  return { toleranceOf: (output) => tolerances.get(output) ?? { rtol: 0, atol: 0 } };
}
