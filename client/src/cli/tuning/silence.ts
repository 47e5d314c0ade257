/**
 * Explains why no results come. A run without a result for a while asks the tracker why its session waits and until when, and
 * prints the answer. After each report it waits twice as long.
 */
import type { Clock, SessionId } from "@warpfarm/common";
import { waitingWords } from "@warpfarm/common/waiting";
import type { SessionStatus, TrackerConnection } from "@warpfarm/proto";
import { Quiet } from "../../search/quiet.ts";
import type { CliContext } from "../context.ts";

interface SilenceOptions {
  readonly ask: (o: { readonly signal: AbortSignal }) => Promise<readonly SessionStatus[]>;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
}

export const silenceOf = (
  { stderr, clock }: Pick<CliContext, "stderr" | "clock">,
  { admin }: Pick<TrackerConnection, "admin">,
): Silence => new Silence({ ask: (o) => admin.listSessions(o), say: (sentence) => stderr.write(`${sentence}\n`), clock });

const firstMs = 10_000;

export class Silence extends Quiet {
  readonly #o: SilenceOptions;
  #session: SessionId | undefined;

  constructor(options: SilenceOptions) {
    super(options.clock, firstMs);
    this.#o = options;
  }
  /** From now on it is this session that waits. */
  follow(session: SessionId): void {
    this.#session = session;
  }
  protected override async quietFor(ms: number, signal: AbortSignal): Promise<void> {
    // The stream itself reports when the tracker cannot be reached.
    const sessions = await this.#o.ask({ signal }).catch(() => []);
    const own = sessions.find(({ sessionId }) => sessionId === this.#session);
    if (own && !signal.aborted) this.#o.say(`no result for ${Math.round(ms / 1000)} s: ${stateWords(own)}`);
  }
}

function stateWords({ building, ready, running, waiting }: SessionStatus): string {
  const counts = `${building} to build, ${ready} to run, ${running} running`;
  return waiting === undefined ? counts : `${counts}; ${waitingWords(waiting)}`;
}
