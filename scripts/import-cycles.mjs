/**
 * Imports in circles: `node scripts/import-cycles.mjs` names them and ends with 1 when there are some that may not be. Files and
 * folders of a package that import each other at run time may not; a folder and one inside it may, because the outer one composes
 * what lies in it. Of files that import each other's types there may be a few circles, for types that are defined by each other.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./checks.mjs";
import { circles, circlesOf, importsIn, importsSaid, sourcesOf } from "./imports.mjs";

const mostOfTypes = 8;

const isWithin = (inner, outer) => outer === "." || inner === outer || inner.startsWith(`${outer}/`);

/** Folder to folder: the imports, as text. */
async function arrowsOf(source) {
  const arrows = new Map();
  for (const [file, imports] of await importsIn(source))
    for (const imported of imports) {
      const [from, to] = [file, imported].map((path) => relative(source, dirname(resolve(root, path))) || ".");
      if (isWithin(from, to) || isWithin(to, from)) continue;
      const known = arrows.get(from) ?? new Map();
      arrows.set(from, known.set(to, [...(known.get(to) ?? []), `${file} -> ${imported}`]));
    }
  return arrows;
}

/** One text for each circle: its nodes, and the imports between them. */
const ringText = (ring, linesOf) =>
  [`${ring.join(" <-> ")}:`, ...ring.flatMap((from) => ring.flatMap((to) => linesOf(from, to))).map((line) => `  ${line}`)].join(
    "\n",
  );

async function folderCycles(source) {
  const arrows = await arrowsOf(source);
  return circles(arrows).map((ring) => ringText(ring, (from, to) => arrows.get(from)?.get(to) ?? []));
}

function fileCycles(imports) {
  const said = new Map(
    imports.map(({ file, to, onlyTypes }) => [`${file} ${to}`, `${file} -> ${to}${onlyTypes ? " (types)" : ""}`]),
  );
  return circlesOf(imports).map((ring) =>
    ringText(ring, (from, to) => [said.get(`${from} ${to}`)].filter((line) => line !== undefined)),
  );
}

const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const imports = importsSaid(sourcesOf(root));
const folders = [];
for (const name of workspaces)
  for (const circle of await folderCycles(join(root, name, "src"))) folders.push(`${name}: ${circle}`);
const files = fileCycles(imports.filter(({ onlyTypes }) => !onlyTypes));
const types = fileCycles(imports);
const tooMany = types.length > mostOfTypes;
for (const circle of [...folders, ...files, ...(tooMany ? types : [])]) console.log(circle);
if (folders.length + files.length > 0)
  console.log(`${folders.length} circles of folders, ${files.length} of files: what both need belongs below both`);
if (tooMany) console.log(`${types.length} circles of files with their types; at most ${mostOfTypes}`);
process.exitCode = folders.length + files.length > 0 || tooMany ? 1 : 0;
