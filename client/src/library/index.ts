/**
 * The library: searches, measurements, records and exports of a program. Types are here; each function loads its work when it is
 * called, so importing the package costs neither gRPC nor a database nor a device's driver.
 */
import type { Json, MeasureResult } from "@warpfarm/common";
import type { BestQuery, BestRecord, RecordFilter, RecordOrder, TuningRecord } from "@warpfarm/records/query";
import type { SearchMeasure, SearchSpec } from "@warpfarm/records/search";
import type { Template } from "@warpfarm/templates";
import type { ExportFormat } from "../export/files.ts";
import type { FarmDevice } from "../search/farm-device.ts";
import type { TuneEvent, TuneSummary } from "../search/tune-events.ts";

export type { MeasureResult } from "@warpfarm/common";
export type { BestRecord, TuningRecord } from "@warpfarm/records/query";
export type { SearchSpec } from "@warpfarm/records/search";
export type { ExportFormat } from "../export/files.ts";
export type { FarmDevice } from "../search/farm-device.ts";
export type { TuneEvent, TuneSummary } from "../search/tune-events.ts";

/** Ends a call early. It then throws one FarmError, CANCELLED. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface FarmOptions extends CallOptions {
  /** host:port of a tracker, or of several of one farm, separated by commas. Unset = an embedded farm on this machine. */
  readonly address?: string;
  readonly token?: string;
  /** PEM texts: the authority that signed the tracker's certificate, and your own certificate with its key. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The device of an embedded farm: cpu, cuda (any GPU) or cuda:N. Unset = a GPU if one can be used, else the processor. */
  readonly device?: string;
  /** The data folder of an embedded farm. Unset = those of the command line. */
  readonly dataDir?: string;
  readonly cacheDir?: string;
  /** Told in one line of what is noteworthy: a part that was restarted, a lost connection. */
  readonly onNotice?: (message: string) => void;
}

/** A farm that is open. Disposal ends what runs on it, and the processes of an embedded one. */
export interface Farm extends AsyncDisposable {
  /** host:port of its tracker. */
  readonly address: string;
  readonly page: string | undefined;
  /** The devices that live there now. Throws FarmError. */
  devices(options?: CallOptions): Promise<readonly FarmDevice[]>;
}

/** What is tuned: a task that comes with Warpfarm, the file of a template or of a kernel with its spec, or a template. */
export type TaskNamed = string | Template;

/** A search. Fields besides the task are those of a SearchSpec, with the same defaults as `warpfarm tune`. */
export interface SearchAsked extends Omit<SearchSpec, "version" | "task" | "start"> {
  readonly task: TaskNamed;
  /** The spec of a kernel, when it is not beside its file. */
  readonly spec?: string;
  /** What the search knows at first: the farm's records, nothing, or the results in these logs. */
  readonly start?: "farm" | "none" | { readonly logs: readonly string[] };
}

export interface SearchOptions extends CallOptions {
  /** The file that keeps its results, and from which it can be continued. Unset = none. */
  readonly log?: string;
  /** For a log that is continued: for how long from now on. Unset = as its search says. */
  readonly budget?: SearchSpec["budget"];
  /** Told in one line of what is noteworthy. Unset = that of the farm. */
  readonly onNotice?: (message: string) => void;
}

/** A search that is open. Its events can be iterated once; `result` runs it when nobody does. */
export interface Search extends AsyncIterable<TuneEvent>, AsyncDisposable {
  readonly spec: SearchSpec;
  /** How it ended. Rejects with the FarmError that ended it early; its log, if any, has the results so far. */
  readonly result: Promise<TuneSummary>;
}

/**
 * A config of a task: its number in the task's space, `published`, its values by name, or the entity of a record
 * (`best.trial.config.entity`).
 */
export type ConfigNamed =
  | number
  | "published"
  | Readonly<Record<string, Json>>
  | readonly (readonly [name: string, kind: string, value: Json])[];

/** One kernel: a task with one of its configs. */
export interface KernelNamed {
  readonly task: TaskNamed;
  /** By name, or in the task's order. Unset = the documented ones. */
  readonly args?: Json;
  /** Unset = that of the farm's device, or the task's usual one. */
  readonly target?: string;
  /** May be left out where the task has one config. */
  readonly config?: ConfigNamed;
  /** The spec of a kernel, when it is not beside its file. */
  readonly spec?: string;
}

export interface MeasureAsked extends KernelNamed {
  readonly measure?: SearchMeasure;
  /** Conditions on the device, such as `memory>=40GB`. */
  readonly where?: string;
}

/** A farm's records, or those of a log or a folder of logs. */
export type RecordSource = Farm | string;

export interface RecordsAsked extends RecordFilter {
  /** Unset = newest. */
  readonly order?: RecordOrder;
}

export interface BestAsked extends Omit<BestQuery, "args"> {
  /** By name for a task that comes with Warpfarm. Unset = the documented ones. */
  readonly args?: Json;
}

export interface ExportOptions extends CallOptions {
  /** Written here; made when missing. */
  readonly folder: string;
  /** Unset = cuda or c, by the target. cubin, ptx and python are compiled on this machine. */
  readonly format?: ExportFormat;
  /** Prefix of functions and files. Unset = the task's name. */
  readonly name?: string;
}

/**
 * Opens a search on a farm: `asked`, or the path of a log whose search is continued. Throws FarmError INVALID_ARGUMENT for what
 * `asked` says, else what the farm says.
 */
export async function openSearch(farm: Farm, asked: SearchAsked | string, options: SearchOptions = {}): Promise<Search> {
  return (await import("./search.ts")).openSearch(farm, asked, options);
}

/** Builds, checks and times one config on a farm. A candidate that fails is a result; FarmError is the farm's own. */
export async function measure(farm: Farm, asked: MeasureAsked, options: CallOptions = {}): Promise<MeasureResult> {
  return (await import("./measure.ts")).measure(farm, asked, options);
}

/** Records, page by page while they are read. Throws FarmError. */
export async function* records(
  source: RecordSource,
  asked: RecordsAsked = {},
  options: CallOptions = {},
): AsyncGenerator<TuningRecord, void, undefined> {
  yield* (await import("./records.ts")).records(source, asked, options);
}

/** The best of a task on each kind of device that has records, the fastest first. Throws FarmError. */
export async function best(source: RecordSource, asked: BestAsked, options: CallOptions = {}): Promise<readonly BestRecord[]> {
  return (await import("./records.ts")).best(source, asked, options);
}

/** What a program has besides: it needs this machine. */
export interface OnThisMachine {
  /** Opens a farm: an embedded one (tracker, builder, runner as processes), or the one at an address. Throws FarmError. */
  openFarm(options?: FarmOptions): Promise<Farm>;
  /** Writes a kernel for use without Warpfarm, and returns the paths of its files. Throws FarmError. */
  exportKernel(kernel: KernelNamed, options: ExportOptions): Promise<readonly string[]>;
}
