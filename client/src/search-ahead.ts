/**
 * Builds ahead of a search (tuner/facts): has the programs built that the tuner names. Before each proposal it tells the tuner
 * what compilers reported since the last one. The log gets that first, so a continued run learns the same at the same places and
 * makes the same proposals.
 */
import type { ProgramBytes, ProgramDigest } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import type { AheadBuilder } from "./measure/builds-ahead.ts";
import type { TuningLog } from "./record/tuning-log.ts";
import type { TunableTask } from "./session.ts";
import { type Built, type CompilerFacts, factsOf } from "./tuner/facts/compiler-facts.ts";
import type { Tuner } from "./tuner/tuner.ts";

export interface AheadOptions {
  readonly builder: AheadBuilder;
  /** Match key of the device, which tells what fits on a multiprocessor. */
  readonly key: string;
}

/** What the tuner learnt after a number of proposals. */
export interface Learnt {
  readonly asked: number;
  readonly built: readonly Built[];
}

export interface AheadCounts {
  /** Configs that were built, and those that did not build. */
  readonly built: number;
  readonly failed: number;
  /** Of the built ones, not measured. */
  readonly unmeasured: number;
}

export class SearchAhead {
  readonly #options: AheadOptions;
  readonly #task: TunableTask;
  readonly #tuner: Tuner;
  readonly #log: TuningLog | undefined;
  /** Requests in order. Without a program the config cannot be instantiated. */
  #wanted = new Map<ConfigIndex, ProgramBytes | undefined>();
  /** By program, because several configs may make the same one. */
  readonly #facts = new Map<ProgramDigest, CompilerFacts | undefined>();
  readonly #built = new Map<ConfigIndex, boolean>();
  readonly #proposed = new Set<ConfigIndex>();

  constructor(options: AheadOptions, task: TunableTask, tuner: Tuner, log: TuningLog | undefined) {
    this.#options = options;
    this.#task = task;
    this.#tuner = tuner;
    this.#log = log;
  }

  /** Of a run that goes on: the tuner knows. */
  replayed(learnt: readonly Learnt[]): void {
    for (const { built } of learnt) this.#note(built);
  }

  proposed(index: ConfigIndex): void {
    this.#proposed.add(index);
  }

  /** Call before a proposal. `asked`: the number of earlier ones. */
  async learn(asked: number): Promise<void> {
    for (const [digest, manifest] of this.#options.builder.take())
      this.#facts.set(digest, manifest && factsOf(manifest, this.#options.key));
    const built: Built[] = [];
    for (const [index, program] of this.#wanted) {
      if (program && !this.#facts.has(program.digest)) continue;
      built.push({ index, facts: program && this.#facts.get(program.digest) });
      this.#wanted.delete(index);
    }
    if (built.length === 0) return;
    await this.#log?.appendLearnt({ asked, built });
    this.#tuner.learn?.(built);
    this.#note(built);
  }

  /** After proposals: what the tuner wants now. */
  want(): void {
    const wanted = new Map<ConfigIndex, ProgramBytes | undefined>();
    for (const index of this.#tuner.wanted?.() ?? []) wanted.set(index, this.#wanted.get(index) ?? this.#programOf(index));
    this.#wanted = wanted;
    this.#options.builder.want([...wanted.values()].filter((program) => program !== undefined));
  }

  get counts(): AheadCounts {
    const built = [...this.#built].filter(([, isBuilt]) => isBuilt).map(([index]) => index);
    return {
      built: built.length,
      failed: this.#built.size - built.length,
      unmeasured: built.filter((index) => !this.#proposed.has(index)).length,
    };
  }

  #note(built: readonly Built[]): void {
    for (const { index, facts } of built) this.#built.set(index, facts !== undefined);
  }

  #programOf(index: ConfigIndex): ProgramBytes | undefined {
    const instance = this.#task.instantiate(index);
    return instance.ok ? instance.value.program : undefined;
  }
}
