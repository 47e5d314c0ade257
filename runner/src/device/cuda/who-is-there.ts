/** Other users of a GPU: compute contexts of other processes, as far as the management library and this process can see them. */
import { readFileSync } from "node:fs";
import { requireExclusive } from "./cuda-facts.ts";
import type { CudaDeviceInfo } from "./driver-types.ts";
import type { Nvml } from "./nvml.ts";

/** A child that was just killed still has its context, so a process counts after it was seen for three seconds. */
export function whenAlone(info: CudaDeviceInfo, nvml: Nvml | undefined): ReturnType<typeof requireExclusive> {
  for (let tries = 30; ; tries--) {
    const sharing = nvml?.sharing();
    const verdict = requireExclusive(info, sharing, familyOf(sharing?.computeProcesses ?? []));
    if (verdict.ok || tries === 0) return verdict;
    sleepMs(100);
  }
}

/**
 * Other processes on the GPU now, for a process that has a context itself. If its own context is not listed, the numbers belong
 * to another pid namespace or to a service that shares the GPU, and say nothing. One sighting is enough: our own killed children
 * are siblings until their contexts are gone.
 */
export function othersOn(info: CudaDeviceInfo, nvml: Pick<Nvml, "computeProcesses"> | undefined): string | undefined {
  const computeProcesses = nvml?.computeProcesses() ?? [];
  if (!computeProcesses.includes(process.pid)) return undefined;
  const verdict = requireExclusive(info, { mig: false, virtualGpu: false, computeProcesses }, familyOf(computeProcesses));
  return verdict.ok ? undefined : verdict.error.message;
}

/**
 * Like othersOn, for a process that yields to others: whom it cannot see counts as another, and so does a list without itself.
 * `whyNotSeen` has made sure that the list has its numbers.
 */
export function othersBeside(info: CudaDeviceInfo, nvml: Pick<Nvml, "computeProcesses">): string | undefined {
  const pids = nvml.computeProcesses();
  if (!pids.includes(process.pid)) return `${info.name} (${info.uuid}): the driver's list of processes lacks the runner's own`;
  const others = pids.filter((pid) => pid !== process.pid && parentOf(pid) !== process.ppid);
  return others.length === 0
    ? undefined
    : `${info.name} (${info.uuid}) is in use by ${others.length === 1 ? "process" : "processes"} ${others.join(", ")}`;
}

/**
 * Why a process that has a context cannot see here who else uses the GPU; undefined: it can. The driver may list a new context
 * late.
 */
export function whyNotSeen(
  info: Pick<CudaDeviceInfo, "name">,
  nvml: Pick<Nvml, "sharing" | "computeProcesses" | "busyPercent"> | undefined,
  sleep: (ms: number) => void = sleepMs,
): string | undefined {
  if (nvml === undefined) return "the management library (libnvidia-ml.so.1) is missing";
  const { mig, virtualGpu } = nvml.sharing();
  if (/\bMIG\b/.test(info.name) || mig) return "it is a MIG device, whose neighbours nobody is told of";
  if (virtualGpu) return "it is a virtual GPU, whose neighbours nobody is told of";
  if (nvml.busyPercent() === undefined) return "the driver does not tell how busy it is";
  for (let tries = 30; !nvml.computeProcesses().includes(process.pid); tries--) {
    if (tries === 0)
      return "the driver lists processes by other numbers than this one sees: run it in the host's pid namespace (hostPID, --pid=host)";
    sleep(100);
  }
  return undefined;
}

const sleepMs = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Processes that count as this one's: itself, its siblings (the supervisor's other child), and invisible ones, whose numbers may
 * belong to another pid namespace and be our own.
 */
function familyOf(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    const parent = parentOf(pid);
    return pid === process.pid || parent === undefined || parent === process.ppid;
  });
}

/** From /proc/<pid>/stat, whose second field is the command in parentheses. */
function parentOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ");
    return Number(fields[1]);
  } catch {
    return undefined;
  }
}
