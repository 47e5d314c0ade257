import {
  AsyncQueue,
  type DeviceFacts,
  defaultMeasureOptions,
  defined,
  type FarmError,
  type MeasureOptions,
  type MeasureResult,
  type PairedOptions,
  type ProgramBytes,
  type SessionId,
} from "@warpfarm/common";
import {
  connect,
  type MeasureEvent,
  type MeasureRequest,
  protocolVersion,
  type RecordsKept,
  type SessionControl,
  type TrackerConnection,
} from "@warpfarm/proto";
import { until } from "../until.ts";
import { target } from "./scripted.ts";
import { provenanceTold, type Told } from "./told.ts";

let requests = 0;

/** A client with one session that sends inputs and collects the results. */
export class ScriptedClient {
  readonly tracker: TrackerConnection;
  session: SessionId | undefined;
  readonly results = new Map<number, MeasureResult>();
  /** Every result message, repeats included. */
  readonly deliveries: number[] = [];
  acceptedThrough = 0;
  /** What it was told of the session. */
  readonly controls: SessionControl[] = [];
  error: FarmError | undefined;
  /** Answer every result with a receipt. */
  receipts = true;
  /** Messages of its streams. */
  #heard = 0;
  #outgoing: AsyncQueue<MeasureRequest> | undefined;
  #reading: Promise<void> | undefined;
  #abort = new AbortController();

  constructor(address: string, token?: string) {
    this.tracker = connect({ address, ...defined({ token }) });
  }

  async open(
    options: Partial<MeasureOptions> = {},
    more: {
      priority?: number;
      weight?: number;
      reuse?: boolean;
      maxInFlight?: number;
      selector?: string;
      requestId?: string;
      continues?: SessionId;
      paired?: PairedOptions;
      provenance?: Told;
      keep?: RecordsKept;
      labels?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const opened = await this.tracker.farm.openSession({
      requestId: more.requestId ?? `request-${++requests}`,
      protocolVersion,
      task: "a task",
      selector: more.selector ?? target,
      options: { ...defaultMeasureOptions("cpu"), check: "none", ...options },
      priority: more.priority ?? 0,
      maxInFlight: more.maxInFlight ?? 64,
      labels: more.labels ?? {},
      ...defined({ weight: more.weight }),
      ...(more.reuse ? { reuse: true } : {}),
      ...(more.paired ? { paired: more.paired } : {}),
      ...(more.provenance ? { provenance: provenanceTold(more.provenance) } : {}),
      ...(more.keep ? { keep: more.keep } : {}),
      ...(more.continues ? { continues: more.continues } : {}),
    });
    this.session = opened.sessionId;
    return opened;
  }

  /** Opens the stream; inputs come by `send`. */
  stream(resumeAfter = 0, takes: { readonly takesControl?: true; readonly takesTrials?: true } = {}): void {
    const { session } = this;
    if (!session) throw new Error("open first");
    const outgoing = new AsyncQueue<MeasureRequest>(10_000);
    this.#outgoing = outgoing;
    this.#abort = new AbortController();
    this.error = undefined;
    outgoing.tryPush({ kind: "start", sessionId: session, resumeAfter, ...takes });
    this.#reading = this.#read(this.tracker.farm.measure(outgoing, { signal: this.#abort.signal })).catch((error: FarmError) => {
      this.error = error;
    });
  }

  async #read(events: AsyncIterable<MeasureEvent>): Promise<void> {
    for await (const event of events) {
      this.#heard++;
      if (event.kind === "accepted") this.acceptedThrough = event.acceptedThrough;
      else if (event.kind === "control") this.controls.push({ paused: event.paused, moreTrials: event.moreTrials });
      else {
        this.results.set(event.sequence, event.result);
        this.deliveries.push(event.sequence);
        if (this.receipts) this.#outgoing?.tryPush({ kind: "receipt", receivedThrough: 0, received: [event.sequence] });
      }
    }
  }

  /** Tells the time that its programs race against on this kind of device. */
  races({ key, name }: Pick<DeviceFacts, "key" | "name">, seconds: number): void {
    this.#outgoing?.tryPush({ kind: "incumbent", key, name, seconds });
  }

  send(sequence: number, program: ProgramBytes | ProgramBytes["digest"], reference?: ProgramBytes): void {
    this.#outgoing?.tryPush({
      kind: "input",
      sequence,
      program: typeof program === "string" ? { kind: "digest", digest: program } : { kind: "program", program },
      ...(reference ? { reference: { kind: "program", program: reference } } : {}),
    });
  }

  raw(request: MeasureRequest): void {
    this.#outgoing?.tryPush(request);
  }

  /** Closes the sending side and waits for the stream's end. */
  async finish(): Promise<void> {
    this.#outgoing?.close();
    await this.#ended();
  }

  /** The limit counts from the last message: a busy machine is slow, and a stream that hangs says nothing. */
  async #ended(): Promise<void> {
    let isOver = false;
    void this.#reading?.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const before = this.#heard;
      await until(() => isOver || this.#heard > before, "the stream to say something or to end");
    }
  }

  /** Cuts the stream off without a word. */
  async cut(): Promise<void> {
    this.#abort.abort();
    await this.#reading;
    this.error = undefined;
  }

  /** The error the stream ended with. */
  async failure(): Promise<FarmError> {
    await this.#ended();
    if (!this.error) throw new Error("the stream ended well");
    return this.error;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#outgoing?.close();
    await this.tracker[Symbol.asyncDispose]();
    await this.#reading;
  }
}
