/**
 * Which programs a runner executed, and which results the client had by then: from the runner's own log lines at WARPFARM_DEBUG=1 and the
 * client's log. A program whose result the client has kept must never be executed again.
 */
interface Execution {
  readonly artifact: string;
  readonly at: number;
}

export class ExecutionJournal {
  readonly #executed: Execution[] = [];
  readonly #acknowledged = new Map<string, number>();

  /** One line of the runner's stderr. */
  take(line: string): void {
    if (!line.startsWith("{") || !line.includes('"execute"')) return;
    const { msg, artifact } = JSON.parse(line) as { readonly msg?: string; readonly artifact?: string };
    if (msg === "execute" && artifact !== undefined) this.#executed.push({ artifact, at: performance.now() });
  }

  /** One line of the client's log, first seen now. */
  acknowledged(line: string, at: number): void {
    const { warpfarm } = JSON.parse(line) as { readonly warpfarm: { readonly artifact?: string } };
    const { artifact } = warpfarm;
    if (artifact !== undefined && !this.#acknowledged.has(artifact)) this.#acknowledged.set(artifact, at);
  }

  get executions(): number {
    return this.#executed.length;
  }

  repeated(): readonly string[] {
    return this.#executed
      .filter(({ artifact, at }) => at > (this.#acknowledged.get(artifact) ?? Number.POSITIVE_INFINITY))
      .map((e) => e.artifact);
  }
}
