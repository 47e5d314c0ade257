/** Which tasks an answer without work passes. */
import { expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { ScriptedDevice } from "../../../test-support/scripted-device.ts";
import type { DeviceBuffer } from "../device/device-api.ts";
import { trivialAnswer } from "./trivial-task.ts";

const device = new ScriptedDevice();
function buffer(name: string, role: "in" | "out", values: readonly number[]): [string, DeviceBuffer] {
  const made = device.allocate(tensor(name, role, "float32", [values.length]));
  device.write(made, new Uint8Array(Float32Array.from(values).buffer));
  return [name, made];
}
const x = buffer("x", "in", [1, 2, 3]);
const answerFor = (...outputs: [string, DeviceBuffer][]) =>
  trivialAnswer(device, new Map([x]), { reference: new Map(outputs), toleranceOf: () => ({ rtol: 1e-6, atol: 1e-6 }) });

test("are those whose every output zeros, one value or a copy pass, and no others", () => {
  expect(answerFor(buffer("y", "out", [0, 0, 0]), buffer("z", "out", [0, 0, 0]))).toMatch(/an output of zeros/);
  expect(answerFor(buffer("y", "out", [7, 7, 7]))).toMatch(/an output of one value/);
  expect(answerFor(buffer("y", "out", [1, 2, 3]))).toMatch(/a copy of input "x"/);
  expect(answerFor(buffer("y", "out", [3, 2, 1]))).toBeUndefined();
  // A kernel must compute the one output though the other is nothing.
  for (const nothing of [
    [0, 0, 0],
    [7, 7, 7],
    [1, 2, 3],
  ])
    expect(answerFor(buffer("y", "out", nothing), buffer("z", "out", [3, 2, 1]))).toBeUndefined();
});
