/**
 * What everybody must know of a kind of device: how its keys and targets are written, which code runs where, how times are taken.
 */
import type { TimerKind } from "../measure.ts";

/** What code is made for, and what a device is: its key read as a target. */
export interface Target {
  /** Name of the backend, "cuda". */
  readonly kind: string;
  /** Orders the devices of one family: 90 of sm_90, 3 of x86-64-v3. */
  readonly level: number;
  /** What the level does not say: "a" of sm_90a, the family of a processor. */
  readonly features: ReadonlySet<string>;
}

export interface Backend {
  /** Keys and targets as a message lists them: `cuda/sm_NN`. */
  readonly keyWords: readonly string[];
  readonly targetWords: readonly string[];
  /** A selector of the least level, for messages. */
  readonly atLeastExample: string;
  /** What stands behind the slash; undefined for what is no target of this backend. */
  readonly read: (name: string) => Pick<Target, "level" | "features"> | undefined;
  /** The other way round. */
  readonly write: (target: Pick<Target, "level" | "features">) => string;
  /** The device that a target is named for: of sm_90a it is sm_90, of a key itself. */
  readonly deviceOf: (target: Target) => Target;
  /** Levels are ordered within a family. */
  readonly familyOf: (target: Target) => string;
  /** Does code that was built for the target run on the device? */
  readonly runsOn: (target: Target, device: Target) => boolean;
  /** All targets whose code does. */
  readonly targetsOn: (device: Target) => readonly Target[];
  /** What code is made for where nobody says; absent = for the machine's own processor. */
  readonly usualTarget?: string;
  /** `--device` takes the backend's name alone, or with a number: `cuda:0`. */
  readonly devices: "one" | "numbered";
  /** The first is the default. */
  readonly timers: readonly TimerKind[];
  /** Default length of one repeat. */
  readonly minRepeatMs: number;
  /** Takes CUDA source and PTX of clients. */
  readonly takesText: boolean;
  /** Its compilers report registers and spills, which tell of a kernel's time before it is measured. */
  readonly reportsRegisters?: true;
  /** How to get a compiler, as the end of a sentence. */
  readonly compilerAdvice: string;
  /** TVM's target text, by the part behind the slash, and back from its words and options. */
  readonly tvm: {
    readonly write: (name: string) => string;
    readonly read: (first: string, option: (name: string) => string | undefined) => string | undefined;
  };
}
