/**
 * Decision records: `node scripts/decisions.mjs [--write] [ROOT]` ends with 1 when one of docs/adr has no title with its number,
 * no line of status or no entry in the index (docs/adr/README.md, whose table --write writes), and when a file names a decision
 * that is not there.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));

const words = process.argv.slice(2);
const isWritten = words.includes("--write");
const root = resolve(words.find((word) => !word.startsWith("--")) ?? here);
const folder = join(root, "docs/adr");
const indexFile = join(folder, "README.md");

const statusForm = /^Status: ((?:accepted|superseded by \[\d+\]\(\d{4}-[\w-]+\.md\)), \d{4}-\d\d-\d\d)(?:; .*)?$/;

/** @type {string[]} */
const faults = [];
const names = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
const decisions = names.map((name) => {
  const [heading = "", empty, status = ""] = readFileSync(join(folder, name), "utf8").split("\n");
  const number = Number(name.slice(0, 4));
  const [, title] = /^# \d+\. (.+)$/.exec(heading) ?? [];
  if (title === undefined || !heading.startsWith(`# ${number}. `))
    faults.push(`docs/adr/${name}: line 1 is "${heading}"; it must be "# ${number}. TITLE"`);
  const [, said] = statusForm.exec(status) ?? [];
  if (empty !== "" || said === undefined)
    faults.push(
      `docs/adr/${name}: line 3 is "${status}"; it must be "Status: accepted, YYYY-MM-DD" or ` +
        `"Status: superseded by [N](NNNN-name.md), YYYY-MM-DD", and may go on after "; "`,
    );
  return { name, number, row: `| [${number}](${name}) | ${title ?? ""} | ${said ?? ""} |` };
});
const numbers = new Set(decisions.map(({ number }) => number));
if (numbers.size < decisions.length) faults.push("docs/adr: two decisions have one number");

const index = readFileSync(indexFile, "utf8");
const table = /^\| \[\d+\]\(.*$(?:\n\| \[\d+\]\(.*$)*/m;
const rows = decisions.map(({ row }) => row).join("\n");
if (isWritten)
  writeFileSync(
    indexFile,
    index.replace(table, () => rows),
  );
else if (table.exec(index)?.[0] !== rows)
  faults.push("docs/adr/README.md: its table is not that of the files; write it by node scripts/decisions.mjs --write");

/** What a text says of decisions: "ADR 15", "adr/0015" or a link to its file. */
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 2 ** 26,
})
  .trim()
  .split("\n")
  .filter((file) => /\.(md|ts|tsx|mts|mjs|js|py|proto|yaml|sh)$/.test(file) && !file.startsWith("proto/src/gen/"))
  .filter((file) => existsSync(join(root, file)) && !/^(scripts|deploy\/test)\/decisions\./.test(file));
for (const file of tracked) {
  const text = readFileSync(join(root, file), "utf8");
  const inFolder = normalize(dirname(file)) === join("docs", "adr");
  for (const [said, number] of text.matchAll(/\b(?:ADRs?[ \n/*]+|adr\/)(\d{1,4})\b(?!-)/g))
    if (!numbers.has(Number(number))) faults.push(`${file}: names ${said.replace(/\s+/g, " ")}, which is not in docs/adr`);
  for (const [, name = ""] of text.matchAll(inFolder ? /\]\((\d{4}-[\w-]+\.md)/g : /\badr\/(\d{4}-[\w-]+\.md)/g))
    if (!names.includes(basename(name))) faults.push(`${file}: leads to docs/adr/${name}, which is not there`);
}

for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exit(1);
