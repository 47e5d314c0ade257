/** Instructions by hand: an operation in the lowest 12 bits, a word of a constant bank among its operands. */
import { expect, it } from "vitest";
import { readsGridBarrier } from "./grid-barrier.ts";

const [move, load, uniformLoad, immediate] = [0xa02, 0xb82, 0x7ac, 0x802];

type Instruction = readonly [operation: number, offset: number, bank?: number];
function code(...instructions: readonly Instruction[]): DataView {
  const view = new DataView(new ArrayBuffer(16 * instructions.length));
  for (const [i, [operation, offset, bank = 0]] of instructions.entries()) {
    view.setUint32(16 * i, operation | 0xabc00000, true);
    // The bits around them belong to other fields.
    const [place, others] = operation === uniformLoad ? [offset << 5, 0x8000_001f] : [(offset / 4) << 8, 0x8000_00ff];
    view.setUint32(16 * i + 4, place | (bank << 22) | others, true);
  }
  return view;
}

it.each([
  [75, move, 0x8c, 0x90],
  [89, move, 0x8c, 0x90],
  [90, load, 0x44, 0x48],
  [100, uniformLoad, 0x254, 0x258],
  [120, load, 0x254, 0x258],
])("code of sm_%i that reads both words of the barrier's address uses it", (capability, operation, high, low) => {
  const used = (...instructions: readonly Instruction[]) => readsGridBarrier(code(...instructions), capability);
  expect(used([operation, 0x28], [operation, low], [operation, high])).toBe(true);
  expect(used([operation, high], [operation, high])).toBe(false);
  expect(used([operation, low], [operation, low + 4])).toBe(false);
  expect(used([operation, high], [operation, low, 3])).toBe(false);
  expect(used([immediate, high], [immediate, low])).toBe(false);
});
