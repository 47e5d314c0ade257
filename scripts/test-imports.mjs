/**
 * A package reaches others by their public faces, and what tests of several packages use lies in test-support: `node
 * scripts/test-imports.mjs` names each path that goes from one package into another, or into a package's tests from outside it,
 * and ends with 1. Test-support may go into the sources of the packages that it imitates. Data beside which its origin is written
 * (vectors, spaces, testdata) may be read from anywhere. The list of exceptions only shrinks.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, normalize } from "node:path";
import { parseSync, Visitor } from "vite";
import { beyond, filesOf, lineAt, tell } from "./checks.mjs";

/** Files that may import other packages' sources, each with the reason. */
const exceptions = {
  "deploy/test/programs/programs.test.ts": "counts all primitives, whose list is no part of the language",
  "deploy/test/python.test.ts": "a bundle of headers as the command line reads it, to compare with Python's",
  "deploy/test/third-backend.test.ts":
    "adds a backend to the tables of builder and runner, as a package of one would by editing them",
};

const { workspaces } = JSON.parse(readFileSync("package.json", "utf8"));
const packageOf = (path) => workspaces.find((name) => path.startsWith(`${name}/`));
const isOfTests = (path) => /^[^/]+\/test\/|\.(test|testing)\.[^/]*$/.test(path);
const isData = (path) => /\/(vectors|spaces|testdata)\//.test(path);

/** Paths that this file names, as far as they are there. */
function pathsIn(file) {
  const text = readFileSync(file, "utf8");
  if (!text.includes("../")) return [];
  const found = [];
  const note = (value, start) => {
    if (typeof value !== "string" || !/^\.\.?\//.test(value)) return;
    const path = normalize(`${dirname(file)}/${value}`);
    if (existsSync(path)) found.push({ path, line: lineAt(text, start) });
  };
  const visitor = new Visitor({
    Literal: ({ value, start }) => note(value, start),
    TemplateElement: ({ value, start }) => note(value.cooked, start),
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

/** Why this file may not name that path; undefined when it may. */
function fault(file, path) {
  const [from, to] = [packageOf(file), packageOf(path)];
  if (isData(path) || from === to) return undefined;
  if (path.startsWith("test-support/"))
    return from !== undefined && !isOfTests(file) ? "what is shipped uses nothing of test-support" : undefined;
  if (to === undefined) return undefined;
  if (isOfTests(path)) return "what tests of several packages use lies in test-support";
  if (from !== undefined && path.startsWith(`${to}/src/`)) return `import @warpfarm/${to}, its public face`;
  return undefined;
}

/** No exception goes into tests. */
const always = [];
const found = new Map();
for (const file of filesOf(["*.ts", "*.tsx", "*.mts", "*.mjs", "*.js"]))
  for (const { path, line } of pathsIn(file)) {
    const why = fault(file, path);
    if (why === undefined) continue;
    const words = `${file}:${line}: ${path}; ${why}`;
    if (isOfTests(path)) always.push(words);
    else found.set(file, [...(found.get(file) ?? []), words]);
  }
tell([...always, ...beyond(found, exceptions, "scripts/test-imports.mjs")]);
