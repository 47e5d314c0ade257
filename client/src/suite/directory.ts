/**
 * A suite on disk: one folder.
 *
 *   suite.json        the plan, written once
 *   progress.jsonl    a line for each task that ended, for the time spent, and for a cancellation; a torn last line is dropped
 *   logs/<id>.jsonl   a log of `tune` for each task: every result, synced before it counts
 *   lock              who runs it
 *
 * Nothing else is state: a suite that was killed goes on from these. A task that ended and whose line was lost begins again from
 * its log, finds its rules met, and ends as it did.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { badInput, FarmError, fileFault, shellWord } from "@warpfarm/common";
import { type LockFile, lockFile, lockHolder, replaceFile } from "@warpfarm/common/process";
import { type Log, readLog } from "@warpfarm/records/logs";
import { z } from "zod";
import { appendLine } from "./append-line.ts";
import type { SuitePlan } from "./plan.ts";

const line = z.union([
  z.object({ ended: z.string(), reason: z.string() }),
  z.object({ wall_ms: z.number().nonnegative() }),
  z.object({ cancelled: z.boolean() }),
]);

/** What a plan of ours has at least. */
const planForm = z.looseObject({
  version: z.literal(1),
  name: z.string(),
  tasks: z.array(z.looseObject({ id: z.string(), search: z.looseObject({}), weight: z.number() })),
  budget: z.looseObject({}),
});

export class SuiteDirectory {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
  get #plan(): string {
    return join(this.path, "suite.json");
  }
  get #progress(): string {
    return join(this.path, "progress.jsonl");
  }
  get #lock(): string {
    return join(this.path, "lock");
  }
  logOf(id: string): string {
    return join(this.path, "logs", `${id}.jsonl`);
  }
  get exists(): boolean {
    return existsSync(this.#plan);
  }

  async create(plan: SuitePlan): Promise<void> {
    if (this.exists)
      throw badInput(
        `${this.path} holds a suite already; continue it with warpfarm suite resume ${shellWord(this.path)}, or give another --dir`,
      );
    await mkdir(join(this.path, "logs"), { recursive: true });
    await replaceFile(this.#plan, `${JSON.stringify(plan, null, 1)}\n`);
  }

  async plan(): Promise<SuitePlan> {
    const text = await readFile(this.#plan, "utf8").catch((error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "there is no suite.json in it" : `its suite.json cannot be read: ${fileFault(error)}`;
      throw badInput(`${this.path} is no suite: ${why}`);
    });
    const json = jsonOf(text);
    const { version } = (json ?? {}) as { readonly version?: unknown };
    if (version !== undefined && version !== 1)
      throw badInput(`${this.path} holds a suite of version ${String(version)}; this version reads 1`);
    if (planForm.safeParse(json).success) return json as SuitePlan;
    throw badInput(`${this.path} is no suite: its suite.json was cut off or changed; begin the suite anew, with another --dir`);
  }

  async progress() {
    const text = await readFile(this.#progress, "utf8").catch(() => "");
    const ended = new Map<string, string>();
    let wallMs = 0;
    let isCancelled = false;
    for (const raw of text.split("\n").slice(0, -1)) {
      const { data } = line.safeParse(jsonOf(raw));
      if (data && "ended" in data) ended.set(data.ended, data.reason);
      else if (data && "wall_ms" in data) wallMs = data.wall_ms;
      else if (data) isCancelled = data.cancelled;
    }
    return { ended, wallMs, isCancelled };
  }
  #append(entry: z.output<typeof line>): Promise<void> {
    return appendLine(this.#progress, JSON.stringify(entry));
  }
  ended(id: string, reason: string): Promise<void> {
    return this.#append({ ended: id, reason });
  }
  wall(ms: number): Promise<void> {
    return this.#append({ wall_ms: Math.round(ms) });
  }
  cancel(cancelled: boolean): Promise<void> {
    return this.#append({ cancelled });
  }

  hasLog(id: string): boolean {
    return existsSync(this.logOf(id));
  }
  async log(id: string): Promise<Log | undefined> {
    if (!this.hasLog(id)) return undefined;
    return readLog(await readFile(this.logOf(id), "utf8"), this.logOf(id));
  }

  async isRunning(): Promise<boolean> {
    return (await lockHolder(this.#lock, hostname())) !== undefined;
  }
  lock(): Promise<LockFile> {
    return lockFile(this.#lock, {
      host: hostname(),
      held: ({ pid, host }) =>
        new FarmError(
          "FAILED_PRECONDITION",
          `${this.path} is being run by process ${pid}${host === undefined || host === hostname() ? "" : ` of ${host}`}; wait for its end, or warpfarm suite cancel ${shellWord(this.path)}`,
        ),
    });
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.path, name), text);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
