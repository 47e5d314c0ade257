/**
 * Whether machine code of sm_90 reads sums of matrix products that are still in flight. The few instructions that matter are
 * decoded by the words that cuobjdump prints beside them; no tool that decodes them is needed.
 */
import { invariant } from "@warpfarm/common";

/** The low twelve bits of an instruction. */
const product = 0x9f0;
const barrier = 0x9c5;
/**
 * F2FP, FADD, FMUL, FFMA, MOV, FSEL, FMNMX, I2F, IADD3: what an epilogue does first with a sum. Bytes 3, 4 and 8 name sources.
 */
const readers = new Set([0x23e, 0x221, 0x220, 0x223, 0x202, 0x208, 0x209, 0x245, 0x210]);

/** Instructions, of 16 bytes each, of the sections of code of a cubin, which is an ELF file of 64 bits. */
function* codeOf(cubin: Buffer): Generator<readonly (readonly [low: bigint, high: bigint])[]> {
  const headersAt = Number(cubin.readBigUInt64LE(0x28));
  const [size, count, names] = [0x3a, 0x3c, 0x3e].map((at) => cubin.readUInt16LE(at)) as [number, number, number];
  const header = (i: number) => {
    const at = headersAt + i * size;
    const [offset, length] = [0x18, 0x20].map((field) => Number(cubin.readBigUInt64LE(at + field))) as [number, number];
    return { name: cubin.readUInt32LE(at), offset, length };
  };
  for (let i = 0; i < count; i++) {
    const { name, offset, length } = header(i);
    if (cubin.toString("latin1", header(names).offset + name, header(names).offset + name + 6) !== ".text.") continue;
    const at = Array.from({ length: length / 16 }, (_, n) => offset + n * 16);
    yield at.map((byte) => [cubin.readBigUInt64LE(byte), cubin.readBigUInt64LE(byte + 8)]);
  }
}

const bits = (word: bigint, from: number, count: number): number => Number((word >> BigInt(from)) & ((1n << BigInt(count)) - 1n));

/**
 * How many instructions read a sum, in registers of 32 bits, of a group that no wait before them in the text has ended. Throws
 * where the cubin has no product.
 */
export function earlyReadsOf(cubin: Buffer): number {
  let products = 0;
  let early = 0;
  for (const code of codeOf(cubin)) {
    let open = new Set<number>();
    let groups: Set<number>[] = [];
    for (const [low, high] of code) {
      const kind = bits(low, 0, 12);
      if (kind === product) {
        products++;
        const [first, columns] = [bits(low, 16, 8), 8 * (bits(low, 53, 5) + 1)];
        for (let r = first; r < first + columns / 2; r++) open.add(r);
        // The last product of a group names its scoreboard.
        if (bits(high, 20, 3) === 0) {
          groups.push(open);
          open = new Set();
        }
      } else if (kind === barrier && bits(low, 47, 1) === 1) {
        const left = bits(high, 8, 8);
        groups = left === 0 ? [] : groups.slice(-left);
      } else if (readers.has(kind)) {
        const sources = [bits(low, 24, 8), bits(low, 32, 8), bits(high, 0, 8)];
        if (sources.some((r) => open.has(r) || groups.some((group) => group.has(r)))) early++;
      }
    }
  }
  invariant(products > 0, "the cubin has no matrix products of warpgroups");
  return early;
}
