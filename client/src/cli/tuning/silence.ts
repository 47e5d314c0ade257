/**
 * Explains why no results come. A run without a result for a while asks the tracker why its session waits and until when, and
 * prints the answer. After each report it waits twice as long.
 */
import type { Clock, SessionId } from "@warpfarm/common";
import { waitingWords } from "@warpfarm/common/waiting";
import type { SessionStatus, TrackerConnection } from "@warpfarm/proto";
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
const lookEveryMs = 1_000;

export class Silence implements Disposable {
  readonly #o: SilenceOptions;
  readonly #over = new AbortController();
  #heardAt: number;
  #patienceMs = firstMs;
  #isHeld = false;
  #session: SessionId | undefined;

  constructor(options: SilenceOptions) {
    this.#o = options;
    this.#heardAt = options.clock.monotonic();
    void this.#watch().catch(() => {}); // the end
  }

  /** From now on it is this session that waits. */
  follow(session: SessionId): void {
    this.#session = session;
  }
  heard(): void {
    this.#heardAt = this.#o.clock.monotonic();
    this.#patienceMs = firstMs;
  }
  held(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }
  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    const { clock, ask, say } = this.#o;
    const { signal } = this.#over;
    for (;;) {
      if (this.#isHeld) this.heard();
      const quietMs = clock.monotonic() - this.#heardAt;
      if (quietMs < this.#patienceMs) {
        await clock.sleep(lookEveryMs, { signal });
        continue;
      }
      this.#patienceMs *= 2;
      // The stream itself reports when the tracker cannot be reached.
      const sessions = await ask({ signal }).catch(() => []);
      const own = sessions.find(({ sessionId }) => sessionId === this.#session);
      if (own && !signal.aborted) say(`no result for ${Math.round(quietMs / 1000)} s: ${stateWords(own)}`);
    }
  }
}

function stateWords({ building, ready, running, waiting }: SessionStatus): string {
  const counts = `${building} to build, ${ready} to run, ${running} running`;
  return waiting === undefined ? counts : `${counts}; ${waitingWords(waiting)}`;
}
