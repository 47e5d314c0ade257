/**
 * A record: one config of one task, measured once on one device, with everything known about the measurement. An immutable value.
 * A farm's measurement has all fields. An imported one has what its file had, and its origin says so.
 */
import {
  canonicalJson,
  digestOf,
  type Json,
  type JudgedOutcome,
  type LeaseTimes,
  type MeasureErrorNo,
  type MeasureOptions,
  medianSeconds,
  type Observations,
  type Seconds,
  shortNameOf,
} from "@warpfarm/common";
import type { Standing } from "./standing.ts";

/** The values of a config's knobs: its name. Kinds: `sp` split, `re` reorder, `an` annotate, `ot` any other choice. */
export type Entity = readonly (readonly [name: string, kind: string, value: Json])[];

/** The text of a config, which is the same whatever its index. */
export const nameOfConfig = (entity: Entity): string => canonicalJson(entity);

export const valuesOf = (entity: Entity): Record<string, Json> =>
  Object.fromEntries(entity.map(([name, , value]) => [name, value]));

/** The form of AutoTVM's lines, which also have the index and the code hash of the space in which they were written. */
export interface ConfigJson {
  readonly index: number;
  readonly code_hash: string | null;
  readonly entity: Entity;
}

/** Only a config read from a log has an index. */
export type RecordConfig = Omit<ConfigJson, "index"> & { readonly index?: number };

export type RecordOrigin =
  /** Measured by a farm, for this principal (`local` where no tokens are required). */
  | { readonly kind: "measured"; readonly by: string }
  | { readonly kind: "imported"; readonly by: string; readonly format: string };

export interface RecordDevice {
  /** Match key, `cuda/sm_90`; empty when the file did not tell. */
  readonly key: string;
  /** The model, such as `NVIDIA H100 80GB HBM3`. Key and name together are the kind of a device. */
  readonly name: string;
  /** Identifies the one device. Only the record's owner and admins see it and the node. */
  readonly uuid?: string;
  readonly node?: string;
  readonly driver?: string;
  /** The runner's label `use`: `exclusive` or `shared`. */
  readonly sharing?: string;
}

export type RecordResult =
  | {
      readonly kind: "timed";
      /** Seconds of one run, one entry for each repeat, all kept. Their median is the record's time. */
      readonly costs: readonly Seconds[];
      /** Runs per repeat. */
      readonly number?: number;
      /** Absent when the file does not tell. */
      readonly checked?: boolean;
    }
  | {
      /** Ended early, because a faster kernel was known: its time is only known to be `atLeast` or more. */
      readonly kind: "slower";
      readonly atLeast: Seconds;
      /** Of the repeats that it had. */
      readonly costs: readonly Seconds[];
      readonly number?: number;
      readonly checked?: boolean;
    }
  | { readonly kind: "failed"; readonly errorNo: Exclude<MeasureErrorNo, 0>; readonly rule?: string; readonly message: string };

/** In place of a tuner's name: the config won on another shape or device, and was measured for a suite's tables. */
export const winnersTuner = "winners of a suite";

export interface RecordSearch {
  readonly tuner?: string;
  readonly seed?: number;
  readonly trials?: number;
  /** Position in the tuner's proposals, from 1, and the number of results that it had been told by then. */
  readonly sequence?: number;
  readonly told?: number;
  /** Times of the task on the same device: of the default schedule, and of a library's kernel. */
  readonly defaultSeconds?: Seconds;
  readonly librarySeconds?: Seconds;
}

