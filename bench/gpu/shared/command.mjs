/** The command line for scripts: an installation of its own in a temporary folder, answers as JSON. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../../bin/warpfarm.js", import.meta.url));

/**
 * `warpfarm(...args)` runs one command with --json in `folder`, and throws what it said when it fails. Records and caches are in
 * the folder too, so nothing is known from before; it goes when the script ends.
 */
export function openCommand() {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-bench-"));
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) env[name] = join(folder, name);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    /** @param {...string} args */
    warpfarm(...args) {
      const run = { cwd: folder, encoding: /** @type {const} */ ("utf8"), env, maxBuffer: 2 ** 28 };
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, "--json"], run);
      if (status !== 0) throw new Error(`warpfarm ${args.join(" ")}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
  };
}
