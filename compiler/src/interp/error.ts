/**
 * A fault of a program that an interpreter found. `interpretDirectly` alone looks for races (but those of blocks), copies on
 * their way, products in flight, fences and who holds a slot of a channel; `interpret` alone for alignment and for which lane
 * keeps an element of a fragment. Where an interpreter does not look, a wrong number may come without an error.
 */
export type InterpRule =
  | "interp.bounds"
  | "interp.uninitialised"
  | "interp.race"
  | "interp.block_race"
  | "interp.divergence"
  | "interp.alignment"
  | "interp.lane"
  | "interp.on_its_way"
  /** An access to a slot of a channel by an agent that does not hold it, or turns out of order. */
  | "interp.channel"
  /** More bytes come to a turn than it says. */
  | "interp.bytes"
  | "interp.deadlock"
  /** An access to what a matrix product in flight adds to or reads, or a product that nobody waits for. */
  | "interp.in_flight"
  /** The copy engine reads what threads have written without a fence. */
  | "interp.proxy"
  | "interp.dialect"
  | "interp.launch"
  | "interp.arguments"
  | "interp.division_by_zero";

export class InterpError extends Error {
  override readonly name = "InterpError";
  readonly rule: InterpRule;
  constructor(rule: InterpRule, message: string) {
    super(`${message} [${rule}]`);
    this.rule = rule;
  }
}
