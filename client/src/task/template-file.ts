/**
 * Templates from a user's own file: `./my-template.ts`, .mts, .js or .mjs, anywhere on the disk. The file and what it imports are
 * bundled by esbuild into one script, whose run can be ended, which an import cannot. Imports of warpfarm are not bundled: they
 * are this very installation's, wherever the file lies, so that both sides hold the same classes. Types are stripped, not
 * checked.
 *
 * The code runs with the rights of the command. Whatever goes wrong in it is a FarmError INVALID_ARGUMENT that names the file,
 * and the line.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { backends, badInput, digestOf, FarmError, fileFault } from "@warpfarm/common";
import { type ConfigIndex, type Graph, GraphError, ScheduleError, SpaceError } from "@warpfarm/compiler/language";
import { defineTemplate, type Template, templates } from "@warpfarm/templates";
import type { BuildFailure, Plugin } from "esbuild";
import { libraryNames } from "./library-names.ts";
import { userCall } from "./user-call.ts";

/** Our packages, by the names under which a file imports them. The second three are parts of the first. */
const ours: Readonly<Record<string, () => Promise<unknown>>> = {
  warpfarm: languageAlone,
  "@warpfarm/templates": () => import("@warpfarm/templates"),
  "@warpfarm/compiler": () => import("@warpfarm/compiler"),
  "@warpfarm/common": () => import("@warpfarm/common"),
};

async function languageAlone(): Promise<object> {
  const refusals = libraryNames.map((name): [string, PropertyDescriptor] => {
    const get = (): never => {
      throw badInput(
        `${name} of warpfarm is for programs; a template or spec file describes kernels and opens, measures and reads nothing`,
      );
    };
    return [name, { get }];
  });
  return Object.defineProperties({ ...(await import("../template.ts")) }, Object.fromEntries(refusals));
}

const thisInstallation: Plugin = {
  name: "this-installation",
  setup: (build) => {
    build.onResolve({ filter: /^(@warpfarm\/|warpfarm$)/ }, ({ path }) =>
      Object.hasOwn(ours, path)
        ? { path, external: true }
        : { errors: [{ text: `${path} is not for templates; they import from warpfarm` }] },
    );
  },
};

/** The script finds its `require` under this name, because Node's own does not give modules to scripts. */
const requireName = "warpfarm require";
const global = globalThis as { [requireName]?: ((name: string) => unknown) | undefined };

async function bundled(path: string, shown: string): Promise<string> {
  try {
    const { build } = await import("esbuild");
    const { outputFiles } = await build({
      entryPoints: [path],
      bundle: true,
      write: false,
      outdir: dirname(path),
      format: "cjs",
      platform: "node",
      banner: { js: `"use strict";\nrequire = globalThis[${JSON.stringify(requireName)}];` },
      // The file runs as if from its own folder.
      define: { "import.meta.url": JSON.stringify(pathToFileURL(path).href) },
      target: "node20",
      sourcemap: "inline",
      sourceRoot: pathToFileURL(`${dirname(path)}/`).href,
      sourcesContent: false,
      logLevel: "silent",
      plugins: [thisInstallation],
    });
    return outputFiles[0]?.text ?? "";
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    // Its program differs by system, and an installation copied from elsewhere may lack this system's.
    if (!first) throw refused(shown, `esbuild, which bundles it, does not run here: ${String(error).split("\n")[0]}`, error);
    const { location } = first;
    const place = location ? ` line ${location.line}, column ${location.column + 1}` : "";
    const what = first.text.startsWith("Top-level await")
      ? "await is for functions, not for the top level of a template file; readFileSync reads without it"
      : first.text;
    throw refused(shown, `${what}${place && ` (${basename(location?.file ?? "")}${place})`}`);
  }
}

const refused = (shown: string, what: string, cause?: unknown): FarmError =>
  badInput(`template file ${shown}: ${what}`, { cause });

/** The innermost place of the user's code on the stack, and whether Warpfarm threw beneath it. */
function placeOf(error: unknown, directory: string): { readonly text: string; readonly isBeneath: boolean } {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  let isBeneath = false;
  for (const [, file = "", line = ""] of stack.matchAll(/((?:file:\/\/)?\/[^\s():]+):(\d+):\d+/g)) {
    const path = file.startsWith("file://") ? fileURLToPath(file) : file;
    if (path.startsWith(`${directory}/`) && !path.includes("/node_modules/"))
      return { text: ` (${basename(path)} line ${line})`, isBeneath };
    isBeneath = true;
  }
  return { text: "", isBeneath: false };
}

/** A file's thrown value, which may be anything, with its place: `TypeError: x is undefined (k.ts line 4)`. */
function thrownWords(error: unknown, directory: string): string {
  const { text, isBeneath } = placeOf(error, directory);
  if (error instanceof FarmError || error instanceof GraphError || error instanceof ScheduleError) return error.message + text;
  if (!(error instanceof Error)) return `it throws ${inspect(error, { depth: 1, breakLength: Number.POSITIVE_INFINITY })}${text}`;
  const isOfTypes = error instanceof TypeError && isBeneath;
  const hint = isOfTypes ? "; a function called there takes arguments of other types, which an editor or tsc shows" : "";
  return `${error}${text}${hint}`;
}

