/**
 * Whether a cubin still holds a loop: what a compiler proves useless it drops, and a kernel that is meant to hang then ends.
 * Reads the instructions of sm_75 to sm_90 (16 bytes each, the operation in the low 12 bits). A kernel's text ends in one branch
 * to itself, behind its exit; every further branch backwards, or to itself, is a loop.
 */
const braOpcode = 0x947n;
const uint48 = 48;

/** Loops in the first kernel of the cubin. */
export function countLoops(cubin) {
  const bytes = Buffer.from(cubin);
  const code = kernelText(bytes);
  let loops = 0;
  for (let at = 0; at + 16 <= code.length; at += 16) {
    const [low, high] = [code.readBigUInt64LE(at), code.readBigUInt64LE(at + 8)];
    if ((low & 0xfffn) !== braOpcode) continue;
    const offset = BigInt.asIntN(uint48, (low >> 34n) | ((high & 0x3ffffn) << 30n));
    if (offset < 0n) loops++;
  }
  return loops - 1;
}

function kernelText(elf) {
  const headers = Number(elf.readBigUInt64LE(0x28));
  const [size, count, namesAt] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c), elf.readUInt16LE(0x3e)];
  const section = (i) => {
    const at = headers + i * size;
    return {
      name: elf.readUInt32LE(at),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      bytes: Number(elf.readBigUInt64LE(at + 32)),
    };
  };
  const names = section(namesAt).offset;
  for (let i = 0; i < count; i++) {
    const { name, offset, bytes } = section(i);
    if (elf.toString("latin1", names + name, names + name + 6) === ".text.") return elf.subarray(offset, offset + bytes);
  }
  throw new Error("the cubin holds no kernel");
}
