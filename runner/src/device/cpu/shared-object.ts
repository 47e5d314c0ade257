/** A shared object built from a Program: dlopen, its kernels `void name(void *const *args)` by name, dlclose. */

import type { ArtifactManifest } from "@warpfarm/common";
import koffi from "koffi";
import { type Buffers, type DeviceBuffer, DeviceError, type DeviceModule } from "../device-api.ts";
import type { GuardedMemory } from "./guarded-memory.ts";

export interface CpuBuffer extends DeviceBuffer {
  readonly memory: GuardedMemory;
}

type Kernel = (args: BigUint64Array) => void;

export class SharedObject implements DeviceModule {
  readonly manifest: ArtifactManifest;
  readonly #library: { unload(): void };
  readonly #kernels: readonly { readonly call: Kernel; readonly args: readonly string[] }[];
  #unloaded = false;

  /** Throws DeviceError `dlopen` or `dlsym` with the loader's message. */
  constructor(manifest: ArtifactManifest, path: string) {
    this.manifest = manifest;
    const library = refused("dlopen", () => koffi.load(path));
    this.#library = library;
    this.#kernels = manifest.kernels.map(({ name, args }) => ({
      call: refused("dlsym", () => library.func(name, "void", ["const void *"])) as unknown as Kernel,
      args: args.map((arg) => {
        if (typeof arg === "string") return arg;
        throw new DeviceError(
          "manifest",
          `kernel ${name} takes ${JSON.stringify(arg)}; the kernels of a shared object take buffers`,
        );
      }),
    }));
  }

  launches(buffers: Buffers): readonly (() => void)[] {
    return this.#kernels.map(({ call, args }) => {
      const addresses = BigUint64Array.from(args, (name) => {
        const buffer = buffers.get(name) as CpuBuffer | undefined;
        if (buffer === undefined)
          throw new DeviceError("manifest", `a kernel takes "${name}", which is not among the manifest's buffers`);
        return buffer.memory.address;
      });
      return () => call(addresses);
    });
  }

  [Symbol.dispose](): void {
    if (!this.#unloaded) this.#library.unload();
    this.#unloaded = true;
  }
}

function refused<T>(rule: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw new DeviceError(rule, error instanceof Error ? error.message : String(error));
  }
}
