/** A Node process under test: what it said, how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { hear } from "./heard.ts";
import { isAlive } from "./processes.ts";
import { until } from "./until.ts";

export class Spawned {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  said = "";

  /** stdin stays open, because a process that ends with its parent would end when it closes. */
  constructor(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.process = spawn(process.execPath, [script, ...args], {
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) stream?.on("data", (text) => (this.said += text));
    const { process: child } = this;
    hear({ name: [script, ...args].join(" "), said: () => this.said, end: () => child.exitCode ?? child.signalCode });
    this.ended = new Promise((resolve) => this.process.on("exit", (code, signal) => resolve({ code, signal })));
  }
  get pid(): number {
    return this.process.pid ?? 0;
  }
  /** Waits for a match in what it says on either stream. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await until(() => pattern.test(this.said), `${pattern}`).catch(() => {});
    const match = pattern.exec(this.said);
    if (!match) throw new Error(`it did not say ${pattern}; it said: ${this.said}`);
    return match;
  }
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.process.kill(signal);
  }
}

/** Living descendants of a process, by the parents in /proc, including those in other process groups. */
export function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found.slice(1).filter(isAlive);
}
