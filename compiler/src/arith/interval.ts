/** Closed integer intervals; an infinite end means nothing is known on that side. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

export const everything: Interval = { lo: -Infinity, hi: Infinity };
export const point = (value: number): Interval => ({ lo: value, hi: value });
/** The values of a loop variable: [0, extent). */
export const range = (extent: number): Interval => ({ lo: 0, hi: extent - 1 });
export const isPoint = (i: Interval): boolean => i.lo === i.hi;

/** Ends times a constant; 0 times an unknown end is 0. */
export const scale = (i: Interval, k: number): Interval =>
  k === 0 ? point(0) : k > 0 ? { lo: i.lo * k, hi: i.hi * k } : { lo: i.hi * k, hi: i.lo * k };
export const plus = (a: Interval, b: Interval): Interval => ({ lo: a.lo + b.lo, hi: a.hi + b.hi });
export const hull = (a: Interval, b: Interval): Interval => ({ lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) });

export function times(a: Interval, b: Interval): Interval {
  const product = (x: number, y: number) => (x === 0 || y === 0 ? 0 : x * y);
  const ends = [product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)];
  return { lo: Math.min(...ends), hi: Math.max(...ends) };
}

/** Rounds towards minus infinity; requires d > 0. */
export const floorDivide = (i: Interval, d: number): Interval => ({ lo: Math.floor(i.lo / d), hi: Math.floor(i.hi / d) });

/** k when every value lies in [k*d, (k+1)*d), else undefined; requires d > 0. */
export function blockOf(i: Interval, d: number): number | undefined {
  const k = Math.floor(i.lo / d);
  return Number.isFinite(k) && k === Math.floor(i.hi / d) ? k : undefined;
}
