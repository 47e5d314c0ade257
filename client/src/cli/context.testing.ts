/** Runs one command line in this process with the outside world replaced, and keeps its output. For tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomId, systemClock } from "@warpfarm/common";
import { MemoryStore } from "@warpfarm/records";
import { onTestFinished } from "vitest";
import type { CliContext } from "./context.ts";
import { clientCommands, createProgram, registerCommands, runProgram } from "./index.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory of this test's own, removed when the test ends. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Stores in memory, one for each directory, as long as the function is there: to open one on disk takes 0.5 s. */
export function storesInMemory(): NonNullable<CliContext["openRecords"]> {
  const stores = new Map<string, MemoryStore>();
  return async (directory) => {
    const store = stores.get(directory) ?? new MemoryStore();
    stores.set(directory, store);
    return store;
  };
}

const absent = (what: string) => () => Promise.reject(new Error(`this test has no ${what}`));

export async function runCli(argv: readonly string[], given: Partial<CliContext> = {}): Promise<Said> {
  const home = given.home ?? scratch();
  let stdout = "";
  let stderr = "";
  let asked = 0;
  const context: CliContext = {
    env: {},
    cwd: home,
    home,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    clock: systemClock,
    newId: randomId,
    signal: new AbortController().signal,
    hostKey: async () => "cpu/x86-64-v3",
    startFarm: absent("embedded farm"),
    buildHere: absent("builder"),
    probeMachine: async () => [],
    setExitCode: (code) => {
      asked = code;
    },
    ...given,
  };
  const program = createProgram(context, "0.0.0-test");
  await registerCommands(program, context, clientCommands, argv);
  const code = await runProgram(program, argv, context);
  return { code: code === 0 ? asked : code, stdout, stderr };
}

/** The one sentence of a refusal, or a description of what is wrong with it. Asserts nothing. */
export function oneSentence({ stderr }: Said): string {
  const lines = stderr.trimEnd().split("\n");
  if (lines.length !== 1) return `NOT ONE LINE: ${stderr}`;
  if (/\n\s+at /.test(stderr) || /\bat .*\.(ts|js):\d+/.test(stderr)) return `A STACK: ${stderr}`;
  return lines[0] ?? "";
}
