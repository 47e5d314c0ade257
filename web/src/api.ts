/**
 * What the page asks for and gets, over HTTP: the one file that server and page share. A tracker serves it (from its store), and
 * `warpfarm view LOG...` (from files). All answers are JSON; an error is `{"error":{"code","message"}}` with the HTTP status that
 * fits: 400 bad input, 401 sign in, 403 not yours, 404 none such, 503 the store is away.
 *
 *   GET  /api/me                       -> Me
 *   POST /api/sign-in   {"token"}      -> Me, and a cookie (httpOnly, SameSite=Strict, Secure under TLS)
 *   POST /api/sign-out                 -> {}
 *   GET  /api/runs                     -> {"runs": RunSummary[]}: open ones first, then the newest
 *   GET  /api/runs/ID                  -> RunDetail
 *   GET  /api/runs/ID/trials?after=N   -> TrialColumns, without the first N trials
 *   GET  /api/records/ID               -> RecordDetail
 *   GET  /api/records/ID?code          -> the bytes that were built, as a file
 *   GET  /api/records?...              -> {"records": RecordSummary[], "next"?}
 *                                         parameters: task, device, outcome, order, limit, cursor
 *   GET  /api/fleet                    -> Fleet
 *   GET  /api/queue                    -> Queue
 *   GET  /api/suites                   -> {"suites": SuiteSummary[]}
 *   GET  /api/suites/ID                -> SuiteDetail
 *   POST /api/runs/ID/stop                             -> {}
 *   POST /api/runs/ID/pause {"undo"?}                  -> {}
 *   POST /api/runs/ID/extend {"trials"}                -> {}
 *   POST /api/nodes/NAME/drain {"undo"?}               -> {}
 *   GET  /api/events?run=ID&see=WORDS  -> server-sent events, resumed by Last-Event-ID: `trials` {"run": ID, "columns":
 *     TrialColumns, "total"} of that run, at most two a second. At most one a second of each word of `see` (runs,fleet,queue when
 *     absent): `run` RunSummary of that run, `runs` {"runs": RunSummary[]}, `fleet` Fleet, `queue` Queue. At least every ten
 *     seconds something, if only `alive` {}. Last, when the server ends the stream: `fault` {"code", "message"}
 *
 * All POSTs need the header `x-warpfarm: 1`, which no form of another site can send.
 */
import type { Waiting } from "@warpfarm/common/waiting";
import type { RecordJson } from "@warpfarm/records";
import type { SearchSpec } from "@warpfarm/records/search";

export type Role = "client" | "admin";

export interface Me {
  /** "tracker" has runs, records, sessions, fleet, queue and suites; "files" has runs and records only. */
  readonly source: "tracker" | "files";
  readonly version: string;
  /** Empty when nobody is signed in: the server requires it (`signIn` true), or shows what every client may see. */
  readonly principal: string;
  readonly role: Role;
  readonly signIn: "required" | "possible" | "none";
  /** Why no user can sign in on this connection, as a sentence: it has no TLS and does not begin on the tracker's machine. */
  readonly refusal?: string;
}

export type RunState = "open" | "ended";

export interface RunSummary {
  readonly id: string;
  readonly task: string;
  readonly args: readonly unknown[];
  readonly template?: string;
  readonly tuner?: string;
  readonly device: string;
  readonly deviceName: string;
  readonly principal: string;
  readonly state: RunState;
  readonly accepted: number;
  readonly finished: number;
  readonly failed: number;
  /** Trials of the search, including those added later; unset when the client did not report the number. */
  readonly trials?: number;
  /** Whether its session is held: nothing more is built or run. */
  readonly paused?: true;
  /** Seconds of the best kernel so far. */
  readonly best?: number;
  /** The record of the kernel whose time is `best`. */
  readonly bestId?: string;
  /** Unix time. */
  readonly startedMs: number;
  readonly lastMs: number;
  /** Whether the viewer may change the run; only then are its details shown. */
  readonly mine: boolean;
}

export interface RunDetail extends RunSummary {
  readonly knobs: readonly KnobInfo[];
  readonly search?: SearchSpec;
  /** Seconds; lines of the chart. */
  readonly defaultSeconds?: number;
  readonly librarySeconds?: number;
  readonly space?: string;
  readonly finals?: FinalsDetail;
  readonly running: readonly {
    /** As in the columns of trials; of a session that is no search, its input's. */
    readonly sequence: number;
    readonly node: string;
    readonly sinceMs: number;
    readonly step: "build" | "run";
  }[];
  /** Whether the run is an open session of a tracker whose client takes more trials. */
  readonly takesTrials?: boolean;
  /** Position in the queue for such a device, 0 = next; unset when nothing waits. */
  readonly queuePosition?: number;
}

