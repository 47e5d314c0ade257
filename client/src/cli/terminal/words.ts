/** Name and value, one per line, aligned. A value that is wider than `width` continues in further lines. */
export function columns(lines: readonly (readonly [name: string, text: string])[], width = Number.POSITIVE_INFINITY): string {
  const indent = Math.max(0, ...lines.map(([name]) => name.length)) + 2;
  return lines
    .flatMap(([name, text]) => folded(text, width - indent).map((line, i) => `${(i === 0 ? name : "").padEnd(indent)}${line}\n`))
    .join("");
}

function folded(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** How long a build took. It takes no time where the code was there already. */
export const buildWords = (ms: number): string => (ms > 0 ? `${ms.toFixed(1)} ms` : "cached");

/** Says that the tracker allows fewer than `asked` measurements at once; empty where it allows as many. */
export const fewerWords = (flag: string, asked: number, allowed: number): string =>
  allowed >= asked
    ? ""
    : `the tracker allows ${allowed} measurement${allowed === 1 ? "" : "s"} outstanding (its --quota inputs): ${flag} is lowered from ${asked} to ${allowed}\n`;
