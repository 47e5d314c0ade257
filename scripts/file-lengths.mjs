/**
 * A file of source or tests has at most 400 lines: `node scripts/file-lengths.mjs` names those that are longer, and ends with 1.
 * The list of exceptions only shrinks: a file that is short enough by now, or gone, has no place on it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const most = 400;
const exceptions = ["compiler/test/planted/planted.test.ts"];

const listed = execFileSync("git", ["ls-files", "*.ts", "*.mjs", "*.js"], { encoding: "utf8", maxBuffer: 2 ** 26 });
const files = listed
  .trim()
  .split("\n")
  .filter((file) => !file.startsWith("proto/src/gen/") && existsSync(file));
const long = files
  .map((file) => ({ file, lines: readFileSync(file, "utf8").split("\n").length - 1 }))
  .filter(({ lines }) => lines > most);
const faults = long
  .filter(({ file }) => !exceptions.includes(file))
  .map(({ file, lines }) => `${file}: ${lines} lines, at most ${most}; split it by subject`);
for (const file of exceptions)
  if (!long.some((each) => each.file === file))
    faults.push(`${file}: no longer an exception; take it off the list in scripts/file-lengths.mjs`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