/** Finalists: configs measured interleaved, fastest first. */
export interface FinalsDetail {
  readonly rounds: number;
  readonly ranks: readonly {
    readonly config: string;
    /** Seconds of one run, with the 95 % interval. */
    readonly seconds: number;
    readonly low: number;
    readonly high: number;
    /** Its comparison with the winner: a sentence. */
    readonly words: string;
  }[];
}

export interface KnobInfo {
  readonly name: string;
  /** JSON texts of the values, in the order of first use; `TrialColumns.config` holds positions in it. */
  readonly values: readonly string[];
}

/** In place of an error's number: the program ended early, because a faster one was known. */
export const endedEarly = -1;

/** Columns of equal length with one entry per trial, in the order in which the trials ended. */
export interface TrialColumns {
  /** The sequences of the trials, from 1; 0 is the default schedule, which a search on a farm measures besides. */
  readonly sequence: readonly number[];
  /** Median seconds of one run; 0 = not timed. */
  readonly seconds: readonly number[];
  /** Seconds that one run takes at least, of a program that ended early; otherwise 0. */
  readonly atLeast: readonly number[];
  /** Half-width of the 95 % interval of the median, relative to the median; 0 = unknown or failed. */
  readonly spread: readonly number[];
  /** 0: timed; endedEarly; else the MeasureErrorNo. */
  readonly errorNo: readonly number[];
  /** Position in `rules`; -1: none. */
  readonly rule: readonly number[];
  readonly rules: readonly string[];
  readonly node: readonly number[];
  readonly nodes: readonly string[];
  /** Milliseconds since `startedMs` of the run, and the device time of the trial. */
  readonly atMs: readonly number[];
  readonly busyMs: readonly number[];
  /** Ids of the records, for /api/records/ID, without their common prefix. */
  readonly id: readonly string[];
  readonly idPrefix: string;
  /** The number of existing trials after these. */
  readonly left: number;
  /**
   * For each knob of RunDetail.knobs, positions in its list of values; -1 = unknown. New values are appended to the knob's list.
   */
  readonly config: readonly (readonly number[])[];
  readonly knobs: readonly KnobInfo[];
}

export interface RecordSummary {
  readonly id: string;
  readonly task: string;
  readonly args: readonly unknown[];
  readonly device: string;
  readonly deviceName: string;
  readonly seconds?: number;
  readonly atLeast?: number;
  readonly errorNo: number;
  readonly rule?: string;
  readonly timestampMs: number;
}

export interface RecordDetail {
  /** The record as `warpfarm records` prints it, without fields that the viewer may not see. */
  readonly record: RecordJson;
  /** What is unusual about its conditions; empty where nothing is. */
  readonly conditions: string;
  readonly seconds?: number;
  readonly interval?: readonly [number, number];
  /** Who reads it and why: `verified by two`. Absent where there is one user. */
  readonly standing?: string;
  /** The canonical program document, when the store has it. The page makes trace, loop nest and CUDA from it. */
  readonly program?: string;
  /** The builder's manifest (registers, shared bytes, spills) and code, when stored. */
  readonly manifest?: { readonly [name: string]: unknown };
  readonly ptx?: string;
  /** The file name of the code, if `?code` gives it. */
  readonly codeFile?: string;
  readonly run?: string;
  readonly others: readonly RecordSummary[];
  /** Shell commands of one line each: one measures the config again, the other exports its kernel. */
  readonly reproduce: string;
  readonly take?: string;
}

/** Intervals of work, begin and end in Unix ms. Gaps are idle time. */
export type Work = readonly (readonly [number, number])[];

export interface FleetDevice {
  readonly key: string;
  readonly name: string;
  readonly memoryBytes: number;
  readonly busy: boolean;
  readonly clockMhz?: number;
  readonly temperatureC?: number;
  /** Drift of the node's own kernels: Unix time, and the time of the kernels divided by the shortest ever measured. */
  readonly drift: readonly (readonly [number, number])[];
  /** Its run and task, when the viewer may know. */
  readonly doing?: string;
  readonly work: Work;
}

