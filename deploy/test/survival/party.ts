/**
 * A process under test: started with a plan, killed, waited for. It ends with this process, because its stdin is a pipe from
 * here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { hear } from "../../../test-support/heard.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Party {
  readonly ended: Promise<Exit>;
  /** Resolves when it said a line that matches, with that line; rejects when it ended before. */
  readonly ready: Promise<string>;
  readonly #child: ChildProcess;
  #said = "";
  exit: Exit | undefined;

  constructor(command: string, args: readonly string[], ready: RegExp, env: Readonly<Record<string, string | undefined>>) {
    const child = spawn(command, [...args], { env: { PATH: process.env.PATH, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stdin?.on("error", () => {});
    this.ended = new Promise((resolve) =>
      child.once("exit", (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
      }),
    );
    hear({ name: [command, ...args].join(" "), said: () => this.#said, end: () => child.exitCode ?? child.signalCode });
    let out = "";
    this.ready = new Promise((resolve, reject) => {
      child.stdout?.on("data", (text: Buffer) => {
        out += text.toString();
        const line = out.split("\n").find((l) => ready.test(l));
        if (line !== undefined) resolve(line);
      });
      void this.ended.then(({ code, signal }) =>
        reject(new Error(`it ended (${code ?? signal}) before it was ready:\n${this.#said}`)),
      );
    });
    this.ready.catch(() => {});
    // What is as it should be is not worth keeping.
    if (child.stderr)
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (!line.startsWith('{"level":30')) this.#said = `${this.#said}${line}\n`.slice(-20_000);
      });
  }

  /** A script with its plan, on this Node. */
  static run(path: string, plan: object, node: readonly string[] = []): Party {
    return new Party(process.execPath, [...node, path, JSON.stringify(plan)], /^ready$/, {});
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }
  /** The end of what it wrote to stderr. */
  get said(): string {
    return this.#said;
  }
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
