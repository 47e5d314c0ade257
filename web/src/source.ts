/** Where the page's data comes from: a tracker's store, or logs in files. Each answers alike; server/ makes HTTP of it. */
import type { RecordOrder } from "@warpfarm/records";
import type {
  Fleet,
  Me,
  Queue,
  RecordDetail,
  RecordSummary,
  RunDetail,
  RunSummary,
  SuiteDetail,
  SuiteSummary,
  TrialColumns,
} from "./api.ts";

/** Who asks. An admin sees and does everything, a client what is its own and what all may see. */
export interface Viewer {
  readonly name: string;
  readonly isAdmin: boolean;
}

export interface RecordsAsked {
  readonly task?: string;
  readonly device?: string;
  readonly outcome?: "timed" | "failed";
  readonly order?: RecordOrder;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface CodeFile {
  /** Letters, digits, dots and dashes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Undefined: there is none such, or not for this viewer. */
export interface PageSource {
  readonly kind: Me["source"];
  runs(viewer: Viewer): Promise<readonly RunSummary[]>;
  run(id: string, viewer: Viewer): Promise<RunDetail | undefined>;
  /** Without the first `after`, and no more than `most`. */
  trials(id: string, after: number, viewer: Viewer, most?: number): Promise<TrialColumns | undefined>;
  record(id: string, viewer: Viewer): Promise<RecordDetail | undefined>;
  /** What was built. */
  code?(id: string, viewer: Viewer): Promise<CodeFile | undefined>;
  records(asked: RecordsAsked, viewer: Viewer): Promise<{ readonly records: readonly RecordSummary[]; readonly next?: string }>;
  /** What a tracker alone has. */
  readonly farm?: {
    fleet(viewer: Viewer): Promise<Fleet>;
    queue(viewer: Viewer): Promise<Queue>;
    suites(viewer: Viewer): Promise<readonly SuiteSummary[]>;
    suite(id: string, viewer: Viewer): Promise<SuiteDetail | undefined>;
    /** Throws FarmError NOT_FOUND: none such, or not the viewer's. */
    stop(run: string, viewer: Viewer): Promise<void>;
    /** Holds it, or lets it go on. Throws as `stop` does. */
    pause(run: string, undo: boolean, viewer: Viewer): Promise<void>;
    /** Throws FarmError INVALID_ARGUMENT, FAILED_PRECONDITION: its client takes no more trials; and as `stop` does. */
    extend(run: string, trials: number, viewer: Viewer): Promise<void>;
    /** Throws FarmError PERMISSION_DENIED, NOT_FOUND. */
    drain(node: string, undo: boolean, viewer: Viewer): Promise<void>;
  };
}
