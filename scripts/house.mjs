/**
 * Counts things of the code base that only shrink when somebody looks: `node scripts/house.mjs [CHECKOUT]` prints a table of this
 * checkout, or of another one that has been built. Each row says what its pattern is. Tests and generated code do not count.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { circlesOf, importsSaid, root, sourcesOf } from "./imports.mjs";
import { surgeriesIn } from "./messages.mjs";

const at = resolve(process.argv[2] ?? root);
const textOf = sourcesOf(at);
const imports = importsSaid(textOf);

/** A room of the client is a file or a folder directly in client/src. */
const roomOf = (file) => file.split("/")[2];
const inClient = imports.filter(({ file, to }) => file.startsWith("client/src/") && to.startsWith("client/src/"));
const arrows = new Map(
  inClient
    .map(({ file, to }) => [roomOf(file), roomOf(to)])
    .filter(([from, to]) => from !== to && from !== "index.ts")
    .map((arrow) => [arrow.join(" "), arrow]),
);
const rooms = new Set([...textOf.keys()].filter((file) => file.startsWith("client/src/")).map(roomOf));
const roomCircles = circlesOf([...arrows.values()].map(([file, to]) => ({ file, to })));

const runtimeCircles = circlesOf(imports.filter(({ onlyTypes }) => !onlyTypes));
const allCircles = circlesOf(imports);

const everywhere = (_file) => true;
const occurrences = (pattern, within = everywhere) =>
  [...textOf].reduce((n, [file, text]) => n + (within(file) ? [...text.matchAll(pattern)].length : 0), 0);
const filesWith = (pattern, within = everywhere) => [...textOf].filter(([file, text]) => within(file) && pattern.test(text));
const below = (folder) => (file) => file.startsWith(folder);
const linesOf = (folder) =>
  [...textOf].reduce((n, [file, text]) => n + (file.startsWith(folder) ? text.split("\n").length - 1 : 0), 0);
const composer = textOf.get("client/src/cli/tuning/tune-on-farm.ts") ?? "";

/** The options of all commands, each counted at each command that takes it. */
async function flags() {
  const bin = join(at, "bin/warpfarm.js");
  const said = (args) => {
    try {
      return execFileSync(process.execPath, [bin, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch (error) {
      return error.stdout ?? "";
    }
  };
  // Older checkouts show all flags by --help. Those that the program declares for many commands are in its own help.
  const words = (args) => said([...args, "--help-all"]) || said([...args, "--help"]);
  const listed = (text) => {
    const from = text.indexOf("\nCommands:\n");
    if (from < 0) return [];
    return [...text.slice(from + 11).matchAll(/^ {2}([a-z][a-z-]*)\b/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== "help");
  };
  const count = (args, depth) => {
    const text = words(args);
    const own = new Set([...text.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z0-9-]*)/gm)].map(([, flag]) => flag));
    own.delete("--help");
    const inner = depth > 1 ? [] : listed(text);
    return own.size + inner.reduce((n, name) => n + count([...args, name], depth + 1), 0);
  };
  return count([], 0);
}

const templates = async () => {
  const built = ["templates/dist/built-in/index.js", "client/dist/task/templates/index.js"]
    .map((file) => join(at, file))
    .find(existsSync);
  if (built === undefined) return "not built";
  const values = Object.values(await import(pathToFileURL(built).href));
  return Math.max(0, ...values.map((value) => (Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0)));
};

const surgeries = [...textOf].reduce((n, [file, text]) => n + surgeriesIn(file, text).length, 0);
/** Words of documents that are for those who change Warpfarm. */
const internal = /^(?:CHANGELOG\.md|bench\/diary\/.*\.md|docs\/adr\/.*\.md|docs\/(?:architecture|contracts|testing)\.md)$/;
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: at, encoding: "utf8" }).trim().split("\n");
const wordsOf = (files) =>
  files
    .filter((file) => existsSync(join(at, file)))
    .reduce((n, file) => n + readFileSync(join(at, file), "utf8").split(/\s+/).filter(Boolean).length, 0);
const rows = [
  ["client: rooms (files and folders in client/src)", rooms.size],
  ["client: arrows between rooms, types included", arrows.size],
  ["client: rooms in circles", roomCircles.flat().length],
  ["callers of remoteMeasurer( in client/src", occurrences(/(?<!function )\bremoteMeasurer\(/g, below("client/src/"))],
  ["tune-on-farm.ts: lines", composer.split("\n").length - 1],
  ["tune-on-farm.ts: imports", [...composer.matchAll(/^import /gm)].length],
  ["templates", await templates()],
  ["templates whose published config is an integer", occurrences(/^ {2}published: \d+,/gm)],
  ["flag places: options of all commands", await flags()],
  ["surgery on messages, as scripts/messages.mjs finds it, with its exceptions", surgeries],
  ["state = N in SQL", occurrences(/\bstate\s*(?:=|<>|<|>|in)\s*\(?-?\d/g, below("tracker/src/"))],
  ["files that name Attr", filesWith(/\bAttr\b/, below("compiler/src/")).length],
  ["files that name Invoke", filesWith(/\bInvoke\b/, below("compiler/src/")).length],
  ["circles of files at run time", runtimeCircles.length],
  ["circles of files, types included", allCircles.length],
  ["files in these circles", allCircles.flat().length],
  ...["client", "records", "proto", "tracker"].map((name) => [`lines of ${name}`, linesOf(`${name}/src/`)]),
  ["lines of these four", ["client", "records", "proto", "tracker"].reduce((n, name) => n + linesOf(`${name}/src/`), 0)],
  ["lines of all sources", linesOf("")],
  ["words of internal documents", wordsOf(documents.filter((file) => internal.test(file)))],
  ["words of the other documents", wordsOf(documents.filter((file) => !internal.test(file)))],
];
for (const [what, n] of rows) console.log(`${String(n).padStart(8)}  ${what}`);
