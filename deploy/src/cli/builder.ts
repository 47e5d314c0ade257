/** `builder`: compiles programs for a tracker. Only its child processes load koffi. */

import { join } from "node:path";
import { makeDirectory, parse, type RegisterCommand } from "@warpfarm/client/cli";
import { defined } from "@warpfarm/common";
import { needKoffi } from "../koffi.ts";
import { addWorkerFlags, bytesOf, type WorkerFlags, workerOptions } from "./worker-flags.ts";

interface BuilderFlags extends WorkerFlags {
  readonly slots?: number;
  readonly cacheMb?: number;
  readonly buildMemoryMb?: number;
  readonly buildFileMb?: number;
}

export const register: RegisterCommand = (program, context) => {
  addWorkerFlags(program.command("builder"))
    .option(
      "--slots <n>",
      "programs compiled at the same time (default: the number of processors)",
      parse.integer("--slots", 1, 1024),
    )
    .option("--cache-mb <n>", "size limit of the build cache (default 2048)", parse.integer("--cache-mb", 1, 1_000_000))
    .option(
      "--build-memory-mb <n>",
      "memory limit of a compiler's process (default: a slot's part of the machine's memory, 1024 to 4096)",
      parse.integer("--build-memory-mb", 256, 1_000_000),
    )
    .option(
      "--build-file-mb <n>",
      "limit for a file that a build writes (default 512)",
      parse.integer("--build-file-mb", 1, 1_000_000),
    )
    .action(async (flags: BuilderFlags) => {
      const { settings, shared } = await workerOptions(flags, context);
      const { slots, cacheMb, buildMemoryMb, buildFileMb } = flags;
      const cacheDirectory = flags.cache ?? join(settings.cacheDir, "builder");
      await makeDirectory("a worker's cache", cacheDirectory);
      needKoffi();
      const { builderMain } = await import("@warpfarm/builder");
      await builderMain({
        ...shared,
        cacheDirectory,
        ...defined({ slots, cacheBytes: bytesOf(cacheMb) }),
        ...defined({ buildMemoryBytes: bytesOf(buildMemoryMb), buildFileBytes: bytesOf(buildFileMb) }),
      });
    });
};
