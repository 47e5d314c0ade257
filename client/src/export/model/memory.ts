/**
 * Places of a model's tensors in one block of memory. Two tensors may share bytes when no step needs both. The largest tensor is
 * placed first, each at the lowest offset that is free for all of its steps (greedy by size: Pisarchyk and Lee, "Efficient memory
 * management for deep neural net inference", 2020).
 */
export interface Lifetime {
  readonly bytes: number;
  /** The first step that needs it, and the last. */
  readonly from: number;
  readonly to: number;
}

export interface Placed {
  readonly bytes: number;
  /** Of each lifetime, in order; multiples of `align`. */
  readonly offsets: readonly number[];
}

export function placeTensors(lifetimes: readonly Lifetime[], align: number): Placed {
  const offsets = new Array<number>(lifetimes.length).fill(0);
  const placed: { readonly lifetime: Lifetime; readonly begin: number; readonly end: number }[] = [];
  const order = lifetimes.map((_, i) => i).sort((a, b) => (lifetimes[b]?.bytes ?? 0) - (lifetimes[a]?.bytes ?? 0) || a - b);
  for (const i of order) {
    const lifetime = lifetimes[i] as Lifetime;
    const size = Math.ceil(lifetime.bytes / align) * align;
    const inTheWay = placed
      .filter(({ lifetime: other }) => other.from <= lifetime.to && lifetime.from <= other.to)
      .sort((a, b) => a.begin - b.begin);
    let begin = 0;
    for (const other of inTheWay) {
      if (begin + size <= other.begin) break;
      begin = Math.max(begin, other.end);
    }
    offsets[i] = begin;
    placed.push({ lifetime, begin, end: begin + size });
  }
  return { bytes: placed.reduce((most, { end }) => Math.max(most, end), 0), offsets };
}
