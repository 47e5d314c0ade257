/**
 * A process that lowers and compiles one program at a time, or replays one claim. It may be killed at any moment, with everything
 * it started. It holds the host-wide timing lock shared for each job, so it never compiles beside a timed kernel.
 */
import {
  type Clock,
  defined,
  invariant,
  measureErrorNo,
  noCompiler,
  ok,
  own,
  type Result,
  textToolchain,
} from "@warpfarm/common";
import {
  bindLibc,
  exitWithParent,
  HostLock,
  isDiskFull,
  type LoweringTold,
  serveRequests,
  settle,
} from "@warpfarm/common/process";
import type { CodeProgram, CompileError, DeviceText, LoweringLogOptions } from "@warpfarm/compiler";
import koffi from "koffi";
import { checkCubin, withSymbols } from "../toolchain/cuda/check-cubin.ts";
import { lookAtTunables } from "../toolchain/cuda/tunables.ts";
import { openToolchain } from "../toolchain/index.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import type {
  BuildAnswer,
  BuildBegun,
  BuildCommand,
  BuildLimits,
  BuildTold,
  BuildWith,
  ChildSettings,
  ReplayAnswer,
  ReplayCommand,
} from "./messages.ts";

export interface Lowered {
  readonly text: DeviceText;
  readonly target: string;
  /** The program, when it brings its own code. */
  readonly code?: CodeProgram;
}

/** From a program's bytes to text, the compiler's part. Reports what `debug` asks for before it returns or throws. */
type Lower = (
  program: Uint8Array,
  debug: LoweringLogOptions,
  tell: (told: LoweringTold) => void,
) => Result<Lowered, CompileError>;

/** From what somebody says of a program to its digest. */
export type Replay = (claim: Uint8Array) => Promise<ReplayAnswer>;

const noDebug: LoweringLogOptions = { level: 0, dump: false, check: false };

/** Requires that this process was forked by LocalBuildExecutor. */
export function serveBuilds(lower: Lower, replay: Replay, clock: Pick<Clock, "monotonic">): void {
  const [, , settingsText] = process.argv;
  invariant(settingsText !== undefined, "the builder's child is started by the builder, with its settings as an argument");
  const settings = JSON.parse(settingsText) as ChildSettings;
  const libc = bindLibc(koffi);
  exitWithParent({ libc });
  limitThisProcess(libc, settings.limits);
  settle(koffi, "compilers");
  const lock = new HostLock(settings.lockDirectory, libc);
  const toolchains = settings.toolchains.map(openToolchain);

  serveRequests<BuildCommand | ReplayCommand, BuildAnswer | ReplayAnswer>(async (command, { progress }) => {
    using _held = hold(lock);
    const begun: BuildBegun = { begun: true };
    await progress(begun);
    if ("claim" in command) return replay(command.claim);
    const start = clock.monotonic();
    const spentMs = () => clock.monotonic() - start;
    const told: LoweringTold[] = [];
    try {
      const lowered = lower(command.program, settings.debug ?? noDebug, (all) => told.push(all));
      const loweredMs = spentMs();
      const tell = (told: BuildWith) => progress(told);
      const answer = await build(lowered, command, { settings, toolchains, spentMs, tell });
      if (told.length > 0) told.push({ lines: [`compile: ${(spentMs() - loweredMs).toFixed(2)} ms`], files: [] });
      return answer;
    } finally {
      for (const one of told) await progress({ told: one } satisfies BuildTold);
    }
  });
}

function limitThisProcess(libc: ReturnType<typeof bindLibc>, limits: BuildLimits): void {
  const { memoryBytes, fileBytes, openFiles } = limits;
  libc.setLimit("coreBytes", 0n, 0n);
  for (const [resource, most] of [
    ["dataBytes", memoryBytes],
    ["fileBytes", fileBytes],
    ["openFiles", openFiles],
  ] as const)
    libc.setLimit(resource, BigInt(most), BigInt(most));
}

interface BuildPlace {
  readonly settings: ChildSettings;
  readonly toolchains: readonly Toolchain[];
  /** Since the build began. */
  readonly spentMs: () => number;
  readonly tell: (told: BuildWith) => Promise<void>;
}

