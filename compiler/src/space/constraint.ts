/**
 * What a space's configs must satisfy beyond the lists of their knobs. A constraint is asked knob by knob: given one more knob's
 * value it is decided, or what is left of it is a constraint over the other knobs. `key` is equal only for constraints that allow
 * the same: whoever counts configs counts equal rests once.
 */
import { didYouMean, err, type Json, ok, type Result } from "@warpfarm/common";
import {
  apply,
  constantOf,
  type Expression,
  type ExprValue,
  evaluateEach,
  Fault,
  isTrue,
  keyOf,
  namesOf,
  substitute,
} from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";

export interface Constraint {
  /** Knobs still without a value. None: it cannot be decided with the values given, for the reason of `fault`. */
  readonly knobs: ReadonlySet<string>;
  readonly key: string;
  narrowed(knob: string, values: readonly Json[]): readonly Left[];
  /**
   * Whether two open knobs allow each other: does it hold with this value of one, by the other's values? Requires that no other
   * is open.
   */
  holds(knob: string, value: Json, other: string, values: readonly Json[]): readonly Left[];
  readonly fault?: string;
}

export type Left = Constraint | boolean;

/** The text's constraint on these knobs; true or false when it uses none; otherwise one sentence. */
export function expressionConstraint(
  text: string,
  knobs: readonly string[],
  constants: Readonly<Record<string, Json>> = {},
): Result<Left, string> {
  const parsed = parseExpression(text, constants);
  if (!parsed.ok) return parsed;
  const unknown = [...namesOf(parsed.value)].find((name) => !knobs.includes(name));
  if (unknown !== undefined)
    return err(
      `${JSON.stringify(text)} uses ${unknown}, which is not a knob${didYouMean(unknown, knobs)}; the knobs are ${knobs.join(", ")}`,
    );
  const made = new Residuals(text).of(parsed.value, new Map());
  return typeof made === "object" && made.fault !== undefined ? err(made.fault) : ok(made);
}

type Given = ReadonlyMap<string, Json>;

class Residuals {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  of(whole: Expression, given: Given): Left {
    const e = conjunction(whole);
    if (e.kind === "value") return isTrue(e.value);
    if (e.kind === "fault") return this.#faulty(e.fault, given);
    let knobs: ReadonlySet<string> | undefined;
    const knobsOf = () => {
      knobs ??= namesOf(e);
      return knobs;
    };
    const decided = (name: string, values: readonly Json[], others: Given): readonly Left[] =>
      conjuncts(e)
        .map((part) => evaluateEach(part, name, values, Object.fromEntries(others)))
        .reduce((all, part) => all.map((made, i) => (fails(made) ? made : both(made, part[i] as ExprValue | Fault))))
        .map((made, i) =>
          made instanceof Fault ? this.#faulty(made, new Map([...given, ...others, [name, values[i] as Json]])) : isTrue(made),
        );
    return {
      get knobs() {
        return knobsOf();
      },
      key: keyOf(e),
      narrowed: (knob, values) =>
        knobsOf().size === 1 && knobsOf().has(knob)
          ? decided(knob, values, new Map())
          : values.map((value) => this.of(substitute(e, knob, constantOf(value)), new Map([...given, [knob, value]]))),
      holds: (knob, value, other, values) => decided(other, values, new Map([[knob, value]])),
    };
  }

  #faulty({ message }: Fault, given: Given): Constraint {
    const at = [...given].map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
    const fault = `${JSON.stringify(this.#text)} ${message}${at && ` where ${at}`}`;
    return { knobs: new Set(), key: fault, narrowed: () => [], holds: () => [], fault };
  }
}

/** Parts joined by `and` hold as separate constraints: where one fails, the others are not asked, whatever their order. */
const conjuncts = (e: Expression): readonly Expression[] =>
  e.kind === "call" && e.op === "and" ? e.args.flatMap(conjuncts) : [e];
const fails = (made: ExprValue | Fault): boolean => !(made instanceof Fault) && !isTrue(made);
const both = (a: ExprValue | Fault, b: ExprValue | Fault): ExprValue | Fault => (fails(b) || !(a instanceof Fault) ? b : a);

function conjunction(e: Expression): Expression {
  const parts = conjuncts(e);
  if (parts.length === 1) return e;
  const open = parts.filter((part) => part.kind !== "value");
  return parts.find((part) => part.kind === "value" && !isTrue(part.value)) ?? apply("and", open.length > 0 ? open : parts);
}
