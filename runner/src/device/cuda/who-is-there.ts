/** Other users of a GPU: compute contexts of other processes, as far as the management library and this process can see them. */
import { readFileSync } from "node:fs";
import type { CudaDeviceInfo } from "./cuda-driver.ts";
import { requireExclusive } from "./cuda-facts.ts";
import type { Nvml } from "./nvml.ts";

/** A child that was just killed still has its context, so a process counts after it was seen for three seconds. */
export function whenAlone(info: CudaDeviceInfo, nvml: Nvml | undefined): ReturnType<typeof requireExclusive> {
  for (let tries = 30; ; tries--) {
    const sharing = nvml?.sharing();
    const verdict = requireExclusive(info, sharing, familyOf(sharing?.computeProcesses ?? []));
    if (verdict.ok || tries === 0) return verdict;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
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