/** From text to code, or why there is none. */
async function build(
  lowered: ReturnType<Lower>,
  { directory, includes, timeoutMs }: BuildCommand,
  { settings, toolchains, spentMs, tell }: BuildPlace,
): Promise<BuildAnswer> {
  if (!lowered.ok) return { kind: "refused", ...lowered.error, compileMs: spentMs() };
  const { text, target, code: brought } = lowered.value;
  const isCubin = brought?.kind === "cubin";
  const able = toolchains.filter((t) => t.language === text.language && t.facts.targets.includes(target));
  const asked = brought?.kind === "cuda_source" ? brought.compiler : undefined;
  const toolchain = isCubin ? asItIs : able.find(({ facts }) => asked === undefined || facts.kind === asked);
  if (toolchain === undefined && asked !== undefined) {
    const here = able.map(({ facts }) => facts.id).join(" and ") || "no compiler for it";
    return { kind: "fault", message: `the program asks for ${asked}; this builder has ${here}`, rule: "source.compiler" };
  }
  if (toolchain === undefined)
    return { kind: "fault", message: `no toolchain of this builder compiles ${text.language} for ${target}` };
  const job = {
    text,
    ...(brought?.kind === "cuda_source" ? { source: brought } : {}),
    ...(brought?.kind === "ptx" ? { flags: brought.flags } : {}),
    target,
    clientText: settings.clientText,
    directory,
    includes,
    timeoutMs: Math.max(1, timeoutMs - spentMs()),
  };
  // What a cubin holds is checked by this package. A compiler that refuses text of this package may take another version's.
  const { id } = toolchain.facts;
  if (!isCubin) await tell({ toolchain: brought === undefined ? textToolchain(id, settings.compilerVersion) : id });
  // Where it cannot be carried out, the compile cannot either, and tells why.
  const looked = await lookAtTunables(toolchain, job).catch(() => ok([]));
  if (!looked.ok) return { kind: "refused", errorNo: measureErrorNo.COMPILE_DEVICE, ...looked.error, compileMs: spentMs() };
  const compiled = await toolchain.compile({ ...job, timeoutMs: Math.max(1, timeoutMs - spentMs()) }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return endWithoutProcesses((error as Error).message);
    if (!isDiskFull(error)) throw error;
    return { ok: false, message: (error as Error).message, log: "", rule: "disk" } as const;
  });
  const unforked = compiled.ok ? undefined : noProcess.exec(compiled.log)?.[0];
  if (unforked !== undefined) return endWithoutProcesses(unforked);
  if (!compiled.ok && (compiled.rule === "disk" || /No space left on device|Disk quota exceeded/.test(compiled.log)))
    return { kind: "disk_full", message: `the disk of ${directory} is full: ${compiled.message}` };
  if (!compiled.ok) {
    const { log } = compiled;
    const { rule, message } = overLimit(compiled, settings.limits) ?? compiled;
    return { kind: "refused", errorNo: measureErrorNo.COMPILE_DEVICE, rule, message, log, compileMs: spentMs() };
  }
  const { buffers, stages, maps, constants } = text;
  const { code, symbols = {} } = compiled;
  const named = text.kernels.map((kernel) => ({ ...kernel, name: own(symbols, kernel.name) ?? kernel.name }));
  const kernels = brought === undefined ? named : withSymbols(code, named);
  const checked =
    brought === undefined
      ? ok(compiled.resources)
      : checkCubin(code, target, { kernels, buffers, ...(constants ? { constants } : {}) });
  if (!checked.ok) return { kind: "refused", errorNo: measureErrorNo.COMPILE_DEVICE, ...checked.error, compileMs: spentMs() };
  const manifest = {
    version: 1,
    target,
    format: toolchain.format,
    kernels,
    buffers,
    resources: isCubin ? checked.value : { ...compiled.resources, registers: checked.value.registers },
    toolchain: toolchain.facts.id,
    notes: [...text.notes, ...compiled.notes, ...looked.value],
    ...defined({ stages, maps, constants }),
  } as const;
  return { kind: "built", code, manifest, compileMs: spentMs() };
}

/** A cubin is checked and passed on unchanged. */
const asItIs: Pick<Toolchain, "compile" | "expand" | "format"> & { readonly facts: Pick<Toolchain["facts"], "id"> } = {
  facts: { id: noCompiler },
  format: "cubin",
  compile: async ({ text }) => ({
    ok: true,
    code: Buffer.from(text.text, "base64"),
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    notes: [],
  }),
};

/**
 * Ends this process when the lock's files cannot be opened: if they were cleaned away, only another child can make them again.
 */
function hold(lock: HostLock): Disposable {
  try {
    return lock.hold("shared");
  } catch (error) {
    console.error(`the timing lock cannot be opened: ${(error as Error).message}`);
    return process.exit(1);
  }
}

/** Words of shells and compilers that could not start the next program. */
export const noProcess =
  /^.*(?:\b[Cc]annot fork\b|\b(?:v?fork|posix_spawn|clone): (?:retry: )?Resource temporarily unavailable).*$/m;

/**
 * The limit of processes is shared with others of the user, who may have started more than was foreseen. It is no fault of the
 * program, and the next child has a limit of its own.
 */
function endWithoutProcesses(words: string): never {
  console.error(`the system gave the compiler no more processes: ${words}`);
  return process.exit(1);
}

/** A limit that the compiler exceeded, recognized by its messages, which only experts understand. */
function overLimit({ message, log }: { readonly message: string; readonly log: string }, limits: BuildLimits) {
  const said = `${message}\n${log}`;
  const mib = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MiB`;
  if (/out of memory|memory exhausted|cannot allocate memory|bad_alloc|out_of_memory/i.test(said))
    return {
      rule: "build_memory",
      message: `the compiler needed more memory than the ${mib(limits.memoryBytes)} that a build may take`,
    };
  if (/file size limit exceeded|file too large|SIGXFSZ/i.test(said))
    return {
      rule: "build_files",
      message: `the compiler wrote a file of more than the ${mib(limits.fileBytes)} that a build may write`,
    };
  return undefined;
}
