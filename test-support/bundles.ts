/** Scripts of processes under test as bundles (bundle.mjs), made from the built code once per run. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { madeOnce } from "./run-directory.ts";

const bundler = fileURLToPath(new URL("bundle.mjs", import.meta.url));

/** `bin/warpfarm` is the executable; bundle.mjs lists all scripts. */
export type Script =
  | ("bin/warpfarm" | "client" | "devices" | "tracker" | "builder" | "runner")
  | ("child" | "build-child" | "scripted-child" | "single-device")
  // As bundles they start with a fifth (builder) or half (runner) of the processor time.
  | ("builder/dist/worker/child" | "runner/dist/worker/child");

/** Where the bundle lies. */
export function bundled(script: Script): string {
  const directory = madeOnce("bundles", (path) => execFileSync(process.execPath, [bundler, path], { stdio: "inherit" }));
  return join(directory, `${script}.cjs`);
}
