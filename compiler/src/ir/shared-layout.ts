/** Every array starts at the alignment of the widest vector. Arrays that intrinsics access start at a row of banks. */
const arrayAlignment = 16;
export const tileArrayAlignment = 128;

interface SharedArray {
  readonly bytes: number;
  readonly inTiles: boolean;
  /** Alignment in bytes of an array that the copy engine fills; absent = by `inTiles`. */
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
