/**
 * Whether code may add floats by atomic operations, whose order no program decides. Cubins have instructions of 16 bytes from
 * sm_70 on; the low 12 bits are the operation, of which the upper 3 say where operands come from. The numbers are those that
 * ptxas 13.0 writes for one atomic instruction of PTX at a time, for sm_75, 80, 90, 100 and 120 (float-atomics.test.ts). A
 * compare-and-swap counts, because sums of floats are made of it, in shared memory always.
 */
import type { ArtifactManifest } from "@warpfarm/common";

/** Additions of floats; compare-and-swap in generic, shared and global memory; reductions by the copy engine. */
const always = new Set([0x1a2, 0x1a3, 0x1a6, 0x18b, 0x18d, 0x1a9, 0x1aa, 0x1bb]);
/** Before sm_90 integers and floats share an instruction. */
const before90 = new Set([0x18a, 0x18e, 0x1a8]);
const instructionBytes = 16;

/** Code of another form than PTX and cubins may do anything, and is not read. */
export function mayAddFloats({ format, target }: Pick<ArtifactManifest, "format" | "target">, read: () => Uint8Array): boolean {
  if (format !== "cubin" && format !== "ptx") return true;
  const code = read();
  if (format === "ptx") return /\b(?:atom|red|multimem|cp\.reduce)\b/.test(Buffer.from(code).toString("latin1"));
  const level = Number(/sm_(\d+)/.exec(target)?.[1] ?? 0);
  for (const text of sectionsOf(code))
    for (let at = 0; at + instructionBytes <= text.byteLength; at += instructionBytes) {
      const operation = text.getUint16(at, true) & 0x1ff;
      if (always.has(operation) || (level < 90 && before90.has(operation))) return true;
    }
  return false;
}

/** The sections of an ELF file whose names begin with .text: the code of each kernel. Offsets: ELF-64, table of sections. */
function sectionsOf(code: Uint8Array): readonly DataView[] {
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  const table = Number(view.getBigUint64(0x28, true));
  const [bytes, count, names] = [0x3a, 0x3c, 0x3e].map((at) => view.getUint16(at, true)) as [number, number, number];
  const section = (i: number) => {
    const at = table + i * bytes;
    return {
      name: view.getUint32(at, true),
      from: Number(view.getBigUint64(at + 0x18, true)),
      size: Number(view.getBigUint64(at + 0x20, true)),
    };
  };
  const strings = section(names).from;
  const isText = ({ name }: { readonly name: number }) =>
    Buffer.from(code.buffer, code.byteOffset + strings + name, 5).toString("latin1") === ".text";
  return Array.from({ length: count }, (_, i) => section(i))
    .filter(isText)
    .map(({ from, size }) => new DataView(code.buffer, code.byteOffset + from, size));
}
