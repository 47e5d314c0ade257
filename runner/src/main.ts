/**
 * The runner as a process: opens its device in a child, connects to the tracker, and serves until it is told to end. Only this
 * file of the package reads the environment. It logs to stderr, and prints one line on stdout once it is registered.
 */
import { homedir, hostname, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { badInput, defined, parseDebug, systemClock } from "@warpfarm/common";
import { logSink, shutdownSignal } from "@warpfarm/common/process";
import { connect, openTracing, readCredentials } from "@warpfarm/proto";
import { addressOf, Synchronizer, serve, tellEvents, type WorkerOptions } from "@warpfarm/worker";
import { pino } from "pino";
import { ArtifactCache } from "./artifact-cache.ts";
import { defaultThreads, describeCpu } from "./device/cpu/cpu-facts.ts";
import { claimDevice } from "./device/device-lock.ts";
import { deviceKind } from "./device/index.ts";
import { defaultDriftRules } from "./drift.ts";
import { openSandbox } from "./open-sandbox.ts";
import { RunnerRole } from "./runner-role.ts";
import { DeviceHost } from "./worker/host.ts";
import type { ChildSettings } from "./worker/messages.ts";
import { racecheckWith } from "./worker/racecheck.ts";
import type { PhaseLimits } from "./worker/verdict.ts";

interface RunnerOptions extends WorkerOptions {
  readonly device: string;
  /** Whether it uses a GPU that others use too (MIG, slices, other processes); times then depend on them. */
  readonly allowShared?: boolean;
  /** Whether it times only while nobody else uses its GPU, and hands its job back when others stay. Not with allowShared. */
  readonly yieldToOthers?: boolean;
  /** Whether it waits until another runner of this host that has the device ends; otherwise that is an error. */
  readonly wait?: boolean;
  readonly threads?: number;
  /** Limits of a job's phases. Unset: defaultPhaseLimits. */
  readonly limits?: Partial<PhaseLimits>;
}

const defaultCacheBytes = 2 * 2 ** 30;

/** Serves until SIGTERM, SIGINT or the given signal. Throws FarmError when it cannot start. */
export async function runnerMain(options: RunnerOptions): Promise<void> {
  const { device, labels = {}, node = hostname(), threads = defaultThreads() } = options;
  const kind = deviceKind(device);
  if (!Number.isInteger(threads) || threads < 1 || threads > 1024)
    throw badInput(`--threads ${threads}: an integer from 1 to 1024`);
  checkOthers(options, kind.onHost);
  const { env } = process;
  const log = pino({ name: "runner", level: parseDebug(env).level > 0 ? "debug" : "info" }, logSink());
  await using tracing = await openTracing(env, "warpfarm-runner", (sentence) => log.warn(sentence));
  const credentials = readCredentials(options);
  const ending = shutdownSignal({ withParent: options.exitWithParent === true });
  const signal = options.signal === undefined ? ending : AbortSignal.any([ending, options.signal]);
  const lockDirectory = env.XDG_RUNTIME_DIR || tmpdir();
  const claim = claiming(options, signal, (why) => log.warn(`waiting: ${why}`));
  // A runner that lives as long as a command takes turns with others that time here.
  const isPassing = options.exitWithParent === true;
  using _processor = kind.onHost && !isPassing ? await claim(describeCpu(threads).facts.uuid, lockDirectory) : undefined;
  const cacheDirectory = resolve(
    options.cacheDirectory ?? join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "warpfarm", "artifacts"),
  );
  const cache = new ArtifactCache({
    directory: cacheDirectory,
    maxBytes: options.cacheBytes ?? defaultCacheBytes,
    download: (digest, callOptions) => tracker.artifacts.download(digest, callOptions),
  });
  await cache.open();
  const searchPath = env.PATH ?? "/usr/bin:/bin";
  await using sandbox = kind.onHost ? await openSandbox({ ...options, cacheDirectory, searchPath }, log) : undefined;
  const childEnv = Object.fromEntries(kind.environment.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  await using host = new DeviceHost({
    node,
    settings: settingsOf(options, threads, lockDirectory),
    ...defined({ sandbox }),
    env: childEnv,
    ...defined({ limits: options.limits }),
    onLine: (line) => log.info({ line }, "device child"),
    onHeldUp: () => synchronizer.touch(),
  });
  // An embedded farm cannot wait for another runner to end.
  const description = await host.start({ wait: !isPassing });
  using _gpu = kind.onHost ? undefined : await claim(description.facts.uuid);
  const address = await addressOf(options.tracker, options, signal);
  await using tracker = connect({ address, ...credentials });
  const role: RunnerRole = new RunnerRole({
    node,
    labels: { ...(kind.onHost ? {} : { use: useOf(options) }), ...labels },
    description,
    host,
    cache,
    // On a processor the builders use the time that the wait would waste.
    ahead: kind.onHost ? 0 : 1,
    ...(kind.onHost ? {} : { drift: defaultDriftRules, afterJob: racecheckWith({ searchPath, device, threads, env: childEnv }) }),
    onTrouble: () => synchronizer.touch(),
    onExecute: (artifact, attempt) => log.debug({ artifact, attempt }, "execute"),
  });
  const synchronizer = new Synchronizer({
    client: tracker.worker,
    role,
    tracing,
    onEvent: tellEvents(log, (worker) => announce(description.facts, address, worker)),
  });
  await serve(synchronizer, role, { health: options.health, signal, log });
}

const claiming =
  ({ device, wait = false }: RunnerOptions, signal: AbortSignal, onWait: (why: string) => void) =>
  (uuid: string, directory?: string): Promise<Disposable> =>
    claimDevice({ ...{ device, uuid, signal, clock: systemClock, wait, onWait }, ...defined({ directory }) });

const useOf = ({ allowShared, yieldToOthers }: RunnerOptions): string =>
  allowShared === true ? "shared" : yieldToOthers === true ? "yielding" : "exclusive";

/** Throws INVALID_ARGUMENT where others cannot be yielded to. */
function checkOthers({ device, allowShared, yieldToOthers }: RunnerOptions, onHost: boolean): void {
  if (yieldToOthers !== true) return;
  if (onHost) throw badInput(`--yield-to-others: nobody tells who else uses device ${device}; it is for GPUs`);
  if (allowShared === true) throw badInput("--yield-to-others waits for others and --allow-shared does not; give one of them");
}

const settingsOf = (options: RunnerOptions, threads: number, lockDirectory: string): ChildSettings => {
  const { device, allowShared = false, yieldToOthers = false } = options;
  return { device, allowShared, yieldToOthers, threads, lockDirectory, ...childMemory(memoryBytes()) };
};

const childMemory = (bytes: number) => ({
  // The guards around a buffer take 32 GiB of addresses and no memory. A thousand buffers have full guards, further ones narrow
  // guards.
  addressSpaceBytes: 2 * bytes + 2 ** 45,
  // The rest is for the runner itself, its spare child, and other processes of the node.
  dataBytes: Math.max(2 ** 30, Math.floor(0.75 * bytes)),
  // Bytes of each child that is kept.
  keepBytes: Math.floor(bytes / 16),
});

/** The memory that this process may use; a container has less than its machine. */
const memoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

function announce({ key, name }: { readonly key: string; readonly name: string }, tracker: string, worker: string): void {
  process.stdout.write(`runner ready ${worker} ${key} at ${tracker}: ${name}\n`);
}
