/**
 * One of the listed values, in the listed order (AutoTVM's OtherOption). Neighbours are the adjacent entries: lists of numbers
 * are written in order, so the next entry is the next size.
 */
import { canonicalJson, defined, invariant, type Json, type Random } from "@warpfarm/common";
import { checkKnobName, SpaceError } from "../config-space.ts";
import type { Knob } from "../knob.ts";

export interface ChoiceKnob<V extends Json = Json> extends Knob<V> {
  readonly kind: "ot";
  readonly values: readonly V[];
}

/** `absent`: the value of configs that were written before this knob was added. */
export interface ChoiceOptions<V extends Json> {
  readonly absent?: V;
}

export function choiceKnob<V extends Json>(name: string, values: readonly V[], { absent }: ChoiceOptions<V> = {}): ChoiceKnob<V> {
  checkKnobName("choice", name);
  if (!Array.isArray(values) || values.length === 0)
    throw new SpaceError(
      `choice ${name} has ${Array.isArray(values) ? "no values" : "no list of values"}; it takes one value or more`,
    );
  const strange = values.find((value) => !isJson(value));
  if (strange !== undefined)
    throw new SpaceError(
      `choice ${name} has the value ${String(strange)}; values are numbers, strings, booleans, null, and lists of them`,
    );
  const digits = new Map(values.map((value, digit) => [canonicalJson(value), digit]));
  const twice = values.find((value, digit) => digits.get(canonicalJson(value)) !== digit);
  if (twice !== undefined) throw new SpaceError(`choice ${name} lists ${JSON.stringify(twice)} twice; list each value once`);
  const plain = new Map<unknown, number>(values.flatMap((value, digit) => (typeof value === "object" ? [] : [[value, digit]])));
  const found = (value: unknown) => (isJson(value) ? digits.get(canonicalJson(value)) : undefined);
  if (absent !== undefined && !digits.has(canonicalJson(absent)))
    throw new SpaceError(
      `choice ${name} has no value ${JSON.stringify(absent)}, which \`absent\` names; it has ${JSON.stringify(values)}`,
    );
  const features = featuresOf(values);
  return {
    name,
    kind: "ot",
    size: values.length,
    values,
    decode: (digit) => {
      const value = values[digit];
      invariant(value !== undefined, `digit ${digit} of ${name}, which has ${values.length} entries`);
      return value;
    },
    // Searches look up thousands of records: a word or a number needs no text to be found.
    find: (value) => (typeof value === "object" ? found(value) : Object.is(value, -0) ? undefined : plain.get(value)),
    features: (digit) => features[digit] ?? [],
    neighbours: (digit) => [digit - 1, digit + 1].filter((d) => d >= 0 && d < values.length),
    random: (random: Random) => random.below(values.length),
    ...defined({ absent }),
  };
}

/**
 * Numbers stand for themselves, as in AutoTVM; a word is its position. So do lists of equally many numbers: a tile has the same
 * features in the list of another shape, where its position is another.
 */
function featuresOf(values: readonly Json[]): readonly (readonly number[])[] {
  const lists = values.filter(isNumbers);
  if (lists.length === values.length && lists.every(({ length }) => length > 0 && length === lists[0]?.length)) return lists;
  return values.map((value, digit) => [typeof value === "number" || typeof value === "boolean" ? Number(value) : digit]);
}
const isNumbers = (value: Json): value is number[] => Array.isArray(value) && value.every((part) => typeof part === "number");

function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === "object" && Object.values(value).every(isJson);
}
