/**
 * A tracker in memory that follows farm_service.proto exactly and breaks connections on command, for tests of the remote
 * measurer.
 */
import {
  canonicalJson,
  FarmError,
  type MeasureResult,
  type ProgramDigest,
  type SessionId,
  toSessionId,
  toWorkerId,
} from "@warpfarm/common";
import {
  connect,
  type DeviceView,
  type FarmHandlers,
  type FarmSnapshot,
  type Incumbent,
  type MeasureEvent,
  type MeasureRequest,
  measureEventToWire,
  measureRequestFromWire,
  type NodeView,
  type OpenSession,
  openedSessionToWire,
  openSessionFromWire,
  type ProgramRef,
  type RpcServer,
  type SessionControl,
  serve,
  snapshotToWire,
} from "@warpfarm/proto";
import { onTestFinished } from "vitest";
import { freePort } from "../../../test-support/free-port.ts";

/** A live worker of the node "box", which builds and runs nothing unless `more` says so. */
export const nodeView = (role: NodeView["role"], more: Partial<NodeView> = {}): NodeView => ({
  ...{ workerId: toWorkerId(`${role}-${more.node ?? "box"}`), node: "box", role, state: "ACTIVE", devices: [], slots: 0 },
  ...{ targets: [], labels: {}, lastSeenMs: 0, leases: 0, toolchains: [] },
  ...more,
});
export const deviceView = (
  key: string,
  { name = key, node = "box", ...more }: Partial<DeviceView & { name: string; node: string }> = {},
) => ({
  facts: { key, name, uuid: "u", node, driver: "" },
  ...{ memoryBytes: 1, busy: false, limits: {} },
  ...more,
});
/** A builder of two slots and a runner, for devices of these keys. */
export const snapshotOf = (...keys: readonly string[]): FarmSnapshot => ({
  nodes: [
    nodeView("builder", { slots: 2, targets: keys }),
    nodeView("runner", { devices: keys.map((key) => deviceView(key, { memoryBytes: 80e9 })) }),
  ],
  ...{ queues: [], sessions: [] },
});

/** Serves until the test ends. */
export async function fakeTracker(options: FakeTrackerOptions): Promise<FakeTracker> {
  const tracker = new FakeTracker(options);
  const connection = await tracker.start();
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    await tracker[Symbol.asyncDispose]();
  });
  return tracker;
}

interface Session {
  readonly id: SessionId;
  requestId: string;
  maxInFlight: number;
  /** Selector and options: another process must request the same to continue the session. */
  readonly terms: string;
  readonly inputs: { readonly program: ProgramDigest; readonly reference?: ProgramDigest; readonly content: string }[];
  readonly results: Map<number, MeasureResult>;
  readonly received: Set<number>;
  stream: AbortController | undefined;
  readonly wake: Set<() => void>;
}

export interface FakeTrackerOptions {
  readonly execute: (text: string, digest: ProgramDigest) => MeasureResult | Promise<MeasureResult>;
  readonly maxInFlight?: number;
  /** Control messages for a client that takes them, after the accepted message; asked once per stream. */
  readonly control?: (session: SessionId) => SessionControl | undefined;
  /** More trials for a session that ends with a given number of them; absent = none. */
  readonly settle?: (session: SessionId, heard: number) => number | Promise<number>;
  /** The nodes that can measure what a session sends. */
  readonly nodes?: readonly string[];
  /** The answer of ListNodes; absent = the call is refused. */
  readonly snapshot?: FarmSnapshot;
  /**
   * Called before each event is sent. "break" breaks the stream instead, "lose" also forgets the session and its programs,
   * "cancel" ends the session, "abort" says that another stream has it.
   */
  readonly fate?: () => "send" | "break" | "lose" | "cancel" | "abort";
}

