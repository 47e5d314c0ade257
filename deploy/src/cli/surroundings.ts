/**
 * The process as a CliContext: environment, signals, and the services that only the composition root provides. The first SIGINT
 * or SIGTERM asks the command to end; a second one ends it at once (its children see their pipe close). A reader that closes the
 * pipe (`| head`) is no error.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type CliContext, CliError, type EmbeddedFarmOptions, exitCodeOf, Interrupted, sentenceOf } from "@warpfarm/client/cli";
import { FarmError, parseDebug, randomId, systemClock } from "@warpfarm/common";

export interface Surroundings {
  readonly context: CliContext;
  readonly askedCode: () => number | undefined;
}

export function surroundings(bin: string): Surroundings {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(name === "SIGINT" ? 130 : 143);
      stop.abort(new Interrupted(name));
    });
  process.on("uncaughtException", (error) => process.exit(unheard(error, stop.signal, process.stderr)));
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => error.code === "EPIPE" || fail(error));

  let asked: number | undefined;
  const context: CliContext = {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    newId: randomId,
    signal: stop.signal,
    ...services(process.env, bin, process.stderr),
    setExitCode(code) {
      asked = code;
    },
  };
  return { context, askedCode: () => asked };
}

/** This machine's services for commands. `bin`: the executable script, for starting further processes. */
export function services(
  env: CliContext["env"],
  bin: string,
  stderr: CliContext["stderr"],
): Pick<CliContext, "hostKey" | "startFarm" | "buildHere" | "probeMachine"> {
  return {
    async hostKey() {
      const { describeCpu } = await import("@warpfarm/runner/cpu-facts");
      return describeCpu(1, env).facts.key;
    },
    async startFarm(options: EmbeddedFarmOptions) {
      const { chooseDevice } = await import("../choose-device.ts");
      const { LocalFarm } = await import("../local-farm.ts");
      const chosen = async () => {
        const device = await chooseDevice(options.device, env, options);
        if (device === "cpu") requireCompiler(env.PATH);
        return device;
      };
      const forward = parseDebug(env).level >= 1;
      return LocalFarm.start({
        ...options,
        device: chosen(),
        bin,
        env,
        clock: systemClock,
        ...(forward ? { onLog: (role: string, line: string) => stderr.write(`[${role}] ${line}\n`) } : {}),
      });
    },
    async buildHere(program, options) {
      const { buildHere } = await import("../build-here.ts");
      return buildHere(program, { ...options, env, clock: systemClock });
    },
    async probeMachine(places) {
      const { probeMachine } = await import("../probe-machine.ts");
      return probeMachine(places, env);
    },
  };
}

/** Reports a missing compiler earlier than the builder would, in one sentence. */
function requireCompiler(path: string | undefined): void {
  const names = ["cc", "gcc", "clang"];
  const folders = (path ?? "/usr/bin:/bin").split(delimiter);
  if (folders.some((folder) => names.some((name) => existsSync(join(folder, name))))) return;
  const remedy = "install one (Debian: apt-get install gcc libc6-dev), or give --tracker host:port of a farm elsewhere";
  throw new FarmError(
    "UNAVAILABLE",
    `a farm on this machine needs a C compiler, and none of ${names.join(", ")} is on the path; ${remedy}`,
  );
}

/**
 * An unhandled error ends the process; a stop by a signal has the signal's code. A FarmError is one sentence; anything
 * else is a fault of ours, which may have run for days, so its stack is shown.
 */
export function unheard(error: unknown, signal: AbortSignal, stderr: CliContext["stderr"]): number {
  const isFault = !signal.aborted && !(error instanceof FarmError) && !(error instanceof CliError);
  stderr.write(`warpfarm: ${sentenceOf(signal.aborted ? signal.reason : error)}\n`);
  if (isFault && error instanceof Error) stderr.write(`${error.stack}\n`);
  return exitCodeOf(error, signal);
}

function fail(error: Error): never {
  throw error;
}
