/** Data source of the page: a tracker's store, or log files. */
import type { RecordOrder, RecordOutcome } from "@warpfarm/records";
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

/** The user of a request. */
export interface Viewer {
  readonly name: string;
  readonly isAdmin: boolean;
}

export interface RecordsAsked {
  readonly task?: string;
  readonly device?: string;
  readonly outcome?: RecordOutcome;
  readonly order?: RecordOrder;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface CodeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Undefined: it does not exist, or not for this viewer. */
export interface PageSource {
  readonly kind: Me["source"];
  runs(viewer: Viewer): Promise<readonly RunSummary[]>;
  run(id: string, viewer: Viewer): Promise<RunDetail | undefined>;
  trials(id: string, after: number, viewer: Viewer, most?: number): Promise<TrialColumns | undefined>;
  record(id: string, viewer: Viewer): Promise<RecordDetail | undefined>;
  code?(id: string, viewer: Viewer): Promise<CodeFile | undefined>;
  records(asked: RecordsAsked, viewer: Viewer): Promise<{ readonly records: readonly RecordSummary[]; readonly next?: string }>;
  readonly farm?: {
    fleet(viewer: Viewer): Promise<Fleet>;
    queue(viewer: Viewer): Promise<Queue>;
    suites(viewer: Viewer): Promise<readonly SuiteSummary[]>;
    suite(id: string, viewer: Viewer): Promise<SuiteDetail | undefined>;
    /** Throws FarmError NOT_FOUND when no such run exists or it is not the viewer's. */
    stop(run: string, viewer: Viewer): Promise<void>;
    /** Holds it, or lets it continue. Throws as `stop` does. */
    pause(run: string, undo: boolean, viewer: Viewer): Promise<void>;
    /** Throws FarmError INVALID_ARGUMENT; FAILED_PRECONDITION when the client takes no more trials; and the errors of `stop`. */
    extend(run: string, trials: number, viewer: Viewer): Promise<void>;
    /** Throws FarmError PERMISSION_DENIED, NOT_FOUND. */
    drain(node: string, undo: boolean, viewer: Viewer): Promise<void>;
  };
}
