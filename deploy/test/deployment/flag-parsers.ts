/**
 * Parses a command line as the program would, and does nothing else: the real commands with their actions removed. Files that
 * flags name do not exist when a manifest is checked, so those of known mounts are created in a scratch directory.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CliContext, createProgram } from "@warpfarm/client/cli";
import { FarmError, randomId, systemClock } from "@warpfarm/common";
import { parseTrackerFlags } from "@warpfarm/tracker";
import { CommanderError } from "commander";
import { commands } from "../../src/main.ts";

export interface Parsed {
  readonly command: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absolute paths that exist where this command runs, and what is in them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Throws the program's error. `words` begin after `warpfarm`. */
export async function parseWarpfarm(words: readonly string[], { env = {}, files = {} }: Surroundings = {}): Promise<Parsed> {
  const [command = "", ...flags] = words;
  if (command === "tracker") return { command, options: parseTracker(flags, env, files) };
  const unused = () => Promise.reject(new FarmError("INTERNAL", "nothing is run here"));
  let said = "";
  const context: CliContext = {
    env,
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
  for (const name of ["tokenFile", "tlsCa"] as const) {
    const path = options[name] ?? env[name === "tokenFile" ? "WARPFARM_TOKEN_FILE" : "WARPFARM_TLS_CA"];
    if (typeof path === "string" && path.startsWith("/etc/") && !(path in files)) throw new Error(`${path} is not mounted there`);
  }
  return { command, options };
}

function parseTracker(
  flags: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  files: Readonly<Record<string, string>>,
): Parsed["options"] {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(directory + path), { recursive: true });
      writeFileSync(directory + path, content);
    }
    const moved = flags.map((flag) =>
      flag.replace(/^((?:--[\w-]+=)?)(\/.*)$/, (all, name: string, path: string) =>
        path in files ? name + directory + path : all,
      ),
    );
    return { ...parseTrackerFlags(moved, "/var/lib/warpfarm/tracker", env.WARPFARM_DATABASE_URL) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
