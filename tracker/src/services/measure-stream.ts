/**
 * One Measure stream. Inputs are batched into the store, `accepted` is sent when they are durable, and results are sent as they
 * finish. A client that reads slowly costs this tracker a bounded number of small results and a set of numbers, and others
 * nothing: the rest is read from the store, a few at a time.
 */
import {
  badInput,
  type Clock,
  canonicalJson,
  canReach,
  digestOf,
  FarmError,
  pairedLimits,
  type Selector,
  type WorkerId,
} from "@warpfarm/common";
import {
  type EncodedMeasureEvent,
  type Incumbent,
  type MeasureRequest,
  type ProgramRef,
  programEnvelope,
  type SessionControl,
} from "@warpfarm/proto";
import type { FinishedRun, LiveStream } from "../dispatch/session-book.ts";
import type { Account } from "../doors/quotas.ts";
import type { Batcher } from "../flow/batcher.ts";
import type { Database } from "../store/database.ts";
import type { AcceptOutcome, IncumbentOn, NewInput, ProgramInput } from "../store/sql/new-input.ts";
import { type Receipt, readResults, type StreamStart } from "../store/sql/results.ts";
import type { SessionRow } from "../store/sql/sessions.ts";

const readAtOnce = 32;
/** Results kept in memory for a stream that does not take them. More are read from the store when it does. */
const holdAtMost = 128;
/** The most bytes of a result that is kept. */
const smallBytes = 2_048;
/** Once its receipt is stored nobody names a sequence any more, and late messages arrive within seconds. */
const remembersMs = 300_000;

const sentBytes = (ref: ProgramRef): number => (ref.kind === "digest" ? 0 : ref.program.bytes.length);

const isSame = (a: SessionControl, b: SessionControl): boolean => a.paused === b.paused && a.moreTrials === b.moreTrials;

type InputRequest = Extract<MeasureRequest, { kind: "input" }>;

interface MeasureStreamOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly session: SessionRow;
  readonly onIncumbent: (told: Incumbent) => void;
  /** The time that its client told last for a kind of device. */
  readonly incumbentOn: IncumbentOn;
  readonly account?: Account | undefined;
  readonly selector: Selector;
  readonly accept: Batcher<NewInput, AcceptOutcome>;
  readonly receive: Batcher<Receipt, void>;
  readonly workersOf: (nodes: readonly string[]) => readonly WorkerId[];
  readonly takesControl: boolean;
}

class Received {
  readonly #clock: Clock;
  total = 0;
  /** Everything up to this sequence is received, by the client's word. */
  through = 0;
  /** Recent sequences of this stream: each is counted once, however often it is named. */
  #lately = new Set<number>();
  #before = new Set<number>();
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }
  has(sequence: number): boolean {
    return this.#lately.has(sequence) || this.#before.has(sequence);
  }
  count(sequence: number): void {
    const now = this.#clock.monotonic();
    if (now - this.#since > remembersMs) {
      this.#before = this.#lately;
      this.#lately = new Set();
      this.#since = now;
    }
    this.#lately.add(sequence);
    this.total++;
  }
}

