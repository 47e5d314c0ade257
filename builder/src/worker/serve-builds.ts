/**
 * A process that lowers and compiles, one program at a time, and may be killed at any moment with everything it started. It holds the
 * host-wide timing lock shared for each job, so it never compiles beside a timed kernel.
 */
import { invariant, measureErrorNo, type Result, systemClock } from "@warpfarm/common";
import { bindLibc, exitWithParent, HostLock, isDiskFull, type LoweringTold, serveRequests } from "@warpfarm/common/process";
import type { CompileError, CudaSourceProgram, DeviceText, LoweringLogOptions } from "@warpfarm/compiler";
import koffi from "koffi";
import { openToolchain } from "../toolchain/index.ts";
import type { BuildAnswer, BuildBegun, BuildCommand, BuildTold, ChildSettings } from "./messages.ts";

export interface Lowered {
  readonly text: DeviceText;
  readonly target: string;
  /** The program, when it brings its own text. */
  readonly source?: CudaSourceProgram;
}

/** From a program's bytes to text: the compiler's part. What `debug` asks for is told before it returns or throws. */
export type Lower = (
  program: Uint8Array,
  debug: LoweringLogOptions,
  tell: (told: LoweringTold) => void,
) => Result<Lowered, CompileError>;

const NO_DEBUG: LoweringLogOptions = { level: 0, dump: false, check: false };

/** Everything a build may write: temporary files of the compiler included. */
const FILE_BYTES = 512n * 2n ** 20n;

/** Requires that this process was forked by LocalBuildExecutor. */
export function serveBuilds(lower: Lower): void {
  const [, , settingsText] = process.argv;
  invariant(settingsText !== undefined, "the builder's child is started by the builder, with its settings as an argument");
  const settings = JSON.parse(settingsText) as ChildSettings;
  exitWithParent();
  const libc = bindLibc(koffi);
  libc.setLimit("coreBytes", 0n, 0n);
  libc.setLimit("fileBytes", FILE_BYTES, FILE_BYTES);
  const lock = new HostLock(settings.lockDirectory, libc);
  const toolchains = settings.toolchains.map(openToolchain);

  serveRequests<BuildCommand, BuildAnswer>(async (command, { progress }) => {
    using _held = lock.hold("shared");
    const begun: BuildBegun = { begun: true };
    await progress(begun);
    const start = systemClock.monotonic();
    const spentMs = () => systemClock.monotonic() - start;
    const told: LoweringTold[] = [];
    try {
      const lowered = lower(command.program, settings.debug ?? NO_DEBUG, (all) => told.push(all));
      const loweredMs = spentMs();
      const answer = await build(lowered, command, spentMs);
      if (told.length > 0) told.push({ lines: [`compile: ${(spentMs() - loweredMs).toFixed(2)} ms`], files: [] });
      return answer;
    } finally {
      for (const one of told) await progress({ told: one } satisfies BuildTold);
    }
  });

  async function build(
    lowered: ReturnType<Lower>,
    { directory, timeoutMs }: BuildCommand,
    spentMs: () => number,
  ): Promise<BuildAnswer> {
    if (!lowered.ok) return { kind: "refused", ...lowered.error, compileMs: spentMs() };
    const { text, target, source } = lowered.value;
    const toolchain = toolchains.find((t) => t.language === text.language && t.facts.targets.includes(target));
    if (toolchain === undefined)
      return { kind: "fault", message: `no toolchain of this builder compiles ${text.language} for ${target}` };
    const job = {
      text,
      ...(source === undefined ? {} : { source }),
      target,
      directory,
      timeoutMs: Math.max(1, timeoutMs - spentMs()),
    };
    const compiled = await toolchain.compile(job).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error;
      return { ok: false, message: (error as Error).message, log: "", rule: "disk" } as const;
    });
    if (!compiled.ok && (compiled.rule === "disk" || /No space left on device|Disk quota exceeded/.test(compiled.log)))
      return { kind: "disk_full", message: `the disk of ${directory} is full: ${compiled.message}` };
    if (!compiled.ok) {
      const { rule = "toolchain", message, log } = compiled;
      return { kind: "refused", errorNo: measureErrorNo.COMPILE_DEVICE, rule, message, log, compileMs: spentMs() };
    }
    const { kernels, buffers } = text;
    const { code, resources } = compiled;
    const notes = [...text.notes, ...compiled.notes];
    const toolchainId = toolchain.facts.id;
    const manifest = {
      version: 1,
      target,
      format: toolchain.format,
      kernels,
      buffers,
      resources,
      toolchain: toolchainId,
      notes,
    } as const;
    return { kind: "built", code, manifest, compileMs: spentMs() };
  }
}
