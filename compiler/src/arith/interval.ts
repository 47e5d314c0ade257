/** Closed integer intervals. An infinite end means that nothing is known on that side. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

export const everything: Interval = { lo: -Infinity, hi: Infinity };
export const range = (extent: number): Interval => ({ lo: 0, hi: extent - 1 });
export const hull = (a: Interval, b: Interval): Interval => ({ lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) });

export function times(a: Interval, b: Interval): Interval {
  const product = (x: number, y: number) => (x === 0 || y === 0 ? 0 : x * y);
  const ends = [product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)];
  return { lo: Math.min(...ends), hi: Math.max(...ends) };
}

/** k when every value is in [k*d, (k+1)*d), otherwise undefined. Requires d > 0. */
export function blockOf(i: Interval, d: number): number | undefined {
  const k = Math.floor(i.lo / d);
  return Number.isFinite(k) && k === Math.floor(i.hi / d) ? k : undefined;
}
