/**
 * The process as a CliContext: environment, signals, and the services that only the composition root can give. The first SIGINT or
 * SIGTERM asks, a second one ends at once (children see their pipe close). A reader that goes away (`| head`) is no error.
 */
import { homedir } from "node:os";
import { type CliContext, type EmbeddedFarmOptions, Interrupted } from "@warpfarm/client/cli";
import { parseDebug, systemClock } from "@warpfarm/common";

export interface Surroundings {
  readonly context: CliContext;
  /** The code a finished command asked for. */
  readonly askedCode: () => number | undefined;
}

export function surroundings(bin: string): Surroundings {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(name === "SIGINT" ? 130 : 143);
      stop.abort(new Interrupted(name));
    });
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
    signal: stop.signal,
    async hostKey() {
      const { describeCpu } = await import("@warpfarm/runner/cpu-facts");
      return describeCpu(1).facts.key;
    },
    async startFarm(options: EmbeddedFarmOptions) {
      const { LocalFarm } = await import("../local-farm.ts");
      const forward = parseDebug(process.env).level >= 1;
      return LocalFarm.start({
        ...options,
        bin,
        env: process.env,
        clock: systemClock,
        ...(forward ? { onLog: (role: string, line: string) => process.stderr.write(`[${role}] ${line}\n`) } : {}),
      });
    },
    async buildHere(program, options) {
      const { buildHere } = await import("../build-here.ts");
      return buildHere(program, { ...options, env: process.env });
    },
    async probeMachine(places) {
      const { probeMachine } = await import("../probe-machine.ts");
      return probeMachine(places, process.env);
    },
    setExitCode(code) {
      asked = code;
    },
  };
  return { context, askedCode: () => asked };
}

function fail(error: Error): never {
  throw error;
}
