/** Which files of a package load which others. `import type` and imports of types alone load nothing; tests do not count. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { filesOf, root } from "./checks.mjs";

const isSource = (name) => name.endsWith(".ts") && !/\.(?:test|testing)\.ts$/.test(name);
const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && isSource(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/**
 * [file, files that loading it loads][], paths from `root`.
 * @returns {Promise<[string, string[]][]>}
 */
export async function importsIn(source) {
  const entryPoints = sourcesIn(source);
  // With parts split off, the bundler writes each file once and not for all that import it.
  /** @type {import("esbuild").BuildOptions & { metafile: true }} */
  const options = {
    bundle: true,
    write: false,
    metafile: true,
    outdir: "unused",
    format: "esm",
    splitting: true,
    platform: "node",
  };
  const { metafile } = await build({ ...options, entryPoints, packages: "external", absWorkingDir: root, logLevel: "error" });
  const loaded = ({ kind, external = false }) => kind === "import-statement" && !external;
  const files = Object.entries(metafile.inputs);
  return files.map(([file, { imports }]) => [file, imports.filter(loaded).map(({ path }) => path)]);
}

const isTest = (file) => /\.(?:test|testing)\.[mc]?tsx?$|(?:^|\/)(?:test|testdata)\//.test(file);

/** The text of each source of a checkout, by its path there. */
export function sourcesOf(at) {
  const files = filesOf(["*.ts", "*.tsx"], at).filter((file) => /^[a-z]+\/(?:src|page)\//.test(file) && !isTest(file));
  return new Map(files.map((file) => [file, readFileSync(join(at, file), "utf8")]));
}

const importPattern = /^(import|export)\s+(type\s)?[^"'`;]*?from\s+"(\.{1,2}\/[^"]+)"|^import\s+"(\.{1,2}\/[^"]+)"/gm;

/** What these sources say that they import within their package, types included. */
export const importsSaid = (sources) =>
  [...sources].flatMap(([file, text]) =>
    [...text.matchAll(importPattern)].map(([whole, , isType, from, bare]) => {
      const names =
        /\{([^}]*)\}/
          .exec(whole)?.[1]
          ?.split(",")
          .map((name) => name.trim()) ?? [];
      const onlyTypes =
        isType !== undefined || (names.length > 0 && names.every((name) => name === "" || name.startsWith("type ")));
      const to = relative("/", resolve("/", dirname(file), from ?? bare));
      return { file, to, onlyTypes };
    }),
  );

/** The circles of files among them. */
export function circlesOf(imports) {
  const arrows = new Map();
  for (const { file, to } of imports) if (file !== to) arrows.set(file, (arrows.get(file) ?? new Map()).set(to, true));
  return circles(arrows);
}

/** Sets of nodes of which each reaches each other. `arrows`: from a node to those it leads to, the keys of a map. */
export function circles(arrows) {
  const reached = (from) => {
    const seen = new Set();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of arrows.get(at)?.keys() ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const reach = new Map([...arrows.keys()].map((node) => [node, reached(node)]));
  const reaches = (from, to) => reach.get(from)?.has(to) === true;
  const inCircle = [...reach.keys()].filter((node) => reaches(node, node));
  const rings = inCircle.map((node) => inCircle.filter((other) => reaches(node, other) && reaches(other, node)));
  return [...new Map(rings.map((ring) => [ring.sort().join(), ring])).values()];
}
