/**
 * Explains why no results come. A run without a result for a while asks the farm and prints its answer: which workers take no
 * work and why, or what else waits. After each report it waits twice as long.
 */
import { type Clock, countWords, parseSelector, selects } from "@warpfarm/common";
import type { FarmSnapshot, NodeView, TrackerConnection } from "@warpfarm/proto";
import type { CliContext } from "../context.ts";
import { reasonWords } from "../terminal/table.ts";

interface SilenceOptions {
  readonly selector: string;
  readonly target: string;
  readonly ask: (o: { readonly signal: AbortSignal }) => Promise<FarmSnapshot>;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
}

export const silenceOf = (
  { stderr, clock }: Pick<CliContext, "stderr" | "clock">,
  { farm }: Pick<TrackerConnection, "farm">,
  session: Pick<SilenceOptions, "selector" | "target">,
): Silence => new Silence({ ...session, ask: (o) => farm.listNodes(o), say: (sentence) => stderr.write(`${sentence}\n`), clock });

const firstMs = 30_000;
const lookEveryMs = 1_000;

export class Silence implements Disposable {
  readonly #o: SilenceOptions;
  readonly #over = new AbortController();
  #heardAt: number;
  #patienceMs = firstMs;
  #isHeld = false;

  constructor(options: SilenceOptions) {
    this.#o = options;
    this.#heardAt = options.clock.monotonic();
    void this.#watch().catch(() => {}); // the end
  }

  heard(): void {
    this.#heardAt = this.#o.clock.monotonic();
    this.#patienceMs = firstMs;
  }
  held(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.heard();
  }
  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    const { clock, ask, say, selector, target } = this.#o;
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
      const farm = await ask({ signal }).catch(() => undefined);
      if (farm && !signal.aborted) say(`no result for ${Math.round(quietMs / 1000)} s: ${whyWords(farm, selector, target)}`);
    }
  }
}

/** What blocks a session of that selector, as far as the farm knows. */
export function whyWords({ nodes, queues }: FarmSnapshot, selector: string, target: string): string {
  const wanted = parseSelector(selector);
  const live = nodes.filter(({ state }) => state !== "LOST");
  const builders = live.filter(({ role, targets }) => role === "builder" && targets.includes(target));
  const runners = live.filter(({ labels, devices }) =>
    devices.some(({ facts: { key }, memoryBytes }) => selects(wanted, { key, labels, memoryBytes })),
  );
  const queue = queues.find(({ key }) => key === selector);
  const waiting =
    queue && `${queue.waitingBuilds} to build, ${queue.waitingRuns} to run, ${queue.running} running on ${selector}`;
  return [
    builders.length === 0 ? `there is no builder for ${target}` : "",
    runners.length === 0 ? `there is no device ${selector}` : "",
    ...(queue?.unread ?? []),
    ...[...builders, ...runners].filter(({ state }) => state !== "ACTIVE").map(takesNothing),
    ...(waiting === undefined ? [] : [`${waiting}, ${countWords(queue?.idleDevices ?? 0, "device")} idle`]),
  ]
    .filter((words) => words !== "")
    .join("; ");
}

const takesNothing = (view: NodeView): string =>
  `${view.role} ${view.node} takes no work (${reasonWords(view) || view.state.toLowerCase()})`;
