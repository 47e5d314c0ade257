/**
 * The client's side of one Measure session, without the wire: which inputs were numbered, which the tracker has, which results
 * are safe.
 *
 * Wire sequences are 1, 2, 3 ... in the order inputs are taken. An input is kept until its result came, for it is sent again
 * after a reconnect unless accepted, and to a new session if this one is lost. At most `window` inputs sent have no safe result:
 * a receipt goes out before the input that takes its place, so the tracker never counts more.
 *
 * A session may go on from an earlier process that was killed. What is outstanding there answers the first equal input instead of
 * a new measurement. Until then the tracker keeps its result. Only when the window is full of results that nobody asked for are
 * they kept here alone.
 */
import type { MeasureInput, MeasureResult, ProgramDigest, ProgramName, SessionId } from "@warpfarm/common";
import { type MeasureRequest, maxMaxInFlight, type OpenedSession, type ProgramRef, type Proposal } from "@warpfarm/proto";
import type { Incumbents } from "./incumbents.ts";

export interface Answer {
  readonly input: MeasureInput;
  readonly result: MeasureResult;
  /** Absent when the tracker has dropped the result and need not be told. */
  readonly sequence: number | undefined;
}

/**
 * An input of an earlier process that this one has not requested yet. Without a sequence it has a result, which only this process
 * has.
 */
interface Left {
  readonly reference: ProgramDigest | undefined;
  sequence: number | undefined;
  result: MeasureResult | undefined;
}

/** The messages that the client takes besides results. */
export type Takes = Pick<Extract<MeasureRequest, { kind: "start" }>, "takesControl" | "takesTrials">;

export class Outbox {
  readonly #window: () => number;
  readonly #entries = new Map<number, MeasureInput>();
  readonly #left = new Map<ProgramDigest, Left>();
  #answers: Answer[] = [];
  #held = 0;
  #assigned = 0;
  #acceptedThrough = 0;
  #receivedThrough = 0;
  readonly #receivedBeyond = new Set<number>();
  #untold: number[] = [];
  readonly #carried = new Map<ProgramDigest, number>();
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #attempt = 0;
  #wakers: (() => void)[] = [];

  constructor(window: () => number) {
    this.#window = window;
  }

  get done(): boolean {
    return this.#ended && this.#entries.size + this.#answers.length + this.#held === 0;
  }

