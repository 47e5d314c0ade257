/**
 * The builder as a process: finds its compilers, connects to the tracker, and serves until it is told to end. Only this file of
 * the package reads the environment. It logs to stderr, and prints one line on stdout once it is registered.
 */
import { availableParallelism, homedir, hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { badInput, defined, parseDebug, programVersions } from "@warpfarm/common";
import { describeLayers, logSink, noSandbox, shutdownSignal } from "@warpfarm/common/process";
import { connect, openTracing, readCredentials } from "@warpfarm/proto";
import { addressOf, mayServeOthers, Synchronizer, serve, tellEvents, type WorkerOptions } from "@warpfarm/worker";
import { pino } from "pino";
import { BuilderRole } from "./builder-role.ts";
import { openLocalBuilder } from "./local-builder.ts";
import { cudaHomes } from "./toolchain/cuda/find-libraries.ts";

interface BuilderOptions extends WorkerOptions {
  /** Programs built at the same time. Unset: the number of cores. */
  readonly slots?: number;
  /** Memory limit of each process of a build. Unset: its slot's part of the machine's memory, 1 to 4 GiB. */
  readonly buildMemoryBytes?: number;
  /** Size limit of a file that a build writes. Unset: 512 MiB. */
  readonly buildFileBytes?: number;
}

/** Serves until SIGTERM, SIGINT or the given signal. Throws FarmError when it cannot start. */
export async function builderMain(options: BuilderOptions): Promise<void> {
  const { labels = {}, node = hostname(), slots = availableParallelism() } = options;
  if (!Number.isInteger(slots) || slots < 1 || slots > 1024) throw badInput(`--slots ${slots}: an integer from 1 to 1024`);
  const { env } = process;
  const debug = parseDebug(env);
  const log = pino({ name: "builder", level: debug.level > 0 ? "debug" : "info" }, logSink());
  await using tracing = await openTracing(env, "warpfarm-builder", (sentence) => log.warn(sentence));
  const credentials = readCredentials(options);
  const ending = shutdownSignal({ withParent: options.exitWithParent === true });
  const signal = options.signal === undefined ? ending : AbortSignal.any([ending, options.signal]);
  await using builder = await openLocalBuilder({
    slots,
    searchPath: env.PATH ?? "/usr/bin:/bin",
    cudaHomes: cudaHomes(env),
    cacheDirectory: resolve(
      options.cacheDirectory ?? join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "warpfarm", "builds"),
    ),
    ...defined({ cacheBytes: options.cacheBytes }),
    fromNetwork: mayServeOthers(options.tracker, options),
    ...(options.withoutSandbox === true ? { layers: noSandbox } : {}),
    fetchBundle: (digest) => tracker.artifacts.download(digest, { signal }),
    limits: {
      ...defined({ memoryBytes: options.buildMemoryBytes, fileBytes: options.buildFileBytes }),
    },
    lockDirectory: env.XDG_RUNTIME_DIR || tmpdir(),
    onLine: (line) => log.info({ line }, "compile child"),
    onHeldUp: () => synchronizer.touch(),
    debug: { options: debug, write: (line) => process.stderr.write(`${line}\n`) },
  });
  builder.warm();
  const address = await addressOf(options.tracker, options, signal);
  await using tracker = connect({ address, ...credentials });
  const { executor, replay, hasRoom, heldUp, targets, toolchains, missing, layers, clientText, compilerVersion } = builder;
  for (const sentence of missing) log.warn(sentence);
  if (clientText === "all") log.info({ sandbox: describeLayers(layers), missing: layers.missing }, "compiles in a sandbox");
  else {
    const what = clientText === "refused" ? "refused" : "compiled only if its directives are plain";
    log.warn({ missing: layers.missing }, `this machine has no sandbox for compilers: CUDA text of clients is ${what}`);
  }
  const ids = toolchains.map((t) => t.id);
  const role: BuilderRole = new BuilderRole({
    node,
    labels,
    facts: { kind: "builder", slots, targets, toolchains: ids, compilerVersion, programVersions },
    executor,
    replay,
    artifacts: tracker.artifacts,
    hasRoom,
    heldUp,
    onTrouble: () => synchronizer.touch(),
  });
  const synchronizer = new Synchronizer({
    client: tracker.worker,
    role,
    tracing,
    onEvent: tellEvents(log, (worker) =>
      process.stdout.write(`builder ready ${worker} at ${address}: ${slots} slots, ${ids.join(", ")}\n`),
    ),
  });
  await serve(synchronizer, role, { health: options.health, signal, log });
}
