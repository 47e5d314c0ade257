/**
 * The program as its users install it: packed by scripts/pack.mjs, and installed by npm from the lock that the same script
 * writes.
 * npm is offline: `npm ci` of this repository has filled its cache with everything that it needs.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
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

/**
 * The same with the stores that `npm run build` packs, which the packed file leaves out: its first process on a machine makes
 * them, and takes ten seconds of a processor for that. For tests that start it in many places; pack.test.ts starts what users
 * have.
 */
export const installationWithStores = (): string =>
  madeOnce("packed-with-stores", (path) => {
    execFileSync("cp", ["-al", packedInstallation(), path]);
    for (const name of ["tracker", "records"]) {
      const stores = `${name}/dist/template`;
      cpSync(at(stores), join(path, "node_modules/warpfarm/node_modules/@warpfarm", stores), { recursive: true });
    }
  });

/** The file that users get. */
export function packedFile(): string {
  const folder = packedInstallation();
  const [name, ...others] = readdirSync(folder).filter((each) => each.endsWith(".tgz"));
  expect([name, others]).toEqual(["warpfarm-0.1.0.tgz", []]);
  return join(folder, name as string);
}
