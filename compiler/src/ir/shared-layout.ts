/** Where shared arrays of a kernel start: what codegen lays out, and what limits count. */

/** Every array starts where the widest vector may, and one that intrinsics reach into where a row of banks does. */
export const arrayAlignment = 16;
export const tileArrayAlignment = 128;

export interface SharedArray {
  readonly bytes: number;
  readonly inTiles: boolean;
  /** Of what the copy engine fills, in bytes; absent = by `inTiles`. */
  readonly align?: number;
}

export const alignmentOf = ({ align, inTiles }: Omit<SharedArray, "bytes">): number =>
  align ?? (inTiles ? tileArrayAlignment : arrayAlignment);

const alignUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** Offsets of arrays one behind the other, in this order, and the bytes of all. */
export function sharedLayout(arrays: readonly SharedArray[]): { readonly offsets: readonly number[]; readonly bytes: number } {
  let end = 0;
  const offsets = arrays.map((array) => {
    const offset = alignUp(end, alignmentOf(array));
    end = alignUp(offset + array.bytes, arrayAlignment);
    return offset;
  });
  return { offsets, bytes: end };
}
