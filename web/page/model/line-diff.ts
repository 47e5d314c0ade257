/**
 * Compares two texts line by line: which lines to remove and which to add (Myers, 1986), in hunks with some equal lines around
 * them.
 */

export interface Line {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}
/** Consecutive lines, or the number of equal lines that are left out. */
export type Hunk =
  | { readonly kind: "lines"; readonly lines: readonly Line[] }
  | { readonly kind: "equal"; readonly count: number };

/**
 * Texts that differ in more lines count as changed whole, except equal lines at both ends: time and memory grow as the square of
 * the changes.
 */
const mostChanges = 2_000;

const as = (kind: Line["kind"], texts: readonly string[]): Line[] => texts.map((text) => ({ kind, text }));

/** The result without its removed lines is `b`, and without its added lines `a`. The number of changes is minimal. */
export function lineDiff(a: readonly string[], b: readonly string[]): readonly Line[] {
  const shorter = Math.min(a.length, b.length);
  let from = 0;
  while (from < shorter && a[from] === b[from]) from++;
  let after = 0;
  while (after < shorter - from && a.at(-1 - after) === b.at(-1 - after)) after++;
  const [ofA, ofB] = [a.slice(from, a.length - after), b.slice(from, b.length - after)];
  const changed = shortestEdit(ofA, ofB) ?? [...as("removed", ofA), ...as("added", ofB)];
  return [...as("same", a.slice(0, from)), ...changed, ...as("same", a.slice(a.length - after))];
}

/** Undefined when the texts differ in more than `mostChanges` lines. Round `d` has `d` changes. */
function shortestEdit(a: readonly string[], b: readonly string[]): Line[] | undefined {
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= Math.min(a.length + b.length, mostChanges); d++) {
    const before = rounds[d - 1];
    const reached = new Int32Array(2 * d + 1);
    rounds.push(reached);
    for (let k = -d; k <= d; k += 2) {
      let x = before === undefined ? 0 : step(before, d, k).x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached[k + d] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(rounds, a, b);
    }
  }
  return undefined;
}

/** Round `d` begins diagonal `k` by removing a line (from `k - 1`) or by adding one (from `k + 1`), whichever reaches farther. */
function step(before: Int32Array, d: number, k: number): { readonly x: number; readonly isAdded: boolean } {
  const at = (diagonal: number): number => before[diagonal + d - 1] ?? -1;
  const isAdded = k === -d || (k !== d && at(k - 1) < at(k + 1));
  return { isAdded, x: isAdded ? at(k + 1) : at(k - 1) + 1 };
}

function walkBack(rounds: readonly Int32Array[], a: readonly string[], b: readonly string[]): Line[] {
  const lines: Line[] = [];
  let [x, k] = [a.length, a.length - b.length];
  for (let d = rounds.length - 1; d >= 0; d--) {
    const begun = d === 0 ? { x: 0, isAdded: false } : step(rounds[d - 1] as Int32Array, d, k);
    while (x > begun.x) lines.push({ kind: "same", text: a[--x] as string });
    if (d === 0) break;
    if (begun.isAdded) lines.push({ kind: "added", text: b[x - ++k] as string });
    else {
      lines.push({ kind: "removed", text: a[--x] as string });
      k--;
    }
  }
  return lines.reverse();
}

/** Hunks with `context` equal lines before and after each change. */
export function hunks(lines: readonly Line[], context = 3): readonly Hunk[] {
  const isShown = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries()) if (kind !== "same") isShown.fill(1, Math.max(0, i - context), i + context + 1);
  const found: Hunk[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && isShown[end] === isShown[i]) end++;
    found.push(isShown[i] ? { kind: "lines", lines: lines.slice(i, end) } : { kind: "equal", count: end - i });
    i = end;
  }
  return found;
}
