import { fileURLToPath } from "node:url";
import { defined } from "@warpfarm/common";
import koffi from "koffi";
import type { OpenedDevice, OpenOptions } from "../index.ts";
import type { OwnCode } from "../own.ts";
import { CpuDevice } from "./cpu-device.ts";
import { describeCpu } from "./cpu-facts.ts";

const openMpRuntimes = ["libgomp.so.1", "libomp.so.5"];
// <dlfcn.h> of Linux.
const RTLD_NOW = 2;
const RTLD_NODELETE = 0x1000;

/**
 * Threads of an OpenMP runtime outlive the kernels that started them. Unloading the last kernel would unload the runtime under
 * them, and they would crash during the next candidate, so the runtime is loaded for good. (A library that koffi loaded is
 * unloaded when its object is collected.) Its team starts here with an empty parallel region, so that the process looks the same
 * before and after a job (child-look.ts).
 */
function startTeams(threads: number): void {
  if (process.platform !== "linux") return;
  const c = koffi.load(null);
  const dlopen = c.func("void *dlopen(const char *path, int flags)");
  const dlsym = c.func("void *dlsym(void *handle, const char *name)");
  for (const name of openMpRuntimes) {
    // A missing runtime is no fault: a kernel that needs it reports that when it is loaded.
    if (!dlopen(name, RTLD_NOW | RTLD_NODELETE)) continue;
    // Both have this entry. Each thread calls free(NULL), which does nothing.
    const parallel = koffi.load(name).func("void GOMP_parallel(void *body, void *argument, uint threads, uint flags)");
    parallel(dlsym(null, "free"), null, threads, 0);
  }
}

/** Machine code of own.c by Node's name of the processor. It needs no library. */
const ownTargets: Readonly<Record<string, string>> = { x64: "x86-64", arm64: "arm64" };
const sizes = { arithmetic: 256, memory: 2 ** 18 } as const;

export function ownCode(): OwnCode | undefined {
  const name = process.platform === "linux" ? ownTargets[process.arch] : undefined;
  if (name === undefined) return undefined;
  // Next to src and dist, which are equally deep.
  const codePath = fileURLToPath(new URL(`../../../own/own-${name}.so`, import.meta.url));
  return { target: `cpu/${name}`, format: "so", codePath, checked: sizes, timed: sizes };
}

export function openCpu({ threads }: OpenOptions): OpenedDevice {
  startTeams(threads);
  const own = ownCode();
  return { api: new CpuDevice(), description: describeCpu(threads), ...defined({ own }) };
}
