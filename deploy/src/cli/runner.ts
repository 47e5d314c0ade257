/** `runner`: serves one device of this machine to a tracker. */

import { join } from "node:path";
import { makeDirectory, parse, type RegisterCommand } from "@warpfarm/client/cli";
import { defined } from "@warpfarm/common";
import { needKoffi } from "../koffi.ts";
import { addWorkerFlags, bytesOf, type WorkerFlags, workerOptions } from "./worker-flags.ts";

interface RunnerFlags extends WorkerFlags {
  readonly device: string;
  readonly threads?: number;
  readonly allowShared?: boolean;
  readonly yieldToOthers?: boolean;
  readonly wait?: boolean;
  readonly cacheMb?: number;
}

export const register: RegisterCommand = (program, context) => {
  addWorkerFlags(program.command("runner"))
    .option("--device <device>", "cpu, or cuda:N", "cpu")
    .option(
      "--threads <n>",
      "OpenMP threads of a CPU device (default: the number of processors)",
      parse.integer("--threads", 1, 1024),
    )
    .option("--allow-shared", "use a GPU that other processes use too; times then depend on them")
    .option("--yield-to-others", "time only while no other process uses the GPU; hand jobs back when others stay")
    .option("--wait", "if another runner of this machine has the device, start when that runner ends")
    .option("--cache-mb <n>", "size limit of the artifact cache (default 2048)", parse.integer("--cache-mb", 1, 1_000_000))
    .action(async (flags: RunnerFlags) => {
      const { settings, shared } = await workerOptions(flags, context);
      const { device, threads, allowShared, yieldToOthers, wait, cacheMb } = flags;
      const cacheDirectory = flags.cache ?? join(settings.cacheDir, "runner");
      await makeDirectory("a worker's cache", cacheDirectory);
      needKoffi();
      const { runnerMain } = await import("@warpfarm/runner");
      await runnerMain({
        ...shared,
        device,
        cacheDirectory,
        ...defined({ threads, allowShared, yieldToOthers, wait, cacheBytes: bytesOf(cacheMb) }),
      });
    });
};
