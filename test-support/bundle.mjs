/**
 * node bundle.mjs DIRECTORY: the scripts of processes under test, each with all it imports in few files. A test run starts
 * hundreds of processes, and half of what a start costs is reading hundreds of modules. Made from the built code; modules keep
 * their places, so each finds the files beside it. What is shipped, file by file, is what the tests of packing, of the modules
 * that commands load, of templates in files and of the command line from end to end start.
 */
import { cpSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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
  "bin/warpfarm": "bin/warpfarm.js",
};
/** Their child scripts, each in one file in a folder of its own, because a sandbox shows them nothing else. */
const children = ["builder/dist/worker/child", "runner/dist/worker/child", "common/dist/process/sandbox/launch"];

/**
 * V8's optimizing compilation of PGlite takes minutes to pay off, and V8 begins it after milliseconds. These processes live for
 * seconds, and it took a third of their time. JavaScript is optimized later than V8 does by default, as in vitest.config.ts.
 */
const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "--interrupt-budget=500000"];

const fileOf = (/** @type {string} */ name) => join(outdir, `${name}.mjs`);
const urlOf = (/** @type {string} */ path) => JSON.stringify(pathToFileURL(path).href);

/** Modules keep their places, except the executable, which starts itself again, and children, which are bundles too. */
function inPlace(/** @type {string} */ path, /** @type {string} */ text) {
  if (path === join(root, "bin/warpfarm.js"))
    return text.replace("await import(entry)", 'await import("@warpfarm/deploy/main")').replace(/^#!.*/, "");
  return text
    .replaceAll(/moduleBeside\(import\.meta\.url, "([\w/-]+)"\)/g, (call, /** @type {string} */ name) => {
      const child = children.find((known) => join(root, known) === join(dirname(path), name));
      return child === undefined ? call : JSON.stringify(fileOf(child));
    })
    .replaceAll(/(?<!["'])import\.meta\.url/g, urlOf(path))
    .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(path)));
}

/** @type {import("esbuild").BuildOptions} */
const common = {
  outdir,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  // CommonJS code in an ES module uses this to load Node's own modules.
  banner: {
    js: [
      'import { createRequire as requireOf } from "node:module";',
      'import { setFlagsFromString as setFlag } from "node:v8";',
      "const require = requireOf(import.meta.url);",
      ...flags.map((flag) => `setFlag(${JSON.stringify(flag)});`),
    ].join(" "),
  },
  // What is native, or finds its files by its own place.
  external: ["pg-native", "koffi", "esbuild", "@electric-sql/pglite"],
  plugins: [
    {
      name: "in place",
      setup({ onLoad, onResolve }) {
        // CommonJS packages that are loaded on demand: Node gives them named exports, a bundle does not.
        onResolve({ filter: /^[a-z]/ }, ({ kind }) => (kind === "dynamic-import" ? { external: true } : undefined));
        onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => ({
          contents: inPlace(path, await readFile(path, "utf8")),
          loader: "js",
        }));
      },
    },
  ],
  minifyWhitespace: true,
  logLevel: "error",
};
const entries = (/** @type {Record<string, string>} */ paths) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, join(root, path)]));
await Promise.all([
  build({ ...common, entryPoints: entries(scripts), splitting: true, chunkNames: "chunks/[name]-[hash]" }),
  build({ ...common, entryPoints: entries(Object.fromEntries(children.map((path) => [path, `${path}.js`]))) }),
]);
// Files that the executable reads beside it, and those that are found from there and not bundled.
cpSync(join(root, "package.json"), join(outdir, "package.json"));
symlinkSync(join(root, "node_modules"), join(outdir, "node_modules"));
