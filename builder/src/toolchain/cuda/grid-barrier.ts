/**
 * Whether a kernel's machine code uses the barrier of a whole grid (grid.sync() of cooperative groups). Only cooperative launches
 * get its memory, by an address in two registers of the driver, %envreg1 and %envreg2; otherwise the kernel traps. No attribute
 * of a cubin says so, so the code is searched. Measured with ptxas 13.0, sm_75 to sm_121: the registers are consecutive words of
 * constant bank 0, at a place that depends on the capability.
 */

const instructionBytes = 16;
/** Loads a constant into a uniform register; its operand lies elsewhere in the instruction than that of all others. */
const uniformLoad = 0x7ac;

/** The place of %envreg0. */
const environmentAt = (capability: number): number => (capability < 90 ? 0x88 : capability < 100 ? 0x40 : 0x250);

export function readsGridBarrier(code: DataView, capability: number): boolean {
  const low = environmentAt(capability) + 4;
  const read = new Set<number>();
  for (let at = 0; at + instructionBytes <= code.byteLength; at += instructionBytes) {
    const [first, second] = [code.getUint32(at, true), code.getUint32(at + 4, true)];
    const operation = first & 0xfff;
    // Forms 3 and 5 have a constant among their operands.
    const form = operation >>> 9;
    if ((form !== 3 && form !== 5) || ((second >>> 22) & 0x1f) !== 0) continue;
    const offset = operation === uniformLoad ? (second >>> 5) & 0x1ffff : ((second >>> 8) & 0x3fff) * 4;
    if (offset === low || offset === low + 4) read.add(offset);
  }
  return read.size === 2;
}
