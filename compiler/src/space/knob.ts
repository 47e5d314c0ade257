/**
 * A knob is one named, ordered, finite list of values; a config picks one entry of each and is named by these values. The order
 * of the entries decides the flat index, by which a search walks the space; AutoTVM's own templates keep its order.
 *
 * A knob answers every question a search asks: size, decode, find, features, neighbours, random.
 */
import type { Json, Random } from "@warpfarm/common";

/** How AutoTVM's records name the kind of a knob: `sp` split, `ot` one of given values (docs/reference/autotvm.md 1.8). */
export type KnobKind = "sp" | "ot";

export interface Knob<V extends Json = Json> {
  readonly name: string;
  readonly kind: KnobKind;
  readonly size: number;
  decode(digit: number): V;
  /** Digit of an entry, undefined when this knob has no such entry. Accepts anything, because it reads logs. */
  find(value: unknown): number | undefined;
  features(digit: number): readonly number[];
  /** Digits one small step away, which a local search may try next. Ascending, without `digit` itself. */
  neighbours(digit: number): readonly number[];
  random(random: Random): number;
  /**
   * The entry of configs that do not name this knob, because they were written before it was added. Without it such configs are
   * not in this space.
   */
  readonly absent?: V;
}