export class FakeTracker implements AsyncDisposable {
  readonly executions = new Map<ProgramDigest, number>();
  readonly closed: SessionId[] = [];
  /** Inputs that carried their program's bytes. */
  carried = 0;
  streams = 0;
  /** What the last stream's client takes. */
  begun: Extract<MeasureRequest, { kind: "start" }> | undefined;
  /** The times to beat that its clients told. */
  readonly incumbents: Incumbent[] = [];
  /** The last session that was asked for. */
  asked: OpenSession | undefined;
  readonly #programs = new Map<ProgramDigest, string>();
  readonly #sessions = new Map<SessionId, Session>();
  readonly #o: FakeTrackerOptions;
  #server: RpcServer | undefined;
  #ids = 0;

  constructor(options: FakeTrackerOptions) {
    this.#o = options;
  }
  get sessions(): number {
    return this.#ids;
  }
  get address(): string {
    return `127.0.0.1:${this.#server?.port}`;
  }
  async start() {
    this.#server = await serve({ farm: this.#handlers() }, { listen: `127.0.0.1:${await freePort()}` });
    return connect({ address: this.address });
  }
  /** Stops listening and cuts every connection, but keeps its state. Resolves with a function that comes back. */
  async cut(): Promise<() => Promise<void>> {
    const port = this.#server?.port;
    await this.#server?.close(0);
    return async () => {
      this.#server = await serve({ farm: this.#handlers() }, { listen: `127.0.0.1:${port}` });
    };
  }
  async [Symbol.asyncDispose]() {
    await this.#server?.close(0);
  }

