/**
 * A condition on a space's configs beyond the lists of their knobs. It is evaluated knob by knob: given one more value it is
 * decided, or the rest is a constraint on the other knobs. Constraints with equal `key` allow the same, so counting handles equal
 * rests once.
 */
import { didYouMean, err, type Json, ok, type Result } from "@warpfarm/common";
import { constant, type Expression, type ExprValue, evaluate, isTrue, keyOf, namesOf, substitute } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";

export interface Constraint {
  /** Knobs still without a value, at least one. */
  readonly knobs: ReadonlySet<string>;
  readonly key: string;
  assign(knob: string, value: Json): Constraint | boolean;
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
    assign: (knob, value) =>
      knobsOf().size === 1 && knobsOf().has(knob)
        ? isTrue(evaluate(e, value as ExprValue))
        : residual(substitute(e, knob, constant(value as ExprValue))),
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
      assign: (knob, value) => waiting(new Map([...values, [knob, value]])),
    };
  };
  return waiting(new Map());
}
