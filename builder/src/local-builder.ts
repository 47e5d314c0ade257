/**
 * A complete build executor on this machine: slots over cache over child processes. The order matters: a cached build takes no
 * slot.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import {
  type Clock,
  type DebugOptions,
  type Digest,
  defined,
  FarmError,
  type NewId,
  randomId,
  systemClock,
} from "@warpfarm/common";
import {
  confines,
  FileCache,
  findLayers,
  installationOf,
  type Layers,
  LockPatience,
  makeWorkDirectory,
  noSandbox,
  reportLowering,
} from "@warpfarm/common/process";
import { type BuildExecutor, LocalBuildExecutor, type LocalBuildOptions } from "./build-executor.ts";
import { compilerVersion } from "./compiler-version.ts";
import { BundleFolders, type FetchBundle, withBundles } from "./decorators/bundles.ts";
import { CachingBuildExecutor, type CachingOptions, cacheEntryPattern } from "./decorators/caching.ts";
import { withSlots } from "./decorators/slots.ts";
import { filesOf, toolkitRoots } from "./toolchain/cuda/find-libraries.ts";
import { findToolchains, openToolchain } from "./toolchain/index.ts";
import type { ClientText, ToolchainFacts } from "./toolchain/toolchain.ts";
import { type BuildLimits, defaultLimits } from "./worker/messages.ts";

interface LocalBuilderOptions {
  readonly slots: number;
  readonly searchPath: string;
  readonly cudaHomes?: readonly string[];
  readonly cacheDirectory: string;
  readonly cacheBytes?: number;
  readonly lockDirectory: string;
  readonly temporaryDirectory?: string;
  /** Whether programs come from other machines. Text of clients is then compiled in a sandbox or not at all. */
  readonly fromNetwork: boolean;
  /** Fetches the bundles of headers that programs name. Unset: there are none. */
  readonly fetchBundle?: FetchBundle;
  readonly limits?: Partial<BuildLimits>;
  readonly module?: string;
  /** Layers of the sandbox; `noSandbox`: none. Unset: those found here. */
  readonly layers?: Layers;
  readonly onHeldUp?: () => void;
  readonly onLine?: (line: string) => void;
  /** What to print of each lowering, and where. A build from the cache is not lowered. */
  readonly debug?: { readonly options: DebugOptions; readonly write: (line: string) => void };
  readonly clock?: Clock;
  readonly newId?: NewId;
}

export interface LocalBuilder extends AsyncDisposable {
  readonly executor: BuildExecutor;
  readonly replay: LocalBuildExecutor["replay"];
  /** Starts children that the first builds will not have to wait for. */
  warm(): void;
  hasRoom(): Promise<boolean>;
  heldUp(): string;
  readonly toolchains: readonly ToolchainFacts[];
  readonly layers: Layers;
  readonly clientText: ClientText;
  readonly missing: readonly string[];
  readonly targets: readonly string[];
  readonly compilerVersion: string;
}

const defaultCacheBytes = 2 * 2 ** 30;

/**
 * Throws FAILED_PRECONDITION when there is no compiler or no place for builds, and UNAVAILABLE when the sandbox cannot be
 * examined.
 */
