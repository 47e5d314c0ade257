/** What the checks of lint have in common: the files that they read, their exceptions, and how they end. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Files of a checkout by git's patterns, without those that are generated. */
export const filesOf = (patterns, at = root) =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { cwd: at, encoding: "utf8", maxBuffer: 2 ** 26 })
    .trim()
    .split("\n")
    .filter((file) => !file.startsWith("proto/src/gen/") && existsSync(join(at, file)));

export const lineAt = (text, at) => text.slice(0, at).split("\n").length;

/**
 * The faults of files that are no exceptions, and the exceptions without a fault: lists only shrink. `found`: by file.
 * @param {ReadonlyMap<string, readonly string[]>} found
 * @param {Readonly<Record<string, string>>} exceptions
 * @param {string} list where they stand
 */
export const beyond = (found, exceptions, list) => [
  ...[...found].flatMap(([file, faults]) => (file in exceptions ? [] : faults)),
  ...Object.keys(exceptions).flatMap((file) =>
    (found.get(file) ?? []).length > 0
      ? []
      : [`${file}: needs no exception any more, or is gone; take it off the list of ${list}`],
  ),
];

/** @param {readonly string[]} faults */
export function tell(faults) {
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

/**
 * Writes generated files, by path, where they say something else by now; with --check names these and ends with 1.
 * @param {ReadonlyMap<string, string>} files
 * @param {{ source: string, command: string }} by what they follow from, and how to make them
 */
export function writeGenerated(files, { source, command }) {
  const stale = [...files].filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== text,
  );
  if (process.argv.includes("--check")) return tell(stale.map(([path]) => `${path} is not what ${source} say: ${command}`));
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(stale.length === 0 ? `all as ${source} say` : stale.map(([path]) => path).join("\n"));
}
