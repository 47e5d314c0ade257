/**
 * Which programs a runner executed, and when the client had their results, from the runner's log lines at WARPFARM_DEBUG=1 and
 * the client's log. A program whose result the client has stored must never be executed again. No program is executed twice
 * unless the runner or the tracker ended in between; a farm cannot know what was lost then.
 * All times are by this machine's clock. The runner's times are those at which an execution began, so a log line that is read
 * late is no evidence of a fault.
 */
interface Execution {
  readonly artifact: string;
  readonly atMs: number;
}

/** Executions that the end of a runner can lose: the one that runs, and the one whose outcome was being sent. */
const lostWithARunner = 2;

interface RunnerLine {
  readonly msg?: string;
  readonly artifact?: string;
  readonly time?: number;
}

/** Undefined for a line that is not the runner's log. A runner that ended may leave an incomplete line. */
function parsed(line: string): RunnerLine {
  try {
    return line.startsWith("{") ? (JSON.parse(line) as RunnerLine) : {};
  } catch {
    return {};
  }
}

export class ExecutionJournal {
  readonly #executed: Execution[] = [];
  /** Everything the runner said, with its time. */
  readonly #said: { readonly atMs: number; readonly line: string }[] = [];
  readonly #acknowledged = new Map<string, number>();
  readonly #cuts: { readonly part: "runner" | "tracker"; readonly fromMs: number; readonly toMs: number }[] = [];

  /** One line of the runner's stderr. */
  take(line: string): void {
    const { msg, artifact, time } = parsed(line);
    if (time === undefined) return;
    this.#said.push({ atMs: time, line });
    if (msg === "execute" && artifact !== undefined) this.#executed.push({ artifact, atMs: time });
  }

  /** One line of the client's log, first seen now. */
  acknowledged(line: string, nowMs: number): void {
    const { artifact } = (JSON.parse(line) as { readonly warpfarm: { readonly artifact?: string } }).warpfarm;
    if (artifact !== undefined && !this.#acknowledged.has(artifact)) this.#acknowledged.set(artifact, nowMs);
  }

  /** The runner or the tracker was asked to end at some moment between these times. */
  ended(part: "runner" | "tracker", fromMs: number, toMs: number): void {
    this.#cuts.push({ part, fromMs, toMs });
  }

  get executions(): number {
    return this.#executed.length;
  }

  /** Artifacts executed although the client already had their result. */
  repeated(): readonly string[] {
    const late = ({ artifact, atMs }: Execution) => atMs > (this.#acknowledged.get(artifact) ?? Number.POSITIVE_INFINITY);
    return this.#executed.filter(late).map((execution) => execution.artifact);
  }

  /**
   * Artifacts executed again although no end can have lost the execution before, each with the ends and the runner's lines in
   * between.
   */
  unexplained(): readonly string[] {
    const inOrder = [...this.#executed].sort((a, b) => a.atMs - b.atMs);
    const before = new Map<string, Execution>();
    const accused: string[] = [];
    for (const execution of inOrder) {
      const first = before.get(execution.artifact);
      if (first && !this.#cuts.some((cut) => this.#explains(inOrder, first, execution, cut)))
        accused.push(`${execution.artifact}: ${this.#meanwhile(first, execution)}`);
      before.set(execution.artifact, execution);
    }
    return accused;
  }

  #meanwhile(first: Execution, again: Execution): string {
    const cuts = this.#cuts.map(
      ({ part, fromMs, toMs }) => `${part} asked to end ${fromMs - first.atMs} to ${toMs - first.atMs} ms after it began`,
    );
    const said = this.#said.filter(({ atMs }) => atMs >= first.atMs && atMs <= again.atMs).map(({ line }) => line);
    return [...cuts, ...said].join("\n");
  }

  #explains(
    inOrder: readonly Execution[],
    first: Execution,
    again: Execution,
    { part, fromMs, toMs }: { readonly part: "runner" | "tracker"; readonly fromMs: number; readonly toMs: number },
  ): boolean {
    if (toMs < first.atMs || fromMs > again.atMs) return false;
    const begun = inOrder.filter((e) => e.atMs <= toMs);
    return part === "tracker" || begun.slice(-lostWithARunner).includes(first);
  }
}
