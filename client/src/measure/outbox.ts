/**
 * The client's side of one Measure session, without the wire: which inputs were numbered, which the tracker has, which results are safe.
 *
 * Wire sequences are 1, 2, 3 ... in the order inputs are taken. An input is kept until its result is safe, for it is sent again
 * after a reconnect unless accepted, and to a new session if this one is lost. At most `window` inputs sent have no safe result: a receipt
 * goes out before the input that takes its place, so the tracker never counts more.
 */
import type { MeasureInput, ProgramBytes, ProgramDigest, SessionId } from "@warpfarm/common";
import type { MeasureRequest, ProgramRef } from "@warpfarm/proto";

export class Outbox {
  readonly #window: () => number;
  /** By wire sequence, ascending; those whose result is not safe yet. */
  #entries = new Map<number, MeasureInput>();
  #assigned = 0;
  #acceptedThrough = 0;
  #receivedThrough = 0;
  readonly #receivedBeyond = new Set<number>();
  /** Programs the tracker certainly has, by the sequence that carried them. */
  readonly #carried = new Map<ProgramDigest, number>();
  #receiptDue = false;
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #attempt = 0;
  #wakers: (() => void)[] = [];

  constructor(window: () => number) {
    this.#window = window;
  }

  /** Every input was taken and every result is safe. */
  get done(): boolean {
    return this.#ended && this.#entries.size === 0;
  }

  get #safe(): number {
    return this.#receivedThrough + this.#receivedBeyond.size;
  }

  /** Takes inputs as the window allows, until they end or `signal` aborts. */
  fill(inputs: AsyncIterable<MeasureInput>, signal: AbortSignal): void {
    const run = async () => {
      for await (const input of inputs) {
        this.#entries.set(++this.#assigned, input);
        this.#wake();
        while (this.#entries.size >= this.#window() && !signal.aborted) await this.#change();
        if (signal.aborted) return;
      }
      this.#ended = true;
      this.#wake();
    };
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    run().catch((reason) => {
      this.#failure = { reason };
      this.#wake();
    });
  }

  /** Resolves when there is something to send, or there never will be. */
  async first(signal: AbortSignal): Promise<void> {
    while (this.#entries.size === 0 && !this.#ended && !this.#failure && !signal.aborted) await this.#change();
  }

  /** Sequences up to and including this one are durable at the tracker. */
  accepted(through: number): void {
    this.#acceptedThrough = Math.max(this.#acceptedThrough, through);
  }

  /** The input a result answers; undefined when that result is safe already. */
  inputOf(sequence: number): MeasureInput | undefined {
    this.accepted(sequence);
    return this.#entries.get(sequence);
  }

  /** The result is safe with the caller. */
  received(sequence: number): void {
    this.#entries.delete(sequence);
    this.#receivedBeyond.add(sequence);
    while (this.#receivedBeyond.delete(this.#receivedThrough + 1)) this.#receivedThrough++;
    this.#receiptDue = true;
    this.#wake();
  }

  /** The session is gone: what has no safe result is numbered anew for another. */
  restart(): void {
    const inputs = [...this.#entries.values()];
    this.#entries = new Map(inputs.map((input, i) => [i + 1, input]));
    this.#assigned = inputs.length;
    this.#acceptedThrough = 0;
    this.#receivedThrough = 0;
    this.#receivedBeyond.clear();
    this.#carried.clear();
    this.#receiptDue = false;
  }

  /** Messages of one stream of the session; a later call ends the earlier one's. Ends when done. */
  async *requests(sessionId: SessionId): AsyncGenerator<MeasureRequest> {
    const attempt = ++this.#attempt;
    this.#wake();
    for (const [digest, sequence] of this.#carried) if (sequence > this.#acceptedThrough) this.#carried.delete(digest);
    let sent = this.#acceptedThrough;
    this.#receiptDue = this.#receivedBeyond.size > 0;
    yield { kind: "start", sessionId, resumeAfter: this.#receivedThrough };
    while (attempt === this.#attempt) {
      if (this.#failure) throw this.#failure.reason;
      if (this.#receiptDue) {
        this.#receiptDue = false;
        yield {
          kind: "receipt",
          receivedThrough: this.#receivedThrough,
          received: [...this.#receivedBeyond].sort((a, b) => a - b),
        };
      } else if (sent < this.#assigned && sent - this.#safe < this.#window()) yield this.#inputAt(++sent);
      else if (this.done) return;
      else await this.#change();
    }
  }

  #inputAt(sequence: number): MeasureRequest {
    const input = this.#entries.get(sequence);
    if (!input) throw new Error(`sequence ${sequence} has a safe result, yet was not accepted`);
    const { program, reference } = input;
    const request = { kind: "input", sequence, program: this.#ref(program, sequence) } as const;
    return reference ? { ...request, reference: this.#ref(reference, sequence) } : request;
  }

  /** A program travels once; from then on its digest does. */
  #ref(program: ProgramBytes, sequence: number): ProgramRef {
    if (this.#carried.has(program.digest)) return { kind: "digest", digest: program.digest };
    this.#carried.set(program.digest, sequence);
    return { kind: "program", program };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve));
  }
  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}
