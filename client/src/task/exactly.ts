/** Lists of a known length, so that loops can be taken apart by name. */
import { invariant } from "@warpfarm/common";

type Tuple<T, N extends number, Found extends readonly T[] = readonly []> = Found["length"] extends N
  ? Found
  : Tuple<T, N, readonly [...Found, T]>;

/** `const [n, f, y, x] = exactly(4, sch.axes(conv));` */
export function exactly<T, const N extends number>(count: N, list: readonly T[]): Tuple<T, N> {
  invariant(list.length === count, `expected ${count}, got ${list.length}`);
  return list as unknown as Tuple<T, N>;
}
