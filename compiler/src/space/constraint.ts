/**
 * What a space's configs must satisfy beyond the lists of their knobs. A constraint is asked knob by knob: given one more knob's
 * value it is decided, or what is left of it is a constraint over the other knobs. `key` is equal only for constraints that allow
 * the same: whoever counts configs counts equal rests once.
 */
import { didYouMean, err, type Json, ok, type Result } from "@warpfarm/common";
import { constant, type Expression, type ExprValue, evaluateEach, isTrue, keyOf, namesOf, substitute } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";

export interface Constraint {
  /** Knobs still without a value, at least one. */
  readonly knobs: ReadonlySet<string>;
  readonly key: string;
  /** What each of the knob's values leaves of it. */
  narrowed(knob: string, values: readonly Json[]): readonly (Constraint | boolean)[];
  /** Of two open knobs: does it hold with this value of one, by the other's values? Requires that no other is open. */
  holds(knob: string, value: Json, other: string, values: readonly Json[]): readonly boolean[];
}

/** The text's constraint on these knobs; true or false when it uses none; otherwise one sentence. */
export function expressionConstraint(
  text: string,
  knobs: readonly string[],
  constants: Readonly<Record<string, ExprValue>> = {},
): Result<Constraint | boolean, string> {
  const parsed = parseExpression(text, constants);
  if (!parsed.ok) return parsed;
  const unknown = [...namesOf(parsed.value)].find((name) => !knobs.includes(name));
  if (unknown !== undefined)
    return err(
      `${JSON.stringify(text)} uses ${unknown}, which is not a knob${didYouMean(unknown, knobs)}; the knobs are ${knobs.join(", ")}`,
    );
  return ok(residual(parsed.value));
}

function residual(e: Expression): Constraint | boolean {
  if (e.kind === "value") return isTrue(e.value);
  let knobs: ReadonlySet<string> | undefined;
  const knobsOf = () => {
    knobs ??= namesOf(e);
    return knobs;
  };
  return {
    get knobs() {
      return knobsOf();
    },
    key: keyOf(e),
    narrowed: (knob, values) =>
      knobsOf().size === 1 && knobsOf().has(knob)
        ? evaluateEach(e, knob, values as readonly ExprValue[]).map(isTrue)
        : values.map((value) => residual(substitute(e, knob, constant(value as ExprValue)))),
    holds: (knob, value, other, values) =>
      evaluateEach(e, other, values as readonly ExprValue[], { [knob]: value as ExprValue }).map(isTrue),
  };
}

/** A function of some knobs' values. It is called when the last of them has one. */
export function functionConstraint<const Names extends readonly string[]>(
  id: string,
  names: Names,
  holds: (...values: { [K in keyof Names]: never }) => boolean,
): Constraint | boolean {
  const call = holds as unknown as (...values: readonly Json[]) => boolean;
  const waiting = (values: ReadonlyMap<string, Json>): Constraint | boolean => {
    if (values.size === names.length) return call(...names.map((name) => values.get(name) as Json));
    return {
      knobs: new Set(names.filter((name) => !values.has(name))),
      key: `${id}(${names.map((name) => JSON.stringify(values.get(name)) ?? "").join()})`,
      narrowed: (knob, each) => each.map((value) => waiting(new Map([...values, [knob, value]]))),
      holds: (knob, value, other, each) =>
        each.map((last) => waiting(new Map([...values, [knob, value], [other, last]])) === true),
    };
  };
  return waiting(new Map());
}
