/**
 * The program as its users install it: packed by scripts/pack.mjs, and installed by npm from the lock that the same script
 * writes.
 * npm is offline: `npm ci` of this repository has filled its cache with everything that it needs.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { madeOnce } from "../../test-support/run-directory.ts";
import { at } from "./deployment/places.ts";

/** The folder in which the program is installed, once for all test files of a run. It holds the packed file too. */
export const packedInstallation = (): string =>
  madeOnce("packed", (path) => {
    execFileSync(process.execPath, [at("scripts/pack.mjs"), "--to", path, "--lock"], { stdio: "pipe" });
    execFileSync("npm", ["ci", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: path, stdio: "pipe" });
  });

/** The file that users get. */
export function packedFile(): string {
  const folder = packedInstallation();
  const [name, ...others] = readdirSync(folder).filter((each) => each.endsWith(".tgz"));
  expect([name, others]).toEqual(["warpfarm-0.1.0.tgz", []]);
  return join(folder, name as string);
}