  get #safe(): number {
    return this.#receivedThrough + this.#receivedBeyond.size;
  }

  /** Takes inputs as the window allows, until they end or `signal` aborts. */
  fill(inputs: AsyncIterable<MeasureInput>, signal: AbortSignal): void {
    const run = async () => {
      for await (const input of inputs) {
        this.#take(input);
        this.#wake();
        while (this.#entries.size >= this.#window() && !signal.aborted) await this.change();
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

  #take(input: MeasureInput): void {
    const { digest } = input.program;
    const left = this.#left.get(digest);
    if (!left || (left.reference !== undefined && left.reference !== input.reference?.digest)) {
      this.#entries.set(++this.#assigned, input);
      return;
    }
    this.#left.delete(digest);
    const { sequence, result } = left;
    if (result) this.#answers.push({ input, result, sequence });
    else if (sequence !== undefined) this.#entries.set(sequence, input);
  }

  /** Resolves when there is something to send, or never will be. */
  async first(signal: AbortSignal): Promise<void> {
    while (this.#entries.size === 0 && !this.#ended && !this.#failure && !signal.aborted) await this.change();
  }

  /** Numbers all inputs without a result again, for a new session, which may continue an earlier one. */
  begin({ acceptedThrough, outstanding }: Pick<OpenedSession, "acceptedThrough" | "outstanding">): void {
    const inputs = [...this.#entries.values()];
    this.#entries.clear();
    this.#carried.clear();
    this.#receivedBeyond.clear();
    this.#answers = this.#answers.map((answer) => ({ ...answer, sequence: undefined }));
    for (const [program, left] of this.#left)
      if (left.result) left.sequence = undefined;
      else this.#left.delete(program);
    this.#assigned = acceptedThrough;
    this.#acceptedThrough = acceptedThrough;
    const open = new Set(outstanding.map(({ sequence }) => sequence));
    this.#receivedThrough = (outstanding[0]?.sequence ?? acceptedThrough + 1) - 1;
    for (let s = this.#receivedThrough + 1; s <= acceptedThrough; s++) if (!open.has(s)) this.#receivedBeyond.add(s);
    for (const { sequence, program, reference } of outstanding)
      this.#left.set(program, { sequence, reference, result: undefined });
    for (const input of inputs) this.#take(input);
  }

  accepted(through: number): void {
    this.#acceptedThrough = Math.max(this.#acceptedThrough, through);
  }

  /** A result arrived. If it is safe already, its receipt was lost and is sent again. */
  landed(sequence: number, result: MeasureResult): void {
    this.accepted(sequence);
    const input = this.#entries.get(sequence);
    if (input) {
      this.#entries.delete(sequence);
      this.#answers.push({ input, result, sequence });
      return;
    }
    if (this.#answers.some((answer) => answer.sequence === sequence)) return;
    const left = [...this.#left.values()].find((l) => l.sequence === sequence);
    if (left) {
      left.result = result;
      this.#wake();
    } else this.#settle(sequence);
  }

  answer(): Answer | undefined {
    const answer = this.#answers.shift();
    if (answer) this.#held++;
    return answer;
  }

  received({ sequence }: Answer): void {
    this.#held--;
    if (sequence === undefined) this.#wake();
    else this.#settle(sequence);
  }

  #settle(sequence: number): void {
    if (sequence > this.#receivedThrough) this.#receivedBeyond.add(sequence);
    while (this.#receivedBeyond.delete(this.#receivedThrough + 1)) this.#receivedThrough++;
    this.#untold.push(sequence);
    this.#wake();
  }

  #release(): boolean {
    for (const left of this.#left.values()) {
      if (!left.result || left.sequence === undefined) continue;
      this.#settle(left.sequence);
      left.sequence = undefined;
      return true;
    }
    return false;
  }

  /** Messages of one stream of the session. A later call ends the earlier one's. Ends when everything is done. */
  async *requests(sessionId: SessionId, takes: Takes = {}, incumbents?: Incumbents): AsyncGenerator<MeasureRequest> {
    const attempt = ++this.#attempt;
    this.#wake();
    for (const [digest, sequence] of this.#carried) if (sequence > this.#acceptedThrough) this.#carried.delete(digest);
    let sent = this.#acceptedThrough;
    this.#untold = [...this.#receivedBeyond];
    incumbents?.begin();
    yield { kind: "start", sessionId, resumeAfter: this.#receivedThrough, ...takes };
    while (attempt === this.#attempt) {
      if (this.#failure) throw this.#failure.reason;
      const incumbent = incumbents?.next();
      if (incumbent) yield { kind: "incumbent", ...incumbent };
      else if (this.#untold.length > 0) yield this.#receipt();
      else if (sent < this.#assigned && sent - this.#safe < this.#window()) yield this.#inputAt(++sent);
      else if (sent < this.#assigned && this.#release()) continue;
      else if (this.done) return;
      else await this.change();
    }
  }

  #receipt(): MeasureRequest {
    const told = this.#untold.splice(0, maxMaxInFlight);
    const receivedThrough = this.#receivedThrough;
    return { kind: "receipt", receivedThrough, received: told.filter((s) => s > receivedThrough).sort((a, b) => a - b) };
  }

  #inputAt(sequence: number): MeasureRequest {
    const input = this.#entries.get(sequence);
    if (!input) throw new Error(`sequence ${sequence} has a result, yet was not accepted`);
    const { program, reference, others, avoidNodes, proposal } = input;
    return {
      kind: "input",
      sequence,
      program: this.#ref(program, sequence),
      ...(reference ? { reference: this.#ref(reference, sequence) } : {}),
      ...(others ? { others: others.map((other) => this.#ref(other, sequence)) } : {}),
      ...(avoidNodes ? { avoidNodes } : {}),
      ...(proposal ? proposalOf(proposal) : {}),
    };
  }

  #ref(program: ProgramName, sequence: number): ProgramRef {
    if (!("bytes" in program) || this.#carried.has(program.digest)) return { kind: "digest", digest: program.digest };
    this.#carried.set(program.digest, sequence);
    return { kind: "program", program };
  }

  change(): Promise<"changed"> {
    return new Promise((resolve) => this.#wakers.push(() => resolve("changed")));
  }
  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

/** A config that is too long for the wire is left out of its record. */
const longestConfig = 16 * 1024;

function proposalOf({ config, trial, told }: NonNullable<MeasureInput["proposal"]>): { readonly proposal: Proposal } | undefined {
  const text = JSON.stringify(config);
  return Buffer.byteLength(text) > longestConfig ? undefined : { proposal: { config: text, trial, told } };
}
