/** The number of changed letters, and of swaps of two neighbours, between two words. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    for (let j = 0; j <= b.length; j++) {
      const at = (k: number, l: number) => (k === i ? row[l] : rows[k]?.[l]) ?? 0;
      if (i === 0 || j === 0) row.push(i + j);
      else {
        const change = a[i - 1] === b[j - 1] ? 0 : 1;
        const swap =
          i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
        row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swap));
      }
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** The nearest word if at most two fifths of the asked one change; otherwise the only word that begins with it. */
export function nearest(asked: string, words: readonly string[]): string | undefined {
  const lower = asked.toLowerCase();
  const ranked = words
    .map((word) => ({ word, far: distance(lower, word.toLowerCase()) }))
    .sort((x, y) => x.far - y.far || x.word.localeCompare(y.word));
  const [first] = ranked;
  if (
    first &&
    first.far < first.word.length &&
    first.far <= Math.max(1, Math.floor(Math.max(lower.length, first.word.length) * 0.4))
  )
    return first.word;
  const begun = words.filter(
    (word) =>
      lower.length > 1 &&
      word
        .toLowerCase()
        .split(/[/]/)
        .some((part) => part.startsWith(lower)),
  );
  return begun[0];
}

/**
 * The first key that is none of `names`, and what a refusal says of it: `has no option "strid" (did you mean stride?); it takes
 * stride, padding`. Undefined where there is none.
 */
export function strangeKey(
  kind: string,
  given: object,
  names: readonly string[],
): { readonly key: string; readonly words: string } | undefined {
  const key = Object.keys(given).find((each) => !names.includes(each));
  if (key === undefined) return undefined;
  const words = `has no ${kind} ${JSON.stringify(key)}${didYouMean(key, names)}; it takes ${names.join(", ")}`;
  return { key, words };
}

/** ` (did you mean conv2d_nchw?)`, or nothing. */
export function didYouMean(asked: string, words: readonly string[]): string {
  const word = nearest(asked, words);
  return word === undefined ? "" : ` (did you mean ${word}?)`;
}
