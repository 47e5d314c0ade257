/**
 * Tasks that an answer without work passes: zeros, one value everywhere, or a copy of an input. What is measured of such a task
 * says nothing, so a judged session refuses it with its first reference.
 */
import { isFloat, type ManifestBuffer } from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceBuffer } from "../device/device-api.ts";
import type { Expectation } from "./batches.ts";
import { elementCount } from "./inputs.ts";

/** The answer that all outputs would pass with, and what to do; undefined when there is none. */
export function trivialAnswer(
  device: DeviceApi,
  tensors: Buffers,
  { reference, toleranceOf }: Pick<Expectation, "reference" | "toleranceOf">,
): string | undefined {
  const outputs = [...reference.values()];
  const passes = (output: DeviceBuffer, answer: DeviceBuffer): boolean =>
    device.compare(answer, output, toleranceOf(output.spec.name)) === undefined;
  const everyOutput = (passesWith: (output: DeviceBuffer) => boolean): boolean => outputs.length > 0 && outputs.every(passesWith);
  const filled = (output: DeviceBuffer, value: number): boolean => {
    const spec: ManifestBuffer = { ...output.spec, role: "out", fill: { kind: "constant", value: String(value) } };
    const answer = device.allocate(spec);
    try {
      device.fill(answer, 0, 0, "full");
      return passes(output, answer);
    } finally {
      device.free(answer);
    }
  };
  const words = (answer: string) =>
    `the task is trivial: ${answer} is within the tolerance of its reference, so a kernel that computes nothing would pass; fill its inputs so that the output depends on them, state a tighter tolerance, or measure it without judged`;
  if (everyOutput((output) => filled(output, 0))) return words("an output of zeros");
  if (everyOutput((output) => filled(output, meanOf(device, output)))) return words("an output of one value");
  const inputs = [...tensors.values()].filter(({ spec }) => spec.role === "in");
  const isAlike = (a: ManifestBuffer, b: ManifestBuffer) => a.dtype === b.dtype && elementCount(a) === elementCount(b);
  const copied = inputs.find((input) => everyOutput((output) => isAlike(input.spec, output.spec) && passes(output, input)));
  return copied && words(`a copy of input "${copied.spec.name}"`);
}

function meanOf(device: DeviceApi, output: DeviceBuffer): number {
  const { mean } = device.contents(output);
  return isFloat(output.spec.dtype) ? mean : Math.round(mean);
}