  #handlers(): FarmHandlers {
    const unused = () => {
      throw new FarmError("INTERNAL", "not of this fake");
    };
    return {
      OpenSession: async (wire) => {
        const request = openSessionFromWire(wire);
        this.asked = request;
        const { requestId, maxInFlight: asked, selector, options, continues } = request;
        const maxInFlight = Math.min(asked, this.#o.maxInFlight ?? asked);
        const terms = canonicalJson([selector, { ...options }]);
        let session = [...this.#sessions.values()].find((s) => s.requestId === requestId);
        const earlier = continues && this.#sessions.get(continues);
        if (!session && earlier && earlier.terms === terms) {
          session = Object.assign(earlier, { requestId, maxInFlight });
        } else if (!session) {
          const id = toSessionId(`s-${++this.#ids}`);
          session = {
            id,
            requestId,
            maxInFlight,
            terms,
            inputs: [],
            results: new Map(),
            received: new Set(),
            stream: undefined,
            wake: new Set(),
          };
          this.#sessions.set(id, session);
        }
        const { id, inputs, received } = session;
        return openedSessionToWire({
          sessionId: id,
          maxInFlight,
          idleTimeoutMs: 900_000,
          nodes: this.#o.nodes ?? [],
          selector: "cpu/x86-64-v3",
          acceptedThrough: inputs.length,
          outstanding: inputs
            .map(({ content: _, ...input }, i) => ({ sequence: i + 1, ...input }))
            .filter(({ sequence }) => !received.has(sequence)),
        });
      },
      CloseSession: async ({ session_id }) => {
        this.closed.push(toSessionId(session_id));
        this.#sessions.delete(toSessionId(session_id));
        return {};
      },
      SettleTrials: async ({ session_id, more_trials }) => ({
        more_trials: (await this.#o.settle?.(toSessionId(session_id), more_trials)) ?? more_trials,
      }),
      Measure: (requests, { signal }) => this.#measure(requests, signal),
      ListNodes: async () => (this.#o.snapshot ? { snapshot: snapshotToWire(this.#o.snapshot) } : unused()),
    };
  }

  async *#measure(requests: AsyncIterable<Parameters<typeof measureRequestFromWire>[0]>, signal: AbortSignal) {
    this.streams++;
    const iterator = requests[Symbol.asyncIterator]();
    const first = measureRequestFromWire((await iterator.next()).value as never);
    if (first.kind !== "start") throw new FarmError("INVALID_ARGUMENT", "the first message is start");
    const session = this.#sessions.get(first.sessionId);
    if (!session) throw new FarmError("NOT_FOUND", `no session ${first.sessionId}`);
    this.begun = first;
    const control = first.takesControl ? this.#o.control?.(session.id) : undefined;
    let toldControl = control === undefined;
    session.stream?.abort();
    const mine = new AbortController();
    session.stream = mine;
    for (let s = 1; s <= first.resumeAfter; s++) session.received.add(s);
    const wake = () => {
      for (const f of session.wake) f();
      session.wake.clear();
    };
    signal.addEventListener("abort", wake);
    mine.signal.addEventListener("abort", wake);
    let failure: unknown;
    let ended = false;
    const read = async () => {
      for (;;) {
        const next = await iterator.next();
        if (next.done) break;
        this.#take(session, measureRequestFromWire(next.value));
        wake();
      }
      ended = true;
      wake();
    };
    read().catch((error) => {
      failure = error;
      wake();
    });

    const sent = new Set<number>();
    let accepted = 0;
    for (;;) {
      if (failure) throw failure;
      if (mine.signal.aborted) throw new FarmError("ABORTED", "another stream took this session over");
      signal.throwIfAborted();
      const due = [...session.results.keys()].find((s) => !sent.has(s) && !session.received.has(s));
      let event: MeasureEvent | undefined;
      if (session.inputs.length > accepted) {
        accepted = session.inputs.length;
        event = { kind: "accepted", acceptedThrough: accepted };
      } else if (control && !toldControl) {
        toldControl = true;
        event = { kind: "control", ...control };
      } else if (due !== undefined) {
        sent.add(due);
        event = { kind: "result", sequence: due, result: session.results.get(due) as MeasureResult };
      } else if (
        ended &&
        session.received.size + sent.size >= session.inputs.length &&
        session.results.size === session.inputs.length
      )
        return;
      if (event === undefined) {
        await new Promise<void>((resolve) => session.wake.add(resolve));
        continue;
      }
      const fate = this.#o.fate?.() ?? "send";
      if (fate === "lose") {
        this.#sessions.delete(session.id);
        this.#programs.clear();
      }
      if (fate === "abort") throw new FarmError("ABORTED", "another stream took this session over");
      if (fate === "cancel") throw new FarmError("FAILED_PRECONDITION", `session ${session.id} was cancelled`);
      if (fate !== "send") throw new FarmError("UNAVAILABLE", "broken by the test");
      yield measureEventToWire(event);
    }
  }

  #take(session: Session, request: ReturnType<typeof measureRequestFromWire>): void {
    if (request.kind === "receipt") {
      for (let s = 1; s <= request.receivedThrough; s++) session.received.add(s);
      for (const s of request.received) session.received.add(s);
      return;
    }
    if (request.kind === "incumbent") {
      this.incumbents.push(request);
      return;
    }
    if (request.kind !== "input") throw new FarmError("INVALID_ARGUMENT", "a second start");
    const { sequence, reference } = request;
    const digest = this.#digest(request.program);
    const answer = reference && this.#digest(reference);
    const content = canonicalJson([digest, answer ?? null]);
    const known = session.inputs[sequence - 1];
    if (known) {
      if (known.content !== content) throw new FarmError("ALREADY_EXISTS", `sequence ${sequence} was another program`);
      return;
    }
    if (sequence !== session.inputs.length + 1) throw new FarmError("INVALID_ARGUMENT", `gap before ${sequence}`);
    session.inputs.push({ program: digest, ...(answer ? { reference: answer } : {}), content });
    if (session.inputs.length - session.received.size > session.maxInFlight)
      throw new FarmError("RESOURCE_EXHAUSTED", `more than ${session.maxInFlight} unreceived`);
    this.executions.set(digest, (this.executions.get(digest) ?? 0) + 1);
    void Promise.resolve(this.#o.execute(this.#programs.get(digest) ?? "", digest)).then((result) => {
      session.results.set(sequence, result);
      for (const f of session.wake) f();
      session.wake.clear();
    });
  }

  #digest(ref: ProgramRef): ProgramDigest {
    if (ref.kind === "digest") {
      if (!this.#programs.has(ref.digest)) throw new FarmError("NOT_FOUND", `no program ${ref.digest}`);
      return ref.digest;
    }
    this.carried++;
    this.#programs.set(ref.program.digest, new TextDecoder().decode(ref.program.bytes));
    return ref.program.digest;
  }
}
