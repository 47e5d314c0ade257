/**
 * Runs one command line in this process as the executable does, in the directory and environment of a place. For tests of what a
 * command does and says: a process of its own takes a third of a second of a processor. Tests of signals, of what a process loads
 * and of servers start the executable (warpfarm-process.ts).
 */
import { type CliContext, createProgram, registerCommands, runProgram } from "@warpfarm/client/cli";
import { randomId, systemClock } from "@warpfarm/common";
import { bundled } from "../../test-support/bundles.ts";
import { buildHere } from "../src/build-here.ts";
import { services } from "../src/cli/surroundings.ts";
import { commands } from "../src/main.ts";
import { bin, type Finished, type Place } from "./warpfarm-process.ts";

export async function command(place: Place, argv: readonly string[], cwd = place.directory): Promise<Finished> {
  const said = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof said) => ({
    write(text: string | Uint8Array) {
      said[name] += typeof text === "string" ? text : Buffer.from(text).toString();
    },
  });
  const [stdout, stderr] = [sink("stdout"), sink("stderr")];
  let asked = 0;
  const context = {
    ...{ env: place.env, cwd, home: place.directory, stdout, stderr, clock: systemClock, newId: randomId },
    signal: new AbortController().signal,
    ...services(place.env, bin(), stderr),
    buildHere: ((program, options) =>
      buildHere(program, {
        ...{ ...options, env: place.env, clock: systemClock, module: bundled("builder/dist/worker/child") },
      })) satisfies CliContext["buildHere"],
    setExitCode(code: number) {
      asked = code;
    },
  };
  const program = createProgram(context, "0.0.0-test");
  await registerCommands(program, context, commands, argv);
  const code = await runProgram(program, argv, context);
  return { code: code === 0 ? asked : code, signal: null, ...said };
}