/** A template's deliberate refusals keep their messages. Any other error of its code is a fault of the file. */
function explaining<T>(shown: string, directory: string, what: string, run: () => T): T {
  try {
    return userCall(`template file ${shown}: ${what}`, run);
  } catch (error) {
    if (error instanceof SpaceError) throw refused(shown, `${what}: ${error.message}${placeOf(error, directory).text}`, error);
    if (error instanceof FarmError || error instanceof GraphError || error instanceof ScheduleError) throw error;
    throw refused(shown, thrownWords(error, directory), error);
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const kind = Array.isArray(value) ? "list" : value instanceof Promise ? "promise" : typeof value;
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}${kind === "object" ? " that defineTemplate did not return" : ""}`;
}

const isTemplate = (value: unknown): value is Template =>
  typeof value === "object" && value !== null && "open" in value && typeof value.open === "function" && "targets" in value;

const isGraph = (value: unknown): value is Graph =>
  typeof value === "object" &&
  value !== null &&
  ["inputs", "ops", "outputs"].every((part) => Array.isArray(Reflect.get(value, part)));

/** A computation alone, named after its file. */
const ofGraph = (graph: Graph, shown: string): Template =>
  defineTemplate({
    name:
      basename(shown)
        .replace(/\.\w+$/, "")
        .replace(/^[^A-Za-z]+|[^\w./-]/g, "") || "graph",
    summary: `the computation of ${basename(shown)}`,
    targets: backends.names,
    args: {},
    graph: () => graph,
  });

function chosen(exported: Readonly<Record<string, unknown>>, shown: string): Template {
  if (isTemplate(exported)) return exported;
  if (isTemplate(exported.default)) return exported.default;
  if (isGraph(exported.default)) return ofGraph(exported.default, shown);
  const found = [...new Set(Object.values(exported).filter(isTemplate))];
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only)
    throw refused(
      shown,
      `it exports ${found.length} templates, ${found.map((t) => t.name).join(", ")}; make one the default export`,
    );
  const what = "export what defineTemplate of warpfarm returns, or by default what graphOf returns";
  if ("default" in exported) throw refused(shown, `its default export is ${kindOf(exported.default)}; ${what}`);
  const names = Object.keys(exported);
  throw refused(shown, `it exports ${names.length > 0 ? `only ${names.join(", ")}` : "nothing"}; ${what}`);
}

async function evaluated(script: string, shown: string, directory: string): Promise<Readonly<Record<string, unknown>>> {
  const modules = new Map(await Promise.all(Object.entries(ours).map(async ([name, load]) => [name, await load()] as const)));
  const require = createRequire(script);
  global[requireName] = (name) => modules.get(name) ?? require(name);
  try {
    return userCall(`template file ${shown}: its top level`, () => {
      // A second call must start afresh: a call that was ended leaves a module that looks loaded.
      delete require.cache[script];
      try {
        return require(script);
      } catch (error) {
        throw refused(shown, thrownWords(error, directory), error);
      }
    });
  } finally {
    global[requireName] = undefined;
  }
}

/** A search cannot leave out what it cannot read: whatever is wrong with the starts of a file is a fault of the file. */
function startsOf<T>({ name }: Template, shown: string, directory: string, make: () => T): T {
  const remedy = "--transfer none searches without starts";
  try {
    return userCall(`starts of ${name}`, make);
  } catch (error) {
    const isRefusal = error instanceof FarmError;
    if (isRefusal && error.code !== "INVALID_ARGUMENT") throw error;
    const what = isRefusal ? error.message : `${name}: its starts: ${thrownWords(error, directory)}`;
    throw refused(shown, `${what}; correct them, or ${remedy}`, error);
  }
}

/** The one template, or the default one, that a file exports. `shown` is the path as the user wrote it. */
export async function loadTemplate(path: string, shown: string): Promise<Template> {
  const directory = dirname(path);
  const template = chosen(await loadModule(path, shown), shown);
  const clash = templates.find((t) => [t.name, ...t.aliases].includes(template.name));
  if (clash)
    throw refused(shown, `its template is named ${template.name}, as one that comes with Warpfarm; give it another name`);
  return {
    ...template,
    file: shown,
    version: digestOf(await readFile(path)),
    open: (args, target) => {
      const opened = explaining(shown, directory, "its graph and space", () => template.open(args, target));
      const { schedule } = opened;
      const starts = Object.getOwnPropertyDescriptor(opened, "starts")?.get;
      // A copy of it would ask for all that is made on demand.
      return Object.defineProperties(opened, {
        schedule: {
          value: (index: ConfigIndex) => explaining(shown, directory, `schedule of config ${index}`, () => schedule(index)),
        },
        starts: { get: () => startsOf(template, shown, directory, () => starts?.call(opened)) },
      });
    },
  };
}

/** The exports of a file, bundled and run like those of a template. */
export async function loadModule(path: string, shown: string): Promise<Readonly<Record<string, unknown>>> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw refused(shown, fileFault(error), error);
  });
  if (!found.isFile()) throw refused(shown, "it is not a file");
  const text = await bundled(path, shown);
  const scratch = await mkdtemp(join(tmpdir(), "warpfarm-template-"));
  const directory = dirname(path);
  process.setSourceMapsEnabled(true);
  try {
    const script = join(scratch, `${basename(path).replace(/\.\w+$/, "")}.cjs`);
    await writeFile(script, text);
    return await evaluated(script, shown, directory);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