export interface FleetNode {
  readonly node: string;
  readonly role: "builder" | "runner";
  readonly state: string;
  /** `detail` is for admins: it may quote anybody's job. */
  readonly reason?: { readonly what: string; readonly detail?: string };
  readonly slots: number;
  readonly leases: number;
  readonly devices: readonly FleetDevice[];
  readonly labels: { readonly [name: string]: string };
  readonly lastSeenMs: number;
  /** The work of a builder; each device of a runner has its own. */
  readonly work: Work;
}

export interface Fleet {
  readonly atMs: number;
  /** Since when work is known, at most ten minutes ago. */
  readonly sinceMs: number;
  readonly nodes: readonly FleetNode[];
}

export interface Queue {
  readonly atMs: number;
  readonly queues: readonly {
    readonly key: string;
    readonly waitingBuilds: number;
    readonly waitingRuns: number;
    readonly running: number;
    readonly devices: number;
    readonly idleDevices: number;
    readonly oldestBuildMs?: number;
    readonly oldestRunMs?: number;
  }[];
  readonly shares: readonly (Share & {
    readonly principal: string;
    /** Its open sessions, which divide its part by their weights. */
    readonly sessions: readonly (Share & {
      readonly id: string;
      readonly task: string;
      readonly weight: number;
      /** Present while something of it waits. */
      readonly waits?: Waiting;
    })[];
  })[];
}

/** Shares of device time, from 0 to 1. */
interface Share {
  readonly entitled: number;
  readonly used: number;
  /** For a principal in the last hour, for a session in all. */
  readonly deviceSeconds: number;
  readonly waiting: number;
  /** Of the results of open sessions: waiting in queues, building, fetching, and timed launches. */
  readonly queueSeconds: number;
  readonly buildSeconds: number;
  readonly transferSeconds: number;
  readonly timedSeconds: number;
}

export interface SuiteSummary {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly tasks: number;
  readonly done: number;
  readonly startedMs: number;
}

export interface SuiteDetail extends SuiteSummary {
  readonly devices: readonly string[];
  /** One row a task; `cells` in the order of `devices`. */
  readonly rows: readonly {
    readonly task: string;
    readonly args: readonly unknown[];
    readonly weight: number;
    readonly cells: readonly {
      readonly state: string;
      readonly trials: number;
      readonly best?: number;
      readonly librarySeconds?: number;
      /** Share of the best after 8, 32, 128, 512 trials. */
      readonly shareAfter: readonly number[];
    }[];
  }[];
  /**
   * Of each of `devices` with a time: the share of the tasks' bests over their device time, and what each source of knowledge
   * brought.
   */
  readonly courses: readonly {
    readonly device: string;
    readonly tasks: number;
    readonly over: readonly { readonly seconds: number; readonly share: number; readonly worst: number }[];
    /** In words, the sources that brought trials. */
    readonly brought: readonly string[];
  }[];
  /** One entry for each shape that was searched on at least two kinds of device. */
  readonly portability: readonly {
    readonly title: string;
    readonly devices: readonly string[];
    /** [made for][run on]: by which share the best config of `made for` is slower there than the best of `run on`. */
    readonly loss: readonly (readonly (number | "fails" | "unmeasured")[])[];
    /** The config with the smallest worst loss among those measured on all devices: its knobs as JSON. */
    readonly common?: { readonly config: string; readonly worstLoss: number };
  }[];
  /** One dispatch table, of few kernels for many shapes, for each template and kind of device with at least two shapes. */
  readonly tables: readonly {
    readonly task: string;
    readonly device: string;
    readonly kernels: readonly string[];
    readonly shapes: readonly {
      readonly args: readonly unknown[];
      readonly label?: string;
      readonly weight: number;
      readonly kernel: number;
      readonly seconds: number;
      readonly bestSeconds: number;
      /** How much slower than the best known, as a share. */
      readonly regret: number;
    }[];
    readonly meanRegret: number;
    readonly worstRegret: number;
    /** Pairs of a winner and a shape without a time: the table does not use that kernel for that shape. */
    readonly unmeasured: number;
  }[];
}

/** From the lowest to the highest: a time has no 0 within its interval, however wide that is. `spread`: as in TrialColumns. */
export const intervalOf = (seconds: number, spread: number): readonly [low: number, high: number] => [
  seconds / (1 + spread),
  seconds * (1 + spread),
];
