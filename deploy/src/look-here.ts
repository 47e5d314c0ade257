/** A short-lived process that prints, as one line of JSON, which GPUs this machine has and which compilers build for them. */
import { tmpdir } from "node:os";
import { lookForGpus } from "@warpfarm/runner/gpus";
import type { SeenHere } from "./choose-device.ts";

const { env } = process;
const seen = lookForGpus();
const found = seen.kind === "none" ? undefined : await findCompiler();
const here: SeenHere = {
  seen,
  toolchain: found?.ok
    ? { kind: "found", id: found.value.id, targets: found.value.targets }
    : { kind: "missing", why: found?.error ?? "not looked for: there is no GPU" },
};
process.stdout.write(`${JSON.stringify(here)}\n`);

async function findCompiler() {
  const { cudaHomes, findCudaToolchain } = await import("@warpfarm/builder/toolchains");
  return findCudaToolchain(env.PATH ?? "/usr/bin:/bin", tmpdir(), cudaHomes(env));
}
