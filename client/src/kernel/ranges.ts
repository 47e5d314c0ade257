/** Tunables in comments of the text, as in CUB's benchmarks: `// %RANGE% NAME label from:to:step`. */
import { err, ok, type Result } from "@warpfarm/common";

const form = /^[ \t]*\/\/[ \t]*%RANGE%[ \t]+([A-Za-z_]\w*)[ \t]+(\S+)[ \t]+(-?\d+):(-?\d+):(\d+)[ \t]*\r?$/;

const mostValues = 10_000;

/** Ranges by name; or the fault of a line, which is named. Each line is taken completely, or refused. */
export function rangesOf(text: string, file: string): Result<Readonly<Record<string, readonly number[]>>, string> {
  const found = new Map<string, readonly number[]>();
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.includes("%RANGE%")) continue;
    const refuse = (why: string) => err(`${file}:${i + 1}: ${line.trim()}: ${why}`);
    const [, name = "", , ...limits] = form.exec(line) ?? [];
    const [from = 0, to = 0, step = 0] = limits.map(Number);
    if (name === "") return refuse("write // %RANGE% NAME label from:to:step, with whole numbers and a step from 1 on");
    if (found.has(name)) return refuse(`${name} has a %RANGE% before; remove one of them`);
    if (step < 1 || from > to) return refuse("the range has no value; from must not be above to, and the step at least 1");
    const count = Math.floor((to - from) / step) + 1;
    if (!(count <= mostValues) || ![from, to].every(Number.isSafeInteger))
      return refuse(`the range has ${count} values; at most ${mostValues}, between -2^53 and 2^53`);
    found.set(
      name,
      Array.from({ length: count }, (_, at) => from + at * step),
    );
  }
  return ok(Object.fromEntries(found));
}
