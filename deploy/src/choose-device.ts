/**
 * Chooses the device of this machine on which an embedded farm measures: a GPU that a runner accepts and a compiler here builds
 * for, or the CPU. A separate process finds the GPUs (look-here.ts), so that a driver that hangs or crashes does not affect the
 * command.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import type { CliContext, DeviceChoice } from "@warpfarm/client/cli";
import { FarmError } from "@warpfarm/common";
import { moduleBeside } from "@warpfarm/common/process";
import type { SeenGpu, SeenGpus } from "@warpfarm/runner/gpus";

export interface SeenHere {
  readonly seen: SeenGpus;
  readonly toolchain:
    | { readonly kind: "found"; readonly id: string; readonly targets: readonly string[] }
    | { readonly kind: "missing"; readonly why: string };
}

/** What helps wherever a GPU of this machine cannot be used. */
export const elsewhere = "warpfarm tune --tracker host:port measures on a farm's GPU instead";

const lookedFor = "cuda";
const otherwise = "cpu";

const lookMs = 20_000;

/** Never rejects: if the search fails, the machine counts as one without a GPU, with the failure as the reason. */
export function lookHere(env: CliContext["env"], module = moduleBeside(import.meta.url, "look-here")): Promise<SeenHere> {
  const child = spawn(process.execPath, [module], {
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: lookMs,
    killSignal: "SIGKILL",
  });
  let said = "";
  let words = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  return new Promise((resolve) => {
    const failed = (how: string) => {
      const advice = "nvidia-smi says more about the driver";
      resolve({ seen: { kind: "none", why: `looking for GPUs ${how}`, advice }, toolchain: { kind: "missing", why: "" } });
    };
    child.once("error", (error) => failed(`failed: ${error.message}`));
    child.once("close", (code, signal) => {
      const answer = code === 0 ? answerIn(said) : undefined;
      if (answer !== undefined) resolve(answer);
      else if (code === 0) failed(`gave no answer: ${said.slice(0, 200).trim()}`);
      else if (signal === "SIGKILL") failed(`did not end within ${lookMs / 1000} s`);
      else
        failed(`failed (${signal ?? `exit code ${code}`}): ${words.match(/^\w*Error: .*$/m)?.[0] ?? words.slice(0, 200).trim()}`);
    });
  });
}

/** The last line: a library that is loaded may print others before it. */
function answerIn(said: string): SeenHere | undefined {
  try {
    const answer: unknown = JSON.parse(said.trim().split("\n").at(-1) ?? "");
    return typeof answer === "object" && answer !== null && "seen" in answer ? (answer as SeenHere) : undefined;
  } catch {
    return undefined;
  }
}

interface Obstacle {
  readonly why: string;
  readonly advice: string;
}

/** Why an embedded farm does not use that GPU; undefined when it does. */
export function obstacleOf(gpu: SeenGpu, toolchain: SeenHere["toolchain"]): Obstacle | undefined {
  if (gpu.refusal !== undefined) return gpu.refusal;
  if (toolchain.kind === "missing")
    return {
      why: `nothing here compiles CUDA: ${toolchain.why}`,
      advice: "install the CUDA toolkit's NVRTC (its folder may also be named in CUDA_HOME)",
    };
  if (!toolchain.targets.includes(gpu.key))
    return {
      why: `${toolchain.id} does not compile for ${gpu.key}, only for ${toolchain.targets.join(", ")}`,
      advice: "install a CUDA toolkit that does",
    };
  return undefined;
}

function pickGpu({ seen, toolchain }: SeenHere): { readonly device: string } | Obstacle {
  if (seen.kind === "none") return seen;
  const obstacles: Obstacle[] = [];
  for (const gpu of seen.gpus) {
    const obstacle = obstacleOf(gpu, toolchain);
    if (obstacle === undefined) return { device: gpu.device };
    obstacles.push({ ...obstacle, why: `${gpu.device}: ${obstacle.why}` });
  }
  return { why: obstacles.map(({ why }) => why).join("; "), advice: obstacles[0]?.advice ?? "" };
}

/** Whether this machine shows exactly one GPU of NVIDIA's. */
function hasOneGpu(): boolean {
  try {
    return readdirSync("/dev").filter((name) => /^nvidia\d+$/.test(name)).length === 1;
  } catch {
    return false;
  }
}

/**
 * `cpu` or `cuda:N`. A device that the user names is not searched for, and neither is a machine's only GPU where one is required:
 * its runner reports what is wrong with it, and loads the driver while a search would. Throws when a GPU is required and none can
 * be used.
 */
export async function chooseDevice(
  choice: DeviceChoice,
  env: CliContext["env"],
  {
    notice,
    look = lookHere,
    isOnlyGpu = hasOneGpu,
  }: {
    readonly notice: (text: string) => void;
    readonly look?: (env: CliContext["env"]) => Promise<SeenHere>;
    readonly isOnlyGpu?: () => boolean;
  },
): Promise<string> {
  if (choice !== "auto" && choice !== lookedFor) return choice;
  if (choice === lookedFor && isOnlyGpu()) return `${lookedFor}:0`;
  const picked = pickGpu(await look(env));
  if ("device" in picked) return picked.device;
  const { why, advice } = picked;
  if (choice === lookedFor)
    throw new FarmError("UNAVAILABLE", `this needs a GPU, and none of this machine can be used: ${why}; ${advice}; ${elsewhere}`);
  notice(`measuring on the processor, no GPU can be used: ${why}`);
  return otherwise;
}