export interface TuningRecord {
  readonly id: string;
  readonly origin: RecordOrigin;
  readonly task: string;
  readonly args: readonly Json[];
  readonly template?: string;
  readonly templateVersion?: string;
  readonly space?: string;
  readonly search?: RecordSearch;
  /** Absent when the client that measured did not tell it, and in formats that have a trace instead. */
  readonly config?: RecordConfig;
  readonly trace?: Json;
  readonly program?: string;
  readonly artifact?: string;
  /**
   * The digest of the program that the output was compared with. Absent when it was compared with nothing, or the file does not
   * tell.
   */
  readonly reference?: string;
  /** The digest of the computation (computationDigest of common): times of two computations are not compared. */
  readonly computation?: string;
  /** Additions and multiplications of one run, counted from the graph. Absent where there is none. */
  readonly operations?: number;
  /** Build target, `cuda/sm_90a`; empty when the file did not tell. */
  readonly target: string;
  /** Compiler and version, `nvrtc 13.0`. */
  readonly toolchain?: string;
  /** Absent when the failure came before a device was involved. */
  readonly device?: RecordDevice;
  readonly observations?: Observations;
  readonly judged?: JudgedOutcome;
  readonly options?: Partial<MeasureOptions>;
  readonly result: RecordResult;
  readonly buildMs?: number;
  readonly runMs?: number;
  readonly busyMs?: number;
  readonly lease?: LeaseTimes;
  readonly attempt?: number;
  /**
   * Measured interleaved with others: `costs[i]` of the `of` records of this run were taken in round i. `place`: from 1. Absent
   * in an imported record.
   */
  readonly interleaved?: { readonly run: string; readonly place: number; readonly of: number };
  /** Only the record's owner and admins see these two fields. */
  readonly session?: string;
  readonly labels?: Readonly<{ [name: string]: string }>;
  /** Nobody but the owner and admins sees any of the record. */
  readonly private?: boolean;
  /** Set by a farm's store when it is read; never read from a file. Absent where there is one user. */
  readonly standing?: Standing;
  /** The nodes that disagree about its time; only in a record as it is read. */
  readonly why?: string;
  readonly timestampMs: number;
  /** Fields of the record's format that a record has no field for, so the file can be written again. */
  readonly foreign?: { readonly [name: string]: Json };
}

/**
 * The part of a record that other users see: task, config, kind of device, times, failures. They do not see a private record at
 * all. An artifact's digest is left out, because it allows fetching the artifact. A file's other fields are left out too, because
 * they may contain anything.
 */
export function sharedPart(record: TuningRecord): TuningRecord {
  const { session: _, labels: __, artifact: ___, foreign: ____, device, origin, result, id, interleaved, ...shared } = record;
  return {
    ...shared,
    // A measured record's id names its session, and so does the name of its run.
    id: origin.kind === "measured" ? digestOf(id) : id,
    origin: { ...origin, by: "" },
    ...(device === undefined ? {} : { device: withoutPlace(device) }),
    result: result.kind === "failed" ? { ...result, message: "" } : result,
    // So does the name of its run.
    ...(interleaved === undefined ? {} : { interleaved: { ...interleaved, run: digestOf(interleaved.run) } }),
  };
}

/** The part of a record that its claim proves, or that the farm did itself. */
export const provenPart = ({ space: _, search: __, ...proven }: TuningRecord): TuningRecord => proven;

function withoutPlace({ uuid: _, node: __, ...kind }: RecordDevice): RecordDevice {
  return kind;
}

/** The record's time: the median of its repeats; undefined for a failure, and for a kernel that ended early. */
export const secondsOfRecord = ({ result }: TuningRecord): Seconds | undefined =>
  result.kind === "timed" ? medianSeconds(result.costs) : undefined;

/** Names the record in a store, and orders records of one time. */
export const keyOf = ({ id }: Pick<TuningRecord, "id">): string => shortNameOf(id);

/** Names task and args among all tasks. */
export function problemOf({ task, args }: Pick<TuningRecord, "task" | "args">): string {
  const text = `${task}\n${JSON.stringify(args)}`;
  const known = problems.get(text);
  if (known !== undefined) return known;
  const made = shortNameOf(canonicalJson([task, args]));
  if (problems.size >= mostProblems) problems.clear();
  problems.set(text, made);
  return made;
}
const problems = new Map<string, string>();
const mostProblems = 10_000;

/** Names what was measured: the program, or else the config or trace. Records of one name are measurements of the same kernel. */
export const kernelOf = ({ program, config, trace }: TuningRecord): string =>
  program ?? digestOf(canonicalJson(config === undefined ? (trace ?? null) : config.entity));
