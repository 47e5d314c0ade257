/**
 * How a template says what may vary. Each call defines the next knob and returns its handle; later `bindKnobs` turns the handles
 * into one config's values. No string pairs a knob with its axis or a value with its use.
 *
 *   const tileF = space.split("tile_f", f, { parts: 4 });     // handle
 *   const { tileF } = bindKnobs(handles, space, index);       // tileF.apply(sch) splits f
 */
import type { Json } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, SpaceError } from "./config-space.ts";
import type { Knob } from "./knob.ts";
import { type ChoiceKnob, type ChoiceOptions, choiceKnob } from "./knobs/choice.ts";
import { type KnobAxis, type SplitKnob, type SplitOptions, type SplitSizes, splitKnob } from "./knobs/split.ts";

export class SpaceBuilder {
  readonly #knobs: Knob[] = [];

  split<Loop>(name: string, axis: KnobAxis<Loop>, options: SplitOptions): SplitKnob<Loop> {
    const knob = splitKnob(name, axis, options);
    this.#knobs.push(knob);
    return knob;
  }

  choice<const V extends Json>(name: string, values: readonly V[], options: ChoiceOptions<NoInfer<V>> = {}): ChoiceKnob<V> {
    const knob = choiceKnob<V>(name, values, options);
    this.#knobs.push(knob);
    return knob;
  }

  build(): ConfigSpace {
    return new ConfigSpace(this.#knobs);
  }
}

export interface Splits<Loop> {
  split(loop: Loop, factors: readonly (number | null)[]): readonly Loop[];
}

export interface SplitChoice<Loop = unknown> {
  readonly sizes: SplitSizes;
  apply(schedule: Splits<Loop>, loop?: Loop): readonly Loop[];
}

/** Handles as `bindKnobs` returns them: a split becomes a SplitChoice, a choice its value. */
export type Bound<Handles> = {
  readonly [K in keyof Handles]: Handles[K] extends SplitKnob<infer Loop>
    ? SplitChoice<Loop>
    : Handles[K] extends ChoiceKnob<infer V>
      ? V
      : never;
};

export type KnobHandles = Readonly<Record<string, SplitKnob | ChoiceKnob>>;

/** The values that config `index` of `space` gives to these handles of it. */
export function bindKnobs<Handles extends KnobHandles>(handles: Handles, space: ConfigSpace, index: ConfigIndex): Bound<Handles> {
  const digits = space.digits(index);
  const bound: Record<string, unknown> = {};
  for (const [key, handle] of Object.entries(handles)) {
    const digit = digits[space.knobs.indexOf(handle as Knob)];
    if (digit === undefined) throw new SpaceError(`knob ${handle.name} is not of this space; return knobs that this space made`);
    bound[key] = handle.kind === "sp" ? splitChoice(handle, digit) : handle.decode(digit);
  }
  return bound as Bound<Handles>;
}

function splitChoice<Loop>(knob: SplitKnob<Loop>, digit: number): SplitChoice<Loop> {
  const sizes = knob.decode(digit);
  const factors = [null, ...sizes.slice(1)];
  return { sizes, apply: (schedule, loop = knob.axis.loop) => schedule.split(loop, factors) };
}
