/** The page's one stream of events, for the open view: the runs, the fleet, the queue, or one run with its trials. */
import type { Fleet, Queue, RunSummary, TrialColumns } from "../../src/api.ts";
import { RunData } from "../model/run-data.ts";
import { get, signedOut } from "./api.ts";
import { browserClock, type PageClock } from "./clock.ts";

/** The content of a view; `run` is its summary and its trials. */
export type Shown =
  | { readonly see: "run"; readonly run: string }
  | { readonly see: "runs" | "fleet" | "queue" | ""; readonly run?: undefined };

export interface LiveState {
  readonly runs?: readonly RunSummary[];
  readonly fleet?: Fleet;
  readonly queue?: Queue;
  readonly run?: { readonly id: string; readonly data: RunData; readonly version: number; readonly summary?: RunSummary };
  /** Unix time of the last event when the stream is disconnected. */
  readonly staleSince?: number;
  readonly fault?: string;
}

type Listener = () => void;
/** The server sends something at least every ten seconds. */
const silentMs = 25_000;
const closed = 2;

const openSource = (url: string): EventSource => new EventSource(url);
/** Before the next frame; never 0. */
const nextFrame = (act: () => void): number => requestAnimationFrame(act);

export class Live {
  constructor(clock = browserClock, open = openSource, frame = nextFrame) {
    this.#clock = clock;
    this.#openSource = open;
    this.#nextFrame = frame;
  }
  readonly #clock: PageClock;
  readonly #openSource: typeof openSource;
  readonly #nextFrame: typeof nextFrame;
  #state: LiveState = {};
  #source: EventSource | undefined;
  #shown: Shown = { see: "" };
  #data = new RunData();
  #heardAt = 0;
  #unwatch = () => {};
  #frame = 0;
  #isPaused = false;
  readonly #listeners = new Set<Listener>();

  get state(): LiveState {
    return this.#state;
  }
  get isPaused(): boolean {
    return this.#isPaused;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins, or changes the view's content. */
  show(shown: Shown): void {
    if (this.#source && shown.see === this.#shown.see && shown.run === this.#shown.run) return;
    this.#shown = shown;
    this.#data = new RunData();
    const { staleSince, fault } = this.#state;
    const run = shown.run === undefined ? undefined : { id: shown.run, data: this.#data, version: 0 };
    this.#set({
      ...(staleSince === undefined ? {} : { staleSince }),
      ...(fault === undefined ? {} : { fault }),
      ...(run === undefined ? {} : { run }),
    });
    this.#open();
  }

  end(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#unwatch();
  }

  /** Stops all updates of what is shown until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#tell();
  }
  resume(): void {
    this.#isPaused = false;
    this.#tell();
  }

  #open(): void {
    this.end();
    const { see, run: shown } = this.#shown;
    const after = shown === undefined ? "" : `&run=${encodeURIComponent(shown)}&after=${this.#data.count}`;
    const source = this.#openSource(`/api/events?see=${see}${after}`);
    this.#source = source;
    this.#heardAt = this.#clock.now();
    const on = <T>(name: string, take: (value: T) => void) =>
      source.addEventListener(name, (event) => {
        this.#heard();
        take(JSON.parse((event as MessageEvent<string>).data) as T);
      });
    on<{ runs: readonly RunSummary[] }>("runs", ({ runs }) => this.#set({ ...this.#state, runs }));
    on<Fleet>("fleet", (fleet) => this.#set({ ...this.#state, fleet }));
    on<Queue>("queue", (queue) => this.#set({ ...this.#state, queue }));
    on<RunSummary>("run", (summary) => {
      if (this.#state.run?.id === summary.id) this.#set({ ...this.#state, run: { ...this.#state.run, summary } });
    });
    on<{ run: string; columns: TrialColumns; total: number }>("trials", ({ run, columns, total }) => {
      if (this.#state.run?.id !== run || total - columns.sequence.length !== this.#data.count) return;
      this.#data.append(columns);
      // Columns in pieces are shown once all have arrived.
      if (columns.left > 0) return;
      this.#set({ ...this.#state, run: { ...this.#state.run, version: this.#data.version } });
    });
    on("alive", () => {});
    on<{ code: string; message: string }>("fault", ({ code, message }) => {
      if (code === "UNAUTHENTICATED") signedOut(message);
      else this.#set({ ...this.#state, fault: message });
    });
    source.onopen = () => this.#heard();
    source.onerror = () => {
      this.#cut();
      if (source.readyState !== closed) return;
      // The browser gave up, for instance because the answer is not a stream, and gives no reason; another request gets the
      // reason.
      get("/api/runs").catch(() => {});
      this.#clock.after(2_000, () => this.#source === source && this.#open());
    };
    this.#unwatch = this.#clock.every(5_000, () => {
      if (this.#clock.now() - this.#heardAt > silentMs) {
        this.#cut();
        this.#open();
      }
    });
  }

  #heard(): void {
    this.#heardAt = this.#clock.now();
    if (this.#state.staleSince === undefined && this.#state.fault === undefined) return;
    const { staleSince: _, fault: __, ...rest } = this.#state;
    this.#set(rest);
  }
  #cut(): void {
    if (this.#state.staleSince === undefined) this.#set({ ...this.#state, staleSince: this.#heardAt });
  }

  #set(state: LiveState): void {
    this.#state = state;
    this.#tell();
  }
  #tell(): void {
    if (this.#frame !== 0) return;
    this.#frame = this.#nextFrame(() => {
      this.#frame = 0;
      for (const listener of this.#listeners) listener();
    });
  }
}

export const live = new Live();
