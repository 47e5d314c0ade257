/**
 * Which programs a runner executed, and when the client was seen to have their results: from the runner's own log lines at
 * WARPFARM_DEBUG=1 and the client's log. A program whose result the client has kept must never be executed again.
 *
 * Both times are of this machine's clock, the runner's taken when the execution began, so a line that reaches us late accuses nobody.
 */
interface Execution {
  readonly artifact: string;
  readonly atMs: number;
}

export class ExecutionJournal {
  readonly #executed: Execution[] = [];
  readonly #acknowledged = new Map<string, number>();

  /** One line of the runner's stderr. */
  take(line: string): void {
    if (!line.startsWith("{") || !line.includes('"execute"')) return;
    const { msg, artifact, time } = JSON.parse(line) as {
      readonly msg?: string;
      readonly artifact?: string;
      readonly time?: number;
    };
    if (msg === "execute" && artifact !== undefined && time !== undefined) this.#executed.push({ artifact, atMs: time });
  }

  /** One line of the client's log, first seen now. */
  acknowledged(line: string, nowMs: number): void {
    const { artifact } = (JSON.parse(line) as { readonly warpfarm: { readonly artifact?: string } }).warpfarm;
    if (artifact !== undefined && !this.#acknowledged.has(artifact)) this.#acknowledged.set(artifact, nowMs);
  }

  get executions(): number {
    return this.#executed.length;
  }

  /** Artifacts executed after their result was seen with the client. */
  repeated(): readonly string[] {
    const late = ({ artifact, atMs }: Execution) => atMs > (this.#acknowledged.get(artifact) ?? Number.POSITIVE_INFINITY);
    return this.#executed.filter(late).map((execution) => execution.artifact);
  }
}