export async function openLocalBuilder(options: LocalBuilderOptions): Promise<LocalBuilder> {
  const {
    slots,
    searchPath,
    cudaHomes = [],
    cacheDirectory,
    cacheBytes = defaultCacheBytes,
    lockDirectory,
    temporaryDirectory = tmpdir(),
    onHeldUp = () => {},
    debug,
    fromNetwork,
    fetchBundle = noBundle,
    clock = systemClock,
    newId = randomId,
  } = options;
  const files = new FileCache({ directory: cacheDirectory, maxBytes: cacheBytes, pattern: cacheEntryPattern, clock, newId });
  await files.open();
  const bundles = join(cacheDirectory, "bundles");
  await mkdir(bundles, { recursive: true, mode: 0o700 });
  const { toolchains, missing } = await findToolchains(searchPath, temporaryDirectory, cudaHomes);
  if (toolchains.length === 0) throw new FarmError("FAILED_PRECONDITION", missing.join("; "));
  const workDirectory = await makeWorkDirectory(temporaryDirectory, "builder");
  const patience = new LockPatience({ directory: lockDirectory, onChange: onHeldUp });
  const koffi = import.meta.resolve("koffi");
  const layers = options.layers ?? (await findLayers({ koffi, searchPath }));
  const clientText: ClientText = confines(layers) ? "all" : fromNetwork ? "refused" : "checked";
  const version = compilerVersion();
  const local = new LocalBuildExecutor({
    compilerVersion: version,
    clock,
    newId,
    patience,
    clientText,
    limits: { memoryBytes: memoryFor(slots), ...options.limits },
    ...(layers === noSandbox ? {} : { sandbox: { layers, koffi, readable: [...installations(toolchains, cudaHomes), bundles] } }),
    ...defined({ module: options.module }),
    toolchains,
    lockDirectory,
    workDirectory,
    ...defined({ onLine: options.onLine }),
    ...(debug === undefined ? {} : debugOf(debug)),
  });
  const executor = new CachingBuildExecutor(
    withBundles(withSlots(local, slots), new BundleFolders(bundles, fetchBundle, { clock, newId })),
    {
      files,
      identityOf: identities(toolchains, version),
    },
  );
  try {
    await local.start();
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
  return {
    executor,
    replay: (request, o) => local.replay(request, o),
    warm: () => local.warm(warmChildren(slots)),
    hasRoom: () => hasRoom(workDirectory),
    heldUp: () => patience.trouble,
    toolchains,
    layers,
    clientText,
    missing,
    targets: [...new Set(toolchains.flatMap((t) => t.targets))],
    compilerVersion: version,
    [Symbol.asyncDispose]: () => executor[Symbol.asyncDispose](),
  };
}

/**
 * Compiler, toolchains and flags of each target: what distinguishes artifacts besides the program. Toolchains are opened once.
 */
function identities(toolchains: readonly ToolchainFacts[], compiler: string): CachingOptions["identityOf"] {
  const opened = toolchains.map(openToolchain);
  return (target) => {
    const all = opened.filter(({ facts }) => facts.targets.includes(target));
    const toolchain = all.map(({ facts }) => facts.id).join(", ");
    const flags = all.flatMap((each) => each.flags(target));
    return all.length === 0 ? undefined : { compiler, toolchain, flags };
  };
}

const noBundle = (digest: Digest): Promise<never> =>
  Promise.reject(new FarmError("NOT_FOUND", `the bundle ${digest}, headers that the program includes, is not on this machine`));

function debugOf({ options, write }: NonNullable<LocalBuilderOptions["debug"]>): Pick<LocalBuildOptions, "debug" | "onTold"> {
  const { level, check, dumpDir } = options;
  return {
    debug: { level, check, dump: dumpDir !== undefined },
    onTold: (program, told) => reportLowering(options, program, told, write),
  };
}

const leastMemory = 2 ** 30;

const memoryHere = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

export const memoryFor = (slots: number, memory = memoryHere()): number =>
  Math.min(defaultLimits.memoryBytes, Math.max(leastMemory, Math.floor(memory / slots)));

/** Candidates that a search has outstanding. */
const usualInFlight = 16;

/**
 * Children besides the first: for the candidates of a search, as far as each has its memory. While a farm starts, two processors
 * have enough to do.
 */
export const warmChildren = (slots: number, memory = memoryHere()): number =>
  Math.max(0, Math.min(slots - 2, usualInFlight - 1, Math.floor(memory / leastMemory) - 1));

/** The folders of the compilers, with everything that they read. */
export function installations(toolchains: readonly ToolchainFacts[], cudaHomes: readonly string[]): readonly string[] {
  const tools = toolchains.flatMap(({ path, includes = [] }) => [...installationOf(path), ...includes]);
  const toolkits = toolkitRoots({ homes: cudaHomes, list: filesOf });
  return [...new Set([...tools, ...toolkits])];
}

const roomBytes = 1 << 20;

async function hasRoom(directory: string): Promise<boolean> {
  const path = join(directory, "probe");
  try {
    await writeFile(path, new Uint8Array(roomBytes));
    return true;
  } catch {
    return false;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
