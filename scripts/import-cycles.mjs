/**
 * Folders of a package that import each other at run time: `node scripts/folder-cycles.mjs` names every circle with its imports,
 * and ends with 1 when there is one. A folder and one inside it may import each other: the outer one composes what lies in it.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { circles, importsIn, root } from "./imports.mjs";

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

/** Of the sources under that folder, one text for each circle. */
async function folderCycles(source) {
  const arrows = await arrowsOf(source);
  return circles(arrows).map((ring) => {
    const lines = ring.flatMap((from) => ring.flatMap((to) => arrows.get(from)?.get(to) ?? []));
    return [`${ring.join(" <-> ")}:`, ...lines.map((line) => `  ${line}`)].join("\n");
  });
}

const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
let found = 0;
for (const name of workspaces)
  for (const circle of await folderCycles(join(root, name, "src"))) {
    console.log(`${name}: ${circle}`);
    found++;
  }
if (found > 0) console.log(`${found} circles of folders: what both need belongs below both`);
process.exitCode = found > 0 ? 1 : 0;
