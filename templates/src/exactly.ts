/** Checks the length of lists of loops, so that they can be destructured by name. */
import { SpaceError } from "@warpfarm/compiler/language";

type Tuple<T, N extends number, Found extends readonly T[] = readonly []> = Found["length"] extends N
  ? Found
  : Tuple<T, N, readonly [...Found, T]>;

/** `const [n, f, y, x] = exactly(4, sch.axes(conv));` */
export function exactly<T, const N extends number>(count: N, list: readonly T[]): Tuple<T, N> {
  if (list.length !== count) throw new SpaceError(`exactly(${count}, ...) was given a list of ${list.length}`);
  return list as unknown as Tuple<T, N>;
}
