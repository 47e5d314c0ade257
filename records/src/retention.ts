/** Takes records from those who have most, until all are within the limit or have equally many. */
export function overOf(
  owners: readonly { readonly owner: string; readonly n: number }[],
  most: number,
): readonly { readonly owner: string; readonly over: number }[] {
  let left = most;
  const fewestFirst = [...owners].sort((a, b) => a.n - b.n);
  return fewestFirst.flatMap(({ owner, n }, i) => {
    const share = Math.min(n, Math.floor(left / (fewestFirst.length - i)));
    left -= share;
    return n > share ? [{ owner, over: n - share }] : [];
  });
}
