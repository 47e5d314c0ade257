/** The output for people: its width, its colours, and lines that fit. */
import type { CliContext } from "../context.ts";

export type Paint = "good" | "warning" | "bad" | "faint";

export interface Screen {
  readonly width: number;
  readonly paint: (how: Paint, text: string) => string;
}

const codes: Record<Paint, number> = { good: 32, warning: 33, bad: 31, faint: 2 };
const leastWidth = 30;

/**
 * The terminal's width, otherwise COLUMNS, otherwise 80. Only terminals get colours, and NO_COLOR (no-color.org) turns them off.
 */
export function screenOf({ stdout, env }: Pick<CliContext, "stdout" | "env">): Screen {
  const said = [stdout.columns, Number(env.COLUMNS)].find((n) => n !== undefined && Number.isInteger(n) && n > 0);
  const isPainted = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    width: Math.max(leastWidth, said ?? 80),
    paint: (how, text) => (isPainted && text !== "" ? `\u001b[${codes[how]}m${text}\u001b[0m` : text),
  };
}

/** Lines of at most `width` characters, the first shorter by `used`. */
export function wrap(text: string, width: number, used = 0): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  const room = () => Math.max(1, lines.length === 0 ? width - used : width);
  for (const word of text.split(" ")) {
    if (line !== undefined && line.length + 1 + word.length <= room()) {
      line += ` ${word}`;
      continue;
    }
    if (line !== undefined) lines.push(line);
    let rest = word;
    while (rest.length > room()) {
      const part = rest.slice(0, room());
      rest = rest.slice(part.length);
      lines.push(part);
    }
    line = rest;
  }
  return [...lines, line ?? ""];
}

export function hanging(head: string, text: string, width: number, indent = head.length): string {
  const [first = "", ...others] = wrap(text, width - indent, head.length - indent);
  return [`${head}${first}`, ...others.map((line) => `${" ".repeat(indent)}${line}`)].map((line) => `${line}\n`).join("");
}
