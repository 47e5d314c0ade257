/** What the interpreter found wrong with a program: never a wrong number returned in silence. */
export type InterpRule =
  | "interp.bounds"
  | "interp.uninitialised"
  | "interp.race"
  | "interp.block_race"
  | "interp.divergence"
  | "interp.alignment"
  | "interp.lane"
  | "interp.on_its_way"
  /** A slot of a channel is touched by one that does not have it, or turns do not follow each other. */
  | "interp.channel"
  /** More bytes come to a turn than it says. */
  | "interp.bytes"
  /** Every thread waits. */
  | "interp.deadlock"
  /** What a matrix product under way adds up or reads is touched, or nothing ever waits for it. */
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
