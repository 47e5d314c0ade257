/**
 * node bundle.mjs DIRECTORY: the scripts of processes under test, each with all it imports in one file, and what V8 makes of it.
 * A test run starts hundreds of processes, and most of what a start costs is reading hundreds of modules and compiling them. Made
 * from the built code; modules keep their places, so each finds the files beside it. What is shipped, file by file, is what the
 * tests of packing, of the modules that commands load, of templates in files and of the command line from end to end start.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , outdir = ""] = process.argv;

/** Scripts of processes by name, and the executable. */
const scripts = {
  client: "test-support/farm/client.mjs",
  devices: "test-support/farm/devices.mjs",
  tracker: "test-support/fixtures/tracker-child.mjs",
  builder: "builder/test/fixtures/builder-main.mjs",
  runner: "runner/test/fixtures/runner.mjs",
  child: "common/test/fixtures/child.mjs",
  "build-child": "builder/test/fixtures/child.mjs",
  "scripted-child": "runner/test/fixtures/scripted-child.mjs",
  "single-device": "runner/test/fixtures/single-device.mjs",
  "bin/warpfarm": "bin/warpfarm.js",
};
/** Their child scripts, each in a folder of its own, because a sandbox shows them nothing else. */
const children = ["builder/dist/worker/child", "runner/dist/worker/child", "common/dist/process/sandbox/launch"];
const entries = Object.fromEntries(
  [...Object.entries(scripts), ...children.map((path) => [path, `${path}.js`])].map(([name, path]) => [
    name ?? "",
    join(root, path ?? ""),
  ]),
);

/**
 * V8's optimizing compilation of PGlite takes minutes to pay off, and V8 begins it after milliseconds. These processes live for
 * seconds, and it took a third of their time. JavaScript is optimized later than V8 does by default, as in vitest.config.ts.
 */
const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "--interrupt-budget=500000"];

const fileOf = (/** @type {string} */ name) => join(outdir, `${name}.cjs`);
const urlOf = (/** @type {string} */ path) => JSON.stringify(pathToFileURL(path).href);

/** Modules keep their places, except the executable, which starts itself again, and children, which are bundles too. */
function inPlace(/** @type {string} */ path, /** @type {string} */ text) {
  if (path === join(root, "bin/warpfarm.js"))
    return text
      .replace("await import(entry)", 'await import("@warpfarm/deploy/main")')
      .replace('import.meta.resolve("@warpfarm/deploy/main")', "import.meta.url");
  return text
    .replaceAll(/moduleBeside\(import\.meta\.url, "([\w/-]+)"\)/g, (call, /** @type {string} */ name) => {
      const child = children.find((known) => join(root, known) === join(dirname(path), name));
      return child === undefined ? call : JSON.stringify(fileOf(child));
    })
    .replaceAll(/import\.meta\.resolve\("([^"]+)"\)/g, (_, /** @type {string} */ name) =>
      JSON.stringify(import.meta.resolve(name)),
    )
    .replaceAll(/(?<!["'])import\.meta\.url/g, urlOf(path))
    .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(path)));
}

/** What runs is a function of its own place, and awaits at its top level, which no CommonJS module may. */
function entry(/** @type {string} */ text) {
  const imports = text.match(/^import [^;]*;$/gm) ?? [];
  const rest = imports.reduce((left, line) => left.replace(line, ""), text.replace(/^#!.*/, ""));
  return `${imports.join("\n")}\nvoid (async () => {\n${rest}\n})();`;
}

await build({
  entryPoints: entries,
  outdir,
  bundle: true,
  platform: "node",
  format: "cjs",
  outExtension: { ".js": ".txt" },
  // Of what is not in its place.
  define: { "import.meta.url": "itsUrl" },
  // What is native, or finds its files by its own place.
  external: ["pg-native", "koffi", "esbuild", "@electric-sql/pglite"],
  plugins: [
    {
      name: "in place",
      setup({ onLoad, onResolve }) {
        // CommonJS packages that are loaded on demand: Node gives them named exports, a bundle does not.
        onResolve({ filter: /^[a-z]/ }, ({ kind }) => (kind === "dynamic-import" ? { external: true } : undefined));
        onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
          const text = inPlace(path, await readFile(path, "utf8"));
          return { contents: Object.values(entries).includes(path) ? entry(text) : text, loader: "js" };
        });
      },
    },
  ],
  minifyWhitespace: true,
  logLevel: "error",
});

// Files that the executable reads beside it, and those that are found from there and not bundled.
cpSync(join(root, "package.json"), join(outdir, "package.json"));
symlinkSync(join(root, "node_modules"), join(outdir, "node_modules"));

/** Runs the code beside it, from what V8 compiled before; or, when it is the first, compiles it and keeps what ran. */
const loader = (/** @type {string} */ name, isFirst = false) => `const { setFlagsFromString } = require("node:v8");
for (const flag of ${JSON.stringify(flags)}) setFlagsFromString(flag);
const { readFileSync, writeFileSync } = require("node:fs");
const { Script } = require("node:vm");
const at = (kind) => __dirname + "/" + ${JSON.stringify(basename(name))} + kind;
const cache = ${isFirst ? "{}" : '{ cachedData: readFileSync(at(".cache")) }'};
const script = new Script(readFileSync(at(".txt"), "latin1"), { filename: __filename, ...cache });
${isFirst ? 'process.once("exit", () => writeFileSync(at(".cache"), script.createCachedData()));' : ""}
const url = require("node:url").pathToFileURL(__filename).href;
script.runInThisContext()(require, module, url, (name) => import(name));
`;

/**
 * What a script keeps is all its functions: a process needs most of them. The executable has those of every command, and reading
 * them all takes longer than compiling the few that are missing; it keeps what a command runs that finds no farm.
 */
const typical = ["measure", "matmul_derived", "--index", "0", "--tracker", "127.0.0.1:1"];

for (const flag of flags) setFlagsFromString(flag);
for (const name of Object.keys(entries)) {
  const path = join(outdir, name);
  // A script of V8 alone imports nothing: what is loaded on demand and not bundled is imported by the loader.
  const body = readFileSync(`${path}.txt`, "utf8").replaceAll(/\bimport\(/g, "itsImport(");
  const text = `(function (require, module, itsUrl, itsImport) { const exports = module.exports;\n${body}\n})`;
  writeFileSync(`${path}.txt`, text, "latin1");
  if (name === "bin/warpfarm") {
    writeFileSync(fileOf(name), loader(name, true));
    const { status, stderr } = spawnSync(process.execPath, [fileOf(name), ...typical], {
      env: { HOME: outdir },
      encoding: "utf8",
    });
    if (status !== 3) throw new Error(`the executable does not run: ${stderr}`);
  } else {
    setFlagsFromString("--no-lazy");
    const script = new Script(text, { filename: fileOf(name) });
    setFlagsFromString("--lazy");
    writeFileSync(`${path}.cache`, script.createCachedData());
  }
  writeFileSync(fileOf(name), loader(name));
}
