/** Lists of a known length, so that loops can be destructured by name. */
import { FarmError } from "@warpfarm/common";

/**
 * A template destructured a list into another number of parts than it has. The file and line are added where the file is known.
 */
export class WrongLength extends FarmError {
  constructor(count: number, found: number) {
    super("INVALID_ARGUMENT", `exactly(${count}, ...) was given a list of ${found}`);
  }
}

type Tuple<T, N extends number, Found extends readonly T[] = readonly []> = Found["length"] extends N
  ? Found
  : Tuple<T, N, readonly [...Found, T]>;

/** `const [n, f, y, x] = exactly(4, sch.axes(conv));` */
export function exactly<T, const N extends number>(count: N, list: readonly T[]): Tuple<T, N> {
  if (list.length !== count) throw new WrongLength(count, list.length);
  return list as unknown as Tuple<T, N>;
}