export class MeasureStream implements LiveStream {
  readonly #o: MeasureStreamOptions;
  #read: number;
  #accepted: number;
  #announced: number;
  #control: SessionControl;
  #toldControl: SessionControl | undefined;
  /** Finished and not yet sent on this stream. Has the result if it came by and there was room; otherwise the store has it. */
  #ready = new Map<number, Uint8Array | undefined>();
  readonly #sent = new Set<number>();
  readonly #received: Received;
  #inputsEnded = false;
  #accepting = 0;
  #error: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: MeasureStreamOptions) {
    this.#o = options;
    this.#received = new Received(options.clock);
    const { session } = options;
    this.#read = session.acceptedThrough;
    this.#accepted = session.acceptedThrough;
    this.#announced = -1; // the first thing a client hears is how far it got
    this.#control = session;
    if (!options.takesControl) this.#toldControl = session;
  }

  /**
   * What the store had when this stream was attached. Results that finished since came through `finished` and may be named twice.
   */
  begin({ done, open }: StreamStart): void {
    this.#received.total = this.#accepted - open;
    this.finished(done.map((sequence) => ({ sequence })));
  }

  finished(results: readonly FinishedRun[]): void {
    for (const { sequence, encoded } of results) {
      if (this.#sent.has(sequence) || this.#received.has(sequence)) continue;
      const isHeld = this.#ready.size < holdAtMost && encoded && encoded.length <= smallBytes;
      this.#ready.set(sequence, this.#ready.get(sequence) ?? (isHeld ? encoded : undefined));
    }
    this.#changed();
  }

  changed({ paused, moreTrials }: SessionControl): void {
    if (!this.#o.takesControl || isSame(this.#control, { paused, moreTrials })) return;
    this.#control = { paused, moreTrials };
    this.#changed();
  }

  end(error: unknown): void {
    this.#error ??= { reason: error };
    this.#changed();
  }

  /** Takes a message of the client. Never throws: an error ends the stream through `events`. */
  take(request: MeasureRequest): void {
    if (this.#error) return;
    try {
      if (request.kind === "start") throw badInput("start must be the first message, and only that");
      if (request.kind === "input") this.#input(request);
      else if (request.kind === "incumbent") this.#o.onIncumbent(request);
      else this.#receipt(request.receivedThrough, request.received);
    } catch (error) {
      this.end(error);
    }
  }

  inputsEnd(): void {
    this.#inputsEnded = true;
    this.#changed();
  }

  async *events(signal: AbortSignal): AsyncGenerator<EncodedMeasureEvent> {
    const gone = () => this.end(signal.reason);
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
    for (;;) {
      if (this.#error) throw this.#error.reason;
      if (this.#accepted > this.#announced) {
        this.#announced = this.#accepted;
        yield { kind: "accepted", acceptedThrough: this.#announced };
      } else if (this.#toldControl === undefined || !isSame(this.#control, this.#toldControl)) {
        this.#toldControl = this.#control;
        const { paused, moreTrials } = this.#control;
        yield { kind: "control", paused, moreTrials };
      } else if (this.#ready.size > 0) {
        yield* this.#results();
      } else if (this.#inputsEnded && this.#accepting === 0 && this.#accepted === this.#received.total + this.#sent.size) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  async *#results(): AsyncGenerator<EncodedMeasureEvent> {
    const all = [...this.#ready];
    const asked = all.slice(0, readAtOnce);
    this.#ready = new Map(all.slice(readAtOnce)); // none is deleted: Line of idle-calls.ts says why
    for (const [sequence] of asked) this.#sent.add(sequence); // from here on, so that nobody makes it ready again
    const unread: number[] = [];
    for (const [sequence, encoded] of asked)
      if (!encoded) unread.push(sequence);
      else if (this.#sent.has(sequence)) yield { kind: "result", sequence, encoded };
    if (unread.length === 0) return;
    const results = await readResults(this.#o.db, this.#o.session.id, unread);
    const there = new Set(results.map(({ sequence }) => sequence));
    // A finished sequence without a result was received: a receipt on the previous stream was stored late.
    for (const sequence of unread) if (!there.has(sequence) && this.#sent.delete(sequence)) this.#count(sequence);
    for (const { sequence, encoded } of results) if (this.#sent.has(sequence)) yield { kind: "result", sequence, encoded };
  }

  #count(sequence: number): void {
    this.#received.count(sequence);
    this.#o.account?.received();
  }

  #changed(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #input(input: InputRequest): void {
    const { session, accept, account } = this.#o;
    const { sequence } = input;
    this.#checkOthers(input);
    if (sequence > this.#read + 1)
      throw badInput(`input.sequence is ${sequence}; allowed: at most ${this.#read + 1}, sequences have no gaps`);
    if (sequence === this.#read + 1) {
      if (sequence - this.#received.total > session.maxInFlight)
        throw new FarmError(
          "RESOURCE_EXHAUSTED",
          `with input.sequence ${sequence}, ${sequence - this.#received.total} inputs would be without a receipt; max_in_flight is ${session.maxInFlight}`,
        );
      const sent = [input.program, ...(input.reference ? [input.reference] : []), ...(input.others ?? [])];
      account?.take(sent.reduce((bytes, ref) => bytes + sentBytes(ref), 0));
      this.#read = sequence;
    }
    const { priority, options } = session;
    if (options.check === "reference" && !input.reference)
      throw badInput("input.reference is not set; it is required unless the session's check is NONE");
    const program = this.#program("input.program", input.program);
    const reference =
      options.check === "reference" && input.reference ? this.#program("input.reference", input.reference) : undefined;
    this.#accepting++;
    accept
      .push({
        session: session.id,
        stream: session.stream,
        sequence,
        priority,
        options,
        principal: session.principal,
        program,
        ...(reference ? { reference } : {}),
        ...(session.reuse ? { reuse: this.#nameOf(program, reference), incumbentOn: this.#incumbentOn() } : {}),
        ...this.#inTurns(input),
        ...(input.proposal ? { proposal: JSON.stringify(input.proposal) } : {}),
      })
      .then((outcome) => this.#accept(sequence, outcome))
      .catch((error: unknown) => this.end(error))
      .finally(() => {
        this.#accepting--;
        this.#changed();
      });
  }

  #checkOthers({ others = [], avoidNodes = [] }: InputRequest): void {
    const { paired } = this.#o.session;
    const { least, most } = pairedLimits.programs;
    if (paired === null && others.length + avoidNodes.length > 0)
      throw badInput("input.others and input.avoid_nodes are for sessions opened with paired");
    if (paired !== null && (others.length < least - 1 || others.length >= most))
      throw badInput(`input.others has ${others.length} entries; allowed: ${least - 1} to ${most - 1}`);
  }

  #inTurns({ others, avoidNodes }: InputRequest): Pick<NewInput, "others" | "avoid"> {
    if (others === undefined) return {};
    const avoid = avoidNodes ? this.#o.workersOf(avoidNodes) : [];
    return {
      others: others.map((ref, i) => this.#program(`input.others[${i}]`, ref)),
      ...(avoid.length > 0 ? { avoid } : {}),
    };
  }

  #incumbentOn(): IncumbentOn {
    const { incumbent } = this.#o.session.options;
    return incumbent === "best" ? this.#o.incumbentOn : () => incumbent;
  }

  /** Equal for measurements that must have equal results, if they come to their end. */
  #nameOf(program: ProgramInput, reference: ProgramInput | undefined): string {
    const { selector, options } = this.#o.session;
    const { incumbent: _, ...same } = options;
    return digestOf(canonicalJson([program.digest, reference?.digest ?? "", selector, same]));
  }

  #program(name: string, ref: ProgramRef): ProgramInput {
    if (ref.kind === "digest") return { digest: ref.digest };
    const { digest, bytes } = ref.program;
    const { target, version } = programEnvelope(name, bytes);
    if (!canReach(this.#o.selector, target))
      throw badInput(`${name}: target ${target} does not run on the session's ${this.#o.session.selector}`);
    return { digest, sent: { bytes, target, version } };
  }

  #accept(sequence: number, outcome: AcceptOutcome): void {
    // A sequence that exists may still be news: its batch was stored, but the store's answer was lost.
    if (outcome.kind === "accepted" || (outcome.kind === "same" && sequence > this.#accepted)) {
      this.#accepted = Math.max(this.#accepted, sequence);
      if (outcome.finished) this.finished([{ sequence }]);
      return;
    }
    const refusal = this.#refusal(sequence, outcome);
    if (refusal) this.end(refusal);
  }

  #refusal(sequence: number, outcome: Exclude<AcceptOutcome, { kind: "accepted" }>): FarmError | undefined {
    switch (outcome.kind) {
      case "same":
      case "not_tried": // an earlier input of this stream was refused, and says why
        return undefined;
      case "different":
        return new FarmError("ALREADY_EXISTS", `input.sequence ${sequence} is taken by other programs`);
      case "gap":
        return badInput(`input.sequence is ${sequence}; allowed: at most ${outcome.expected}`);
      case "taken_over":
        return new FarmError("ABORTED", `another stream took session ${this.#o.session.id} over, or it was closed`);
      case "unknown_program":
        return new FarmError("NOT_FOUND", `input.sequence ${sequence}: program ${outcome.digest} is not here; send its bytes`);
    }
  }

  /** Only finished results can be received. Those that a client claims beyond that are still sent to it. */
  #receipt(through: number, beyond: readonly number[]): void {
    const named = new Set(beyond);
    if (through > this.#received.through) {
      this.#received.through = through;
      for (const finished of [this.#sent, this.#ready.keys()])
        for (const sequence of finished) if (sequence <= through) named.add(sequence);
    }
    for (const sequence of named) {
      if (!this.#sent.delete(sequence) && !this.#ready.delete(sequence)) continue;
      this.#count(sequence);
      this.#o.receive.push({ session: this.#o.session.id, sequence }).catch((error: unknown) => this.end(error));
    }
    this.#changed();
  }
}
