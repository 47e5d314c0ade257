/**
 * The program as its users install it: packed by scripts/pack.mjs, and laid out by the lock that the same script writes. npm is
 * offline: `npm ci` of this repository has filled its cache with everything that it needs.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { madeOnce } from "../../test-support/run-directory.ts";
import { at } from "./deployment/places.ts";

/**
 * The folder in which the program is installed, once for all test files of a run. It holds the packed file too. npm takes eleven
 * seconds of a processor to unpack everything, so in npm test it only says that it would take the lock.
 */
export const packedInstallation = (): string =>
  madeOnce("packed", (path) => {
    execFileSync(process.execPath, [at("scripts/pack.mjs"), "--to", path, "--lock"], { stdio: "pipe" });
    const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", ...(isFull ? [] : ["--dry-run"])];
    execFileSync("npm", ["ci", ...flags], { cwd: path, stdio: "pipe" });
    if (!isFull) layOut(path);
  });

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  /** May be for another platform. */
  readonly optional?: boolean;
}

/** What npm would unpack: our packages from the packed file, those of others as they lie in this repository. */
function layOut(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  for (const [path, { version, resolved = "", inBundle = false, optional = false }] of Object.entries(packages)) {
    if (path === "" || inBundle || (optional && !existsSync(at(path)))) continue;
    const to = join(folder, path);
    mkdirSync(to, { recursive: true });
    if (resolved.startsWith("file:")) {
      execFileSync("tar", ["xf", packedIn(folder), "--strip-components=1", "-C", to]);
      continue;
    }
    const { version: here } = JSON.parse(readFileSync(join(at(path), "package.json"), "utf8"));
    expect([path, here]).toEqual([path, version]);
    cpSync(at(path), to, { recursive: true, filter: (from) => !from.startsWith(join(at(path), "node_modules")) });
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../warpfarm/bin/warpfarm.js", join(folder, "node_modules/.bin/warpfarm"));
}

function packedIn(folder: string): string {
  const [name, ...others] = readdirSync(folder).filter((each) => each.endsWith(".tgz"));
  expect([name, others]).toEqual(["warpfarm-0.1.0.tgz", []]);
  return join(folder, name as string);
}

/** The file that users get. */
export const packedFile = (): string => packedIn(packedInstallation());
