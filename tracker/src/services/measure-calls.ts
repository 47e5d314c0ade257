/** Measure calls. Each begins with the name of its session and becomes a stream (measure-stream.ts). */
import { badInput, type FarmError, parseSelector } from "@warpfarm/common";
import { type MeasureRequest, type MessageCall, measureEventToBytes, measureRequestFromBytes } from "@warpfarm/proto";
import { ownerOf } from "../doors/rights.ts";
import type { SentPrograms } from "../doors/sent-programs.ts";
import { Batcher } from "../flow/batcher.ts";
import { acceptInputs } from "../store/sql/accept.ts";
import type { AcceptOutcome, NewInput } from "../store/sql/new-input.ts";
import { type Receipt, receive, receiveThrough, streamStart } from "../store/sql/results.ts";
import { whyGone } from "../store/sql/session-control.ts";
import { leaveSession, type SessionRow, takeSession } from "../store/sql/sessions.ts";
import type { TrackerContext } from "./context.ts";
import { MeasureStream } from "./measure-stream.ts";

/** Nobody waits for a receipt to be stored. A lost one costs a result that is sent twice. */
const receiptsEveryMs = 40;

/** Whether the request may be leased by count now, because any worker may get it. */
const isReady = (outcome: AcceptOutcome | undefined, { avoid = [] }: NewInput): boolean =>
  outcome?.kind === "accepted" && outcome.ready && avoid.length === 0;

type Start = Extract<MeasureRequest, { kind: "start" }>;

export class MeasureCalls {
  readonly #c: TrackerContext;
  readonly #accept: Batcher<NewInput, AcceptOutcome>;
  readonly #received: Batcher<Receipt, void>;
  readonly #sent: SentPrograms;

  constructor(context: TrackerContext, sent: SentPrograms) {
    this.#c = context;
    const { db, clock } = context;
    this.#sent = sent;
    this.#accept = new Batcher((inputs) => this.#acceptAll(inputs), { clock });
    this.#received = new Batcher<Receipt, void>(
      async (receipts) => {
        await receive(db.lazy, receipts);
        return receipts.map(() => undefined);
      },
      { clock, maxItems: 1024, everyMs: receiptsEveryMs },
    );
  }

  /**
   * The first message says whose stream it is; what comes after waits until that is known.
   *
   *   waits for start --start--> begins (paused) --the store knows the session--> streams
   *
   * The end of the inputs fails a call that waits, and is told to a stream once there is one.
   */
  take(call: MessageCall): void {
    let state: MeasureStream | "waits" | "begins" = "waits";
    let hasEnded = false;
    call.onMessage((message) => {
      const request = measureRequestFromBytes(message);
      if (state instanceof MeasureStream) return state.take(request);
      if (request.kind !== "start") throw noStart();
      call.pause();
      state = "begins";
      this.#begin(call, request).then((stream) => {
        state = stream;
        if (hasEnded) stream.inputsEnd();
        call.resume();
      }, call.fail);
    });
    call.onEnd(() => {
      hasEnded = true;
      if (state instanceof MeasureStream) state.inputsEnd();
      else if (state === "waits") call.fail(noStart());
    });
  }

  async #begin(call: MessageCall, start: Start): Promise<MeasureStream> {
    const { sessionId, resumeAfter, takesControl = false, takesTrials = false } = start;
    const { db, sessions, shares, quotas, registry, limits, clock, audit } = this.#c;
    const owner = ownerOf(call.context.principal);
    const { traceparent } = call.context;
    const taken = await takeSession(db, sessionId, limits.idleMs, owner, takesControl && takesTrials, traceparent);
    if (!taken) throw await whyGone(db, sessionId, owner);
    await receiveThrough(db, sessionId, resumeAfter);
    const session = sessions.put(taken, clock.monotonic());
    shares.put(session);
    const stream = new MeasureStream({
      db,
      clock,
      session,
      onIncumbent: (told) => sessions.toldIncumbent(sessionId, told),
      incumbentOn: (device) => sessions.incumbentOf(sessionId, device),
      account: quotas?.accountOf(session.principal),
      selector: parseSelector(session.selector),
      accept: this.#accept,
      receive: this.#received,
      workersOf: (nodes) => registry.workersOf(nodes),
      takesControl,
    });
    sessions.attach(sessionId, stream, session.stream);
    try {
      // Before anything else is read: the next messages name results that this one says are stored.
      stream.begin(await streamStart(db, sessionId));
    } catch (error) {
      await this.#leave(stream, session);
      throw error;
    }
    audit.did("stream_session", call.context, { session: sessionId });
    this.#send(call, stream, session).catch(call.fail);
    return stream;
  }

  async #leave(stream: MeasureStream, { id, stream: number }: SessionRow): Promise<void> {
    const { db, sessions, limits } = this.#c;
    sessions.detach(id, stream);
    await leaveSession(db, id, number, limits.idleMs, limits.buildsOutliveMs);
  }

  async #send(call: MessageCall, stream: MeasureStream, session: SessionRow): Promise<void> {
    try {
      for await (const event of stream.events(call.context.signal))
        if (!call.send(measureEventToBytes(event))) await call.drained();
    } catch (error) {
      call.fail(error);
    }
    await this.#leave(stream, session);
    call.end(); // a client that has seen the end has left
  }

  async #acceptAll(inputs: readonly NewInput[]): Promise<readonly AcceptOutcome[]> {
    const { db, metrics, clock, apply } = this.#c;
    const outcomes = await acceptInputs(db, await this.#sent.marked(inputs), clock.now());
    const accepted = outcomes.filter((o) => o.kind === "accepted");
    metrics.accepted({
      count: accepted.length,
      built: accepted.filter((o) => o.ready).length,
      measured: accepted.filter((o) => o.reused).length,
    });
    apply({
      runs: inputs.filter((input, i) => isReady(outcomes[i], input)).map((input) => input.session),
      others: inputs.filter((input, i) => outcomes[i]?.kind === "accepted" && !isReady(outcomes[i], input)).length,
      finished: [],
    });
    return outcomes;
  }
}

const noStart = (): FarmError => badInput("the first message must be start");
