/** Refuses exports of sources that no other file names, tests among the others: `node scripts/unused-exports.mjs`. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const files = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.js", "*.mjs"], { encoding: "utf8", maxBuffer: 2 ** 26 })
  .trim()
  .split("\n")
  .filter((file) => !file.includes("/gen/") && existsSync(file));
const texts = files.map((file) => [file, readFileSync(file, "utf8")]);

/** The number of files that have each word. */
const filesWith = new Map();
for (const [, text] of texts)
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);

const declared = /^export (?:async )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
let found = 0;
for (const [file, text] of texts) {
  if (!/\/src\//.test(file)) continue;
  for (const [, name] of text.matchAll(declared))
    if (filesWith.get(name) === 1) {
      console.error(`${file}: no other file names ${name}: leave its export out, or all of it`);
      found++;
    }
}
process.exitCode = found > 0 ? 1 : 0;
