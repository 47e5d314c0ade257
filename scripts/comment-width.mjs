/**
 * Comments wrap at 130 columns, as code does. `node scripts/comment-width.mjs` prints the wider ones, and ends with 1 when there
 * are more than `allowed`. `--write` moves what is too wide to the next line of the same paragraph where it can.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { filesOf } from "./checks.mjs";

const width = 130;
const allowed = 12;

/** The prefix of a comment's line (" * " or "// ", with indentation) and its words; undefined for a line of code. */
function readLine(line) {
  const [, indent, mark, inner, text] = /^(\s*)(\*(?=\s|$)|\/\/)( *)(.*)$/.exec(line) ?? [];
  return mark === undefined ? undefined : { head: `${indent}${mark}${inner || " "}`, text };
}

/** Whether words may be put in front of this line. Lists, commands, tables and diagrams keep their lines. */
const goesOn = (line, head) =>
  line?.head === head && line.text !== "" && !/^([-*|@]|\d+[.)]|np[mx] |node |.* {2,})/.test(line.text);

/** Position before the last word that fits; 0 when no word fits. Quotes of code are broken like other words. */
const breakIn = (line, from) => {
  const at = line.lastIndexOf(" ", width);
  return at > from ? at : 0;
};

function mended(lines) {
  const made = [];
  const rest = [...lines];
  while (rest.length > 0) {
    const line = rest.shift();
    const whole = line.length > width && /^(\s*)\/\*\*? (.*) \*\/$/.exec(line);
    if (whole) {
      rest.unshift(`${whole[1]}/**`, `${whole[1]} * ${whole[2]}`, `${whole[1]} */`);
      continue;
    }
    const read = line.length > width ? readLine(line) : undefined;
    const at = read && !/\S {2,}/.test(read.text) ? breakIn(line, read.head.length) : 0;
    if (read === undefined || at === 0) {
      made.push(line);
      continue;
    }
    made.push(line.slice(0, at));
    const over = line.slice(at + 1);
    const next = readLine(rest[0] ?? "");
    if (next && goesOn(next, read.head)) rest[0] = `${read.head}${over} ${next.text}`;
    else rest.unshift(`${read.head}${over}`);
  }
  return made;
}

const isComment = (line) => readLine(line) !== undefined || /^\s*\/\*/.test(line);
const wide = [];
for (const file of filesOf(["*.ts", "*.mjs", "*.js"])) {
  // Generated files, and templates of text in which a line is data.
  if (/(^|\/)(gen|golden|testdata|vectors)\//.test(file)) continue;
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  const after = process.argv.includes("--write") ? mended(lines) : lines;
  if (after.join("\n") !== text) writeFileSync(file, after.join("\n"));
  for (const [i, line] of after.entries())
    if (line.length > width && isComment(line))
      wide.push(`${file}:${i + 1}: a comment of ${line.length} columns; at most ${width}`);
}
if (wide.length > allowed) {
  console.log(wide.join("\n"));
  console.log(`${wide.length} comments are too wide, at most ${allowed} may be: node scripts/comment-width.mjs --write`);
  process.exitCode = 1;
}
