/**
 * What every package needs to know of a kind of device: how its keys and targets are written, which code runs where, and how
 * times are taken.
 */
export type TimerKind = "cuda_graph" | "events" | "wall";

/** What code is compiled for. A device is one too: its key, read as a target. */
export interface Target {
  readonly kind: string;
  /** Orders the devices of one family: 90 of sm_90, 3 of x86-64-v3. */
  readonly level: number;
  /** What the level does not express: "a" of sm_90a, the family of a processor. */
  readonly features: ReadonlySet<string>;
}

export interface Backend {
  readonly keyWords: readonly string[];
  readonly targetWords: readonly string[];
  readonly atLeastExample: string;
  readonly read: (name: string) => Pick<Target, "level" | "features"> | undefined;
  readonly write: (target: Pick<Target, "level" | "features">) => string;
  /** The device for which a target is named: sm_90 for sm_90a, and a key itself for a key. */
  readonly deviceOf: (target: Target) => Target;
  /** Levels are ordered within a family. */
  readonly familyOf: (target: Target) => string;
  readonly runsOn: (target: Target, device: Target) => boolean;
  readonly targetsOn: (device: Target) => readonly Target[];
  /** The target where the user names none; absent: that of the machine's own processor. */
  readonly usualTarget?: string;
  /** "one": `--device` takes only the name of the backend. "numbered": it also takes a number, as in `cuda:0`. */
  readonly devices: "one" | "numbered";
  readonly timers: readonly TimerKind[];
  /** Least milliseconds of a repeat where none are asked for, in other power states than burst. */
  readonly minRepeatMs: number;
  /** In the power state burst a repeat lasts at most `mostMs`, or is one run, and the device is idle for `idleMs` before it. */
  readonly burst: { readonly mostMs: number; readonly idleMs: number };
  /** Whether programs may contain CUDA source or PTX of clients. */
  readonly takesText: boolean;
  readonly compilerAdvice: string;
  /** TVM's target text, by the part behind the slash, and back from its words and options. */
  readonly tvm: {
    readonly write: (name: string) => string;
    readonly read: (first: string, option: (name: string) => string | undefined) => string | undefined;
  };
}
