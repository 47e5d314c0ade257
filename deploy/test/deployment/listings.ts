/** Listings of a page by language, including those indented in a list, and the shell that runs them in a test. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { at } from "./places.ts";

const execute = promisify(execFile);

export const listingsOf = (page: string, language: string): readonly string[] =>
  [...readFileSync(at(page), "utf8").matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );

/** The first listing of a page that contains these words. */
export function listingWith(page: string, words: string): string {
  const found = listingsOf(page, "bash").find((text) => text.includes(words));
  if (found === undefined) throw new Error(`${page} has no listing with ${JSON.stringify(words)}`);
  return found;
}

/** Commands of listings, with their continued lines joined and comments left out. */
export const commandsIn = (text: string): readonly string[] =>
  text
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Runs a listing unchanged; it fails when any of its commands fails. */
export const bash = (
  script: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
) => execute("bash", ["-euo", "pipefail", "-c", script], { ...options, env: { ...options.env }, timeout: 200_000 });
