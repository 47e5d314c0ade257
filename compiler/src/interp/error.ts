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
