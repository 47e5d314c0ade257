/**
 * The least times of a search by kind of device, which its programs race against: those that its log knew, and those of proposals
 * that were measured since. The default schedule is no proposal, and a search need not be faster than it.
 */
import { medianSeconds } from "@warpfarm/common";
import type { Incumbent } from "@warpfarm/proto";
import type { Answer } from "./outbox.ts";

const kindOf = ({ key, name }: Incumbent): string => `${key} ${name}`;

export class Incumbents {
  readonly #least = new Map<string, Incumbent>();
  /** Kinds whose time the tracker has not heard. */
  #untold = new Set<string>();

  constructor(known: readonly Incumbent[]) {
    for (const time of known) this.#saw(time);
  }

  landed({ input, result }: Pick<Answer, "input" | "result">): void {
    if (input.proposal === undefined || result.kind !== "timed") return;
    const { key, name } = result.device;
    this.#saw({ key, name, seconds: medianSeconds(result.costs) });
  }

  #saw(time: Incumbent): void {
    const kind = kindOf(time);
    if (time.seconds >= (this.#least.get(kind)?.seconds ?? Number.POSITIVE_INFINITY)) return;
    this.#least.set(kind, time);
    this.#untold.add(kind);
  }

  /** A new stream begins: what earlier ones told is forgotten. */
  begin(): void {
    this.#untold = new Set(this.#least.keys());
  }

  /** The next time to tell. */
  next(): Incumbent | undefined {
    const [kind] = this.#untold;
    if (kind === undefined) return undefined;
    this.#untold.delete(kind);
    return this.#least.get(kind);
  }
}
