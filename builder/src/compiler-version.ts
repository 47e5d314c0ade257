/**
 * Identifies the compiler: its package's version and a digest of its code. The version alone would let one checkout reuse the
 * builds of another.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export function compilerVersion(): string {
  const folder = dirname(fileURLToPath(import.meta.resolve("@warpfarm/compiler")));
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
    if (name.endsWith(".js")) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  const { version } = JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8")) as { readonly version: string };
  return `${version}+${hash.digest("hex").slice(0, 12)}`;
}
