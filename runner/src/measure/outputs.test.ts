/** Of several outputs, each is compared and each is guarded. */
import { expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { ScriptedDevice } from "../../../test-support/scripted-device.ts";
import { disagreement } from "./outputs.ts";

test.each([
  ["none", [1, 2], [3, 4], undefined],
  ["the first", [1, 9], [3, 4], { buffer: "y", index: 1, expected: 2, got: 9 }],
  ["the second", [1, 2], [8, 4], { buffer: "z", index: 0, expected: 3, got: 8 }],
])("of two outputs %s is wrong", (_, y, z, wanted) => {
  const device = new ScriptedDevice();
  const filled = (name: string, values: readonly number[]) => {
    const buffer = device.allocate(tensor(name, "out", "float32", [2]));
    device.write(buffer, new Uint8Array(Float32Array.from(values).buffer));
    return [name, buffer] as const;
  };
  const reference = new Map([filled("y", [1, 2]), filled("z", [3, 4])]);
  // The first output has a tolerance that the second has not.
  const toleranceOf = (name: string) => ({ rtol: 0, atol: name === "y" ? 6 : 0 });
  const found = disagreement(device, {
    buffers: new Map([filled("y", y), filled("z", z)]),
    expected: { reference, toleranceOf },
  });
  expect(found?.mismatch).toEqual(wanted && { ...wanted, count: 1 });
});
