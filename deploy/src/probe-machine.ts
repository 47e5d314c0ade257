/**
 * Checks for `doctor` that only the composition root can make: whether the native libraries load, which compilers work, and which
 * process holds the store.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CliContext, type Finding, targetWords } from "@warpfarm/client/cli";
import { FarmError, firstLine } from "@warpfarm/common";
import { confines, describeLayers, findLayers, type Layers, lockHolder } from "@warpfarm/common/process";
import { hostFlags, missingForNext, statedLevel, x86Level } from "@warpfarm/runner/cpu-facts";
import { lookHere, obstacleOf } from "./choose-device.ts";
import { koffiPath, needKoffi } from "./koffi.ts";

type Places = { readonly dataDir: string };

async function loads(name: string, what: string, load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { name, state: "ok", detail: `${what} loads` };
  } catch (error) {
    const detail = `${what} does not load: ${firstLine((error as Error).message)}`;
    return { name, state: "missing", detail, advice: "run npm ci again on this machine" };
  }
}

async function toolchains(env: CliContext["env"]): Promise<Finding[]> {
  const { cudaHomes, findToolchains } = await import("@warpfarm/builder/toolchains");
  const found = await findToolchains(env.PATH ?? "/usr/bin:/bin", tmpdir(), cudaHomes(env));
  return found.toolchains.map((t) => ({ name: "builds for", state: "ok", detail: `${targetWords(t.targets)} with ${t.id}` }));
}

async function sandbox(env: CliContext["env"]): Promise<Finding> {
  return findLayers({ koffi: pathToFileURL(koffiPath()).href, searchPath: env.PATH ?? "/usr/bin:/bin" }).then(
    sandboxFinding,
    (error: unknown) => {
      if (error instanceof FarmError) return sandboxFinding(error);
      throw error;
    },
  );
}

/** The sandbox: found, missing, or unknown. */
export function sandboxFinding(found: Layers | FarmError): Finding {
  const name = "sandbox";
  if (found instanceof FarmError) {
    const advice = "builders and CPU runners do not start here until it is known; --no-sandbox starts them without one";
    return { name, state: "missing", detail: found.message, advice };
  }
  const missing = found.missing.length === 0 ? "" : ` (${found.missing.join("; ")})`;
  const detail = `${describeLayers(found)}${missing}`;
  if (confines(found)) return { name, state: "ok", detail: `compilers and CPU kernels are kept in ${detail}` };
  const advice =
    "Linux 5.13 or later with Landlock and seccomp, or bubblewrap where namespaces are allowed; without one, builders refuse CUDA text of clients of other machines, and CPU runners serve other machines only with --no-sandbox";
  return { name, state: "absent", detail, advice };
}

async function gpus(env: CliContext["env"]): Promise<Finding[]> {
  const name = "GPU";
  const { seen, toolchain } = await lookHere(env);
  if (seen.kind === "none")
    return [{ name, state: "absent", detail: seen.why, advice: `only for measuring on a GPU: ${seen.advice}` }];
  return seen.gpus.map((gpu): Finding => {
    const detail = `${gpu.device}: ${gpu.name}, ${gpu.key}, driver ${gpu.driver}`;
    const obstacle = obstacleOf(gpu, toolchain);
    if (obstacle === undefined) return { name, state: "ok", detail: `${detail}; tune and npm start use it` };
    return { name, state: "absent", detail: `${detail}; not used: ${obstacle.why}`, advice: obstacle.advice };
  });
}

/** The key of this processor, and the missing flags of the next level. */
export function processorFinding(flags: ReadonlySet<string>, stated: number | undefined): Finding {
  const name = "CPU kind";
  const level = x86Level(flags);
  const key = `cpu/x86-64-v${stated ?? level}`;
  if (stated !== undefined) {
    const seen = stated === level ? "" : `; by its flags it is x86-64-v${level}`;
    return { name, state: "ok", detail: `${key}, as WARPFARM_CPU_LEVEL says${seen}` };
  }
  const missing = missingForNext(flags);
  // Most desktop processors lack AVX-512.
  if (!missing || (missing.level === 4 && missing.flags.includes("avx512f"))) return { name, state: "ok", detail: key };
  const detail = `${key}; it is not x86-64-v${missing.level}, because /proc/cpuinfo lacks ${missing.flags.join(", ")}`;
  const advice = `if the processor has ${missing.flags.length === 1 ? "it" : "them"}, as under some hypervisors, WARPFARM_CPU_LEVEL=${missing.level} overrides the level, for runners too`;
  return { name, state: "ok", detail, advice };
}

async function store({ dataDir }: Places): Promise<Finding> {
  const directory = join(dataDir, "tracker");
  const holder = await lockHolder(`${directory}.lock`);
  if (holder === undefined) return { name: "store", state: "ok", detail: `${directory} is free` };
  const advice = "an embedded farm takes a temporary store meanwhile";
  return { name: "store", state: "ok", detail: `${directory} is in use by process ${holder.pid}`, advice };
}

export async function probeMachine(places: Places, env: CliContext["env"]): Promise<readonly Finding[]> {
  const koffi = await loads("koffi", "the foreign function library (builder, runner)", async () => needKoffi());
  const native = koffi.state === "ok" ? [toolchains(env), gpus(env), sandbox(env)] : [];
  const all = await Promise.all([
    process.arch === "x64" ? [processorFinding(hostFlags(), statedLevel(env.WARPFARM_CPU_LEVEL))] : [],
    ...native,
    koffi,
    loads("PGlite", "the embedded database (tracker)", () => import("@warpfarm/tracker")),
    store(places),
  ]);
  return all.flat();
}
