/** Parses a command line as the program would, and does nothing else: the real commands with their actions removed. */
import { type CliContext, createProgram } from "@warpfarm/client/cli";
import { FarmError, randomId, systemClock } from "@warpfarm/common";
import { parseTrackerFlags } from "@warpfarm/tracker";
import { CommanderError } from "commander";
import { commands } from "../../src/main.ts";

export interface Parsed {
  readonly command: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Throws the program's error. `words` begin after `warpfarm`. */
export async function parseWarpfarm(words: readonly string[]): Promise<Parsed> {
  const [command = "", ...flags] = words;
  if (command === "tracker") return { command, options: { ...parseTrackerFlags(flags, "/var/lib/warpfarm/tracker") } };
  const unused = () => Promise.reject(new FarmError("INTERNAL", "nothing is run here"));
  let said = "";
  const context: CliContext = {
    env: {},
    cwd: "/",
    home: "/nonexistent",
    stdout: { write: (text: string) => (said += text) },
    stderr: { write: (text: string) => (said += text) },
    clock: systemClock,
    newId: randomId,
    signal: new AbortController().signal,
    hostKey: unused,
    startFarm: unused,
    buildHere: unused,
    probeMachine: unused,
    setExitCode: () => {},
  };
  const program = createProgram(context, "0.0.0");
  const listed = commands[command];
  if (listed) (await listed.load()).register(program, context);
  let options: Record<string, unknown> | undefined;
  for (const each of program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one])))
    each.action(() => {
      options = each.opts();
    });
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    return { command, options: {} };
  }
  if (!options) throw new Error(`no such command: warpfarm ${words.join(" ")}; ${said}`);
  return { command, options };
}
