/** Refuses exports of sources that no other file names, tests among the others: `node scripts/unused-exports.mjs`. */
import { readFileSync } from "node:fs";
import { filesOf, tell } from "./checks.mjs";

const texts = filesOf(["*.ts", "*.tsx", "*.js", "*.mjs"]).map((file) => [file, readFileSync(file, "utf8")]);

/** The number of files that have each word. */
const filesWith = new Map();
for (const [, text] of texts)
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);

const declared = /^export (?:async )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
tell(
  texts
    .filter(([file]) => /\/src\//.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(declared)]
        .filter(([, name]) => filesWith.get(name) === 1)
        .map(([, name]) => `${file}: no other file names ${name}: leave its export out, or all of it`),
    ),
);
