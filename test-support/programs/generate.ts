/**
 * Random schedules: moves that people make, with random arguments (moves.ts), then, for every primitive that no move makes, a
 * step with arguments drawn by their types. Local refusals are counted and skipped. When inference refuses, the trace is cut
 * before the step that it blames and grows again.
 */
import { Random } from "@warpfarm/common";
import type { Intrinsic } from "../../compiler/src/ir/intrinsic.ts";
import type { Primitive } from "../../compiler/src/schedule/define-primitive.ts";
import { ScheduleError } from "../../compiler/src/schedule/error.ts";
import { infer } from "../../compiler/src/schedule/infer.ts";
import * as primitives from "../../compiler/src/schedule/primitives/index.ts";
import { replay, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import { loopOf, type State } from "../../compiler/src/schedule/state.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { Draft, type Flavour, NoPlace } from "./draft.ts";
import { attachLoose, composed, type Move, moves } from "./moves.ts";

export type { Flavour };

/** Values for the primitive's arguments in order, drawn by type; undefined when nothing can be drawn for one of them. */
export function drawArguments(
  { args }: Primitive,
  state: State,
  random: Random,
  intrinsics: readonly Intrinsic[] = [],
): readonly unknown[] | undefined {
  const values = args.map(({ type }) => type.draw({ random, state, intrinsics }));
  return values.includes(undefined) ? undefined : values;
}

export class Walk {
  readonly #draft: Draft;
  readonly #refused: Map<string, number>;
  readonly #moves: readonly Move[];

  /** `later`: moves besides those that there always were. */
  constructor(graph: Graph, random: Random, flavour: Flavour, refused: Map<string, number>, later: readonly Move[] = []) {
    this.#draft = new Draft(graph, random, flavour);
    this.#moves = [...moves[flavour], ...later];
    this.#refused = refused;
  }

  /** A schedule with at least `least` steps that inference accepts; undefined when the random moves found none. */
  run(least: number): Schedule | undefined {
    const draft = this.#draft;
    const length = () => draft.sch.trace.length;
    for (let round = 0; round < 12; round++) {
      for (let tries = 0; length() < least && tries < 60; tries++) this.#attempt(draft.pick(this.#moves));
      const found = infer(draft.state);
      if (found.ok) {
        if (length() >= least) return this.#extended();
        continue;
      }
      this.#count(found.error.rule);
      if (found.error.rule === "scope.root" && draft.random.below(4) > 0) this.#attempt(attachLoose);
      else this.#cut(Math.min(found.error.step ?? length() - 1, length() - 1));
    }
    return undefined;
  }

  /**
   * Adds every second primitive that no move makes, where inference accepts it. A separate generator draws them, so that the
   * earlier steps of a seed do not change.
   */
  #extended(): Schedule {
    const draft = this.#draft;
    const random = new Random(draft.sch.trace.length * 64 + draft.stages.length);
    for (const primitive of Object.values<Primitive>(primitives))
      if (!composed.has(primitive.name) && random.below(2) === 0) this.tryDrawn(primitive, random);
    return draft.sch;
  }

  /**
   * Tries a step with arguments drawn by their types and undoes it when inference refuses it. Returns whether the step was kept.
   */
  tryDrawn(primitive: Primitive, random: Random, intrinsics: readonly Intrinsic[] = []): boolean {
    const draft = this.#draft;
    const { length } = draft.sch.trace;
    const values = drawArguments(primitive, draft.state, random, intrinsics);
    if (!values) return false;
    const done = draft.sch.step(primitive, values);
    const refusal = done.ok ? infer(draft.state) : done;
    if (refusal.ok) return true;
    this.#count(refusal.error.rule);
    if (done.ok) this.#cut(length);
    return false;
  }

  #cut(length: number): void {
    const { graph, sch } = this.#draft;
    const kept = replay(graph, sch.trace.slice(0, length));
    if (!kept.ok) throw new Error(`a prefix of an accepted trace is refused: ${kept.error.message}`);
    this.#draft.sch = kept.value;
  }

  #count(rule: string): void {
    this.#refused.set(rule, (this.#refused.get(rule) ?? 0) + 1);
  }

  #attempt(move: Move): void {
    try {
      move(this.#draft);
    } catch (error) {
      if (error instanceof ScheduleError) this.#count(error.rule);
      else if (!(error instanceof NoPlace)) throw error;
    }
  }
}

/** Does any split of the trace leave a rest? */
export const hasRest = (state: State): boolean =>
  state.stages.some((stage) =>
    stage.relations.some((r) => {
      if (r.kind !== "split") return false;
      const product = r.factors.reduce<number>((p, f) => p * (f ?? 1), 1);
      const { extent } = loopOf(state, r.parent);
      return r.factors.includes(null) ? extent % product !== 0 : extent !== product;
    }),
  );
