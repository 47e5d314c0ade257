/**
 * The product of some knobs. A config is a flat index, mixed-radix with the first-defined knob fastest (docs/reference/autotvm.md
 * 1.1, 1.6):
 *
 *   index = digit_0 + size_0 · (digit_1 + size_1 · (digit_2 + ...))
 *
 * Nothing is ever listed: memory is the sum of the knobs' sizes, not their product. Immutable.
 */
import { type Brand, FarmError, invariant, type Json, type Random } from "@warpfarm/common";
import type { Knob } from "./knob.ts";
import { allConfigs, type ValidConfigs } from "./valid-configs.ts";

/** Checks a knob's name: names and values of knobs name a config in logs and records. */
export function checkKnobName(kind: string, name: unknown): void {
  if (typeof name !== "string" || name === "")
    throw new SpaceError(
      `a ${kind} is named ${JSON.stringify(name) ?? String(name)}; a knob's name is a string of one letter or more`,
    );
}

export class SpaceError extends FarmError {
  constructor(message: string) {
    super("INVALID_ARGUMENT", message);
  }
}

/** Position of a config in today's space, an integer in [0, size). Made by ConfigSpace.toIndex alone; never stored as a name. */
export type ConfigIndex = Brand<number, "ConfigIndex">;

export interface ConfigEntity {
  readonly index: ConfigIndex;
  readonly values: ReadonlyMap<string, Json>;
}

export class ConfigSpace {
  readonly knobs: readonly Knob[];
  readonly size: number;
  readonly valid: ValidConfigs;
  readonly #sizes: Float64Array;

  constructor(knobs: readonly Knob[], valid?: ValidConfigs) {
    const names = knobs.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new SpaceError(`two knobs are named ${twice}; each knob of a space takes a name of its own`);
    this.knobs = knobs;
    this.#sizes = Float64Array.from(knobs, (knob) => knob.size);
    this.size = knobs.reduce((product, knob) => product * knob.size, 1);
    if (!Number.isSafeInteger(this.size))
      throw new SpaceError(
        `the space has ${this.size.toPrecision(2)} configs (${knobs.map(({ name, size }) => `${name} ${size}`).join(" x ")}); at most 2^53 are allowed: give knobs fewer values`,
      );
    this.valid = valid ?? allConfigs(this.size);
  }

  contains(value: number): value is ConfigIndex {
    return Number.isSafeInteger(value) && value >= 0 && value < this.size;
  }

  toIndex(value: number): ConfigIndex {
    if (!this.contains(value)) throw new RangeError(`index ${value} is not in this space; it takes 0 to ${this.size - 1}`);
    return value;
  }

  /** Throws RangeError outside [0, size). */
  get(index: number): ConfigEntity {
    const checked = this.toIndex(index);
    const digits = this.digits(checked);
    return { index: checked, values: new Map(this.knobs.map((knob, i) => [knob.name, knob.decode(digits[i] as number)])) };
  }

  /** One digit per knob, in definition order. Writes to `into` if given, for repeated calls. */
  digits(index: ConfigIndex): readonly number[];
  digits(index: ConfigIndex, into: Int32Array): Int32Array;
  digits(index: ConfigIndex, into?: Int32Array): readonly number[] | Int32Array {
    const made = into ?? new Array<number>(this.knobs.length);
    let rest: number = index;
    for (let i = 0; i < this.#sizes.length; i++) {
      const size = this.#sizes[i] as number;
      const digit = rest % size;
      made[i] = digit;
      rest = (rest - digit) / size;
    }
    return made;
  }

  fromDigits(digits: readonly number[]): ConfigIndex {
    invariant(digits.length === this.knobs.length, `${digits.length} digits for ${this.knobs.length} knobs`);
    let index = 0;
    for (let i = this.knobs.length - 1; i >= 0; i--) {
      const knob = this.knobs[i] as Knob;
      const digit = digits[i] as number;
      invariant(digit >= 0 && digit < knob.size, `digit ${digit} of ${knob.name}, which has ${knob.size} entries`);
      index = index * knob.size + digit;
    }
    return this.toIndex(index);
  }

  /**
   * Index of the config with these values; undefined when a knob without an `absent` value is missing, a value is unknown, or
   * there is a knob too many.
   */
  indexOf(values: ReadonlyMap<string, unknown>): ConfigIndex | undefined {
    const named = this.knobs.filter(({ name }) => values.has(name)).length;
    if (named !== values.size) return undefined;
    return this.indexOfValues(this.knobs.map(({ name, absent }) => (values.has(name) ? values.get(name) : absent)));
  }

  /** The same from a value for each knob, in definition order. */
  indexOfValues(values: readonly unknown[]): ConfigIndex | undefined {
    const digits: number[] = [];
    for (const [i, knob] of this.knobs.entries()) {
      const digit = knob.find(values[i]);
      if (digit === undefined) return undefined;
      digits.push(digit);
    }
    return this.fromDigits(digits);
  }

  /** The knobs' features one after the other (AutoTVM's get_flatten_feature). */
  features(index: ConfigIndex): readonly number[] {
    const digits = this.digits(index);
    return this.knobs.flatMap((knob, i) => knob.features(digits[i] as number));
  }

  /** Configs that differ in one knob by one small step of that knob. */
  neighbours(index: ConfigIndex): readonly ConfigIndex[] {
    const digits = this.digits(index);
    return this.knobs.flatMap((knob, i) =>
      knob.neighbours(digits[i] as number).map((digit) => this.fromDigits(digits.map((d, j) => (j === i ? digit : d)))),
    );
  }

  /** A valid config, each as likely as any other. */
  random(random: Random): ConfigIndex {
    return this.toIndex(this.valid.nth(random.below(this.valid.count)));
  }
}
