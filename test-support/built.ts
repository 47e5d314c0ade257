/**
 * Tests import what `tsc -b` made of the sources, as modules of Node, where no source is newer than that. Vite's form of a module
 * reaches each import through a getter of a slow object, and transforming 700 sources takes each worker seconds. Where a source
 * is newer, all tests import the sources: they never see a stale build, and never two copies of a module.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Plugin } from "vitest/config";

const isShipped = (name: string): boolean => /(?<!\.test|\.testing|\.d)\.ts$/.test(name);

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;

function isFresh(folder: string): boolean {
  const built = changedAt(join(folder, "dist/.tsbuildinfo"));
  const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter(isShipped);
  return sources.every(
    (name) => changedAt(join(folder, "src", name)) <= built && existsSync(join(folder, "dist", name.replace(/\.ts$/, ".js"))),
  );
}

/** The sources of all that the package in this folder exports, in place of its build. */
export function sourcesOf(name: string, folder: string): readonly { readonly find: RegExp; readonly replacement: string }[] {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  return Object.entries(exports).map(([path, { default: file }]) => ({
    find: new RegExp(`^@warpfarm/${name}${path.slice(1)}$`),
    replacement: join(folder, file.replace("dist/", "src/").replace(/\.js$/, ".ts")),
  }));
}

/** `vitest` watches the sources, unless its command is `run`. */
export const isWatching = ([, script = "", ...words]: readonly string[]): boolean =>
  basename(script).startsWith("vitest") && !words.includes("run") && !words.includes("--run");

/** For the packages in these folders; undefined where one of them has a source that is newer than its build. */
export function builtModules(folders: readonly string[]): Plugin | undefined {
  if (!folders.every(isFresh)) return undefined;
  const builtOf = (path: string): string | undefined => {
    const folder = folders.find((known) => path.startsWith(`${known}/src/`));
    return folder && isShipped(path) && existsSync(path)
      ? join(folder, "dist", path.slice(`${folder}/src/`.length).replace(/\.ts$/, ".js"))
      : undefined;
  };
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(source, importer) {
      if (source.startsWith(".") && importer) return builtOf(resolve(dirname(importer), source));
      return source.startsWith("/") ? builtOf(source) : undefined;
    },
  };
}
