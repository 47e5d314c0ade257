/**
 * docs/pictures/*.svg: the farm, those of the manuals, and each package's parts with the imports between them, generated from the
 * code. `node scripts/pictures.mjs` writes them; `--check` ends with 1 when one differs from the code.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importsIn, root } from "./imports.mjs";
import { farmPicture, packagePicture } from "./pictures/draw.mjs";
import { flows } from "./pictures/flows.mjs";
import { arrowsOfParts } from "./pictures/layers.mjs";
import { packages } from "./pictures/parts.mjs";

const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pictures = new Map([["farm", farmPicture()]]);
for (const [name, draw] of Object.entries(flows)) pictures.set(name, draw());
const wrong = workspaces.filter((name) => packages[name] === undefined).map((name) => `${name} has no parts`);
for (const [name, parts] of Object.entries(packages)) {
  const source = join(root, name, "src");
  const { missing, empty, arrows } = arrowsOfParts(parts, await importsIn(source), source, root);
  wrong.push(...missing.map((file) => `${file} is of no part`), ...empty.map((part) => `${name}: part ${part} has no file`));
  const { description } = JSON.parse(readFileSync(join(root, name, "package.json"), "utf8"));
  pictures.set(name, packagePicture(name, description, parts, arrows));
}
if (wrong.length > 0) throw new Error(`scripts/pictures/parts.mjs:\n${wrong.join("\n")}`);

const folder = join(root, "docs/pictures");
mkdirSync(folder, { recursive: true });
const stale = [...pictures].filter(([name, svg]) => {
  const path = join(folder, `${name}.svg`);
  return !existsSync(path) || readFileSync(path, "utf8") !== svg;
});
if (!process.argv.includes("--check")) for (const [name, svg] of stale) writeFileSync(join(folder, `${name}.svg`), svg);
console.log(stale.length === 0 ? "all as the code says" : `${stale.map(([name]) => name).join(", ")}: not as the code says`);
process.exitCode = process.argv.includes("--check") && stale.length > 0 ? 1 : 0;
