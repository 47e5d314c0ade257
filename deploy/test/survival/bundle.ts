/**
 * The scripts of processes under test, each with all it imports in one file: hundreds of processes start in these tests, and half
 * of what a start costs is reading modules. Made from the built code once a test process, and gone with it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const scripts = {
  client: at("../../../test-support/farm/client.mjs"),
  devices: at("../../../test-support/farm/devices.mjs"),
  tracker: at("../../../test-support/fixtures/tracker-child.mjs"),
} as const;
export type Script = keyof typeof scripts;

/** Modules keep their places: they find files beside them. PGlite stays out, with its WebAssembly. */
const inPlace: Plugin = {
  name: "in place",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@electric-sql\/pglite$/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const contents = (await readFile(path, "utf8"))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(path)));
      return { contents, loader: "js" };
    });
  },
};

let bundled: Promise<Readonly<Record<Script, string>>> | undefined;

/** Where the bundles lie. */
export function bundles(): Promise<Readonly<Record<Script, string>>> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<Readonly<Record<Script, string>>> {
  const outdir = mkdtempSync(join(tmpdir(), "warpfarm-bundles-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: scripts,
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    // CommonJS in an ES module asks for Node's own modules by this.
    banner: { js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);' },
    external: ["pg-native"],
    plugins: [inPlace],
    minifyWhitespace: true,
    logLevel: "error",
  });
  return { client: join(outdir, "client.mjs"), devices: join(outdir, "devices.mjs"), tracker: join(outdir, "tracker.mjs") };
}
