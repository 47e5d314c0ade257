/**
 * docs/packages.md: each package's parts with the imports between them, as Mermaid's flowcharts, generated from the code.
 * `node scripts/pictures.mjs` writes the page; `--check` ends with 1 when it differs from the code.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importsIn, root } from "./imports.mjs";
import { arrowsOfParts, reduced } from "./pictures/arrows.mjs";
import { packages } from "./pictures/parts.mjs";

/** An arrow goes from a part to one that it imports. */
function picture(parts, arrows) {
  const boxes = parts.map(({ name, says }, i) => `  p${i}["${name}<br>${says}"]`);
  const lines = reduced(arrows).flatMap((to, from) =>
    to.size === 0 ? [] : [`  p${from} --> ${[...to].map((i) => `p${i}`).join(" & ")}`],
  );
  return ["```mermaid", "flowchart TD", ...boxes, ...lines, "```"];
}

const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const wrong = workspaces.filter((name) => packages[name] === undefined).map((name) => `${name} has no parts`);
const sections = [];
for (const [name, parts] of Object.entries(packages)) {
  const source = join(root, name, "src");
  const { missing, empty, arrows } = arrowsOfParts(parts, await importsIn(source), source, root);
  wrong.push(...missing.map((file) => `${file} is of no part`), ...empty.map((part) => `${name}: part ${part} has no file`));
  const { description } = JSON.parse(readFileSync(join(root, name, "package.json"), "utf8"));
  sections.push(["", `## ${name}`, "", `${description}.`, "", ...picture(parts, arrows)]);
}
if (wrong.length > 0) throw new Error(`scripts/pictures/parts.mjs:\n${wrong.join("\n")}`);

const page = join(root, "docs/packages.md");
const made = `# The packages, drawn

This page is for contributors. A box is a part of the package. An arrow goes from a part to one that it imports at run time; an import
that a path over other parts already shows has no arrow. \`node scripts/pictures.mjs\` writes the page from the code.
${sections.map((lines) => `${lines.join("\n")}\n`).join("")}`;
const isCurrent = existsSync(page) && readFileSync(page, "utf8") === made;
const isCheck = process.argv.includes("--check");
if (!isCheck) writeFileSync(page, made);
console.log(`docs/packages.md ${isCurrent || !isCheck ? "is" : "is not"} what the code says`);
process.exitCode = isCheck && !isCurrent ? 1 : 0;
