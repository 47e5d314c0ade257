/** Expressions of a kernel spec, evaluated at a config. */
import { err, type Json, ok, own, type Result } from "@warpfarm/common";
import {
  constantOf,
  type Expression,
  namesOf,
  type PlainValue,
  parseExpression,
  plain,
  substitute,
} from "@warpfarm/compiler/language";

export type Environment = Readonly<Record<string, Json>>;

const parsed = new Map<string, Result<Expression, string>>();
const mostKept = 1_000;

function expressionOf(text: string): Result<Expression, string> {
  const known = parsed.get(text);
  if (known) return known;
  const made = parseExpression(text);
  if (parsed.size < mostKept) parsed.set(text, made);
  return made;
}

export function evaluated(text: string, at: Environment): Result<PlainValue, string> {
  const expression = expressionOf(text);
  if (!expression.ok) return expression;
  let left: Expression = expression.value;
  for (const name of namesOf(left)) {
    const value = own(at, name);
    if (value === undefined)
      return err(`${JSON.stringify(text)} uses ${name}, which is neither a tunable nor a size of the problem`);
    left = substitute(left, name, constantOf(value));
  }
  if (left.kind === "value") return ok(plain(left.value));
  return err(`${JSON.stringify(text)} ${left.kind === "fault" ? left.fault.message : "has no value"}`);
}

export function numberOf(value: number | string, at: Environment): Result<number, string> {
  const found = wholeOrNumberOf(value, at);
  return found.ok ? ok(Number(found.value)) : found;
}

/** A finite number; a bigint if it is whole. */
export function wholeOrNumberOf(value: number | string | boolean, at: Environment): Result<number | bigint, string> {
  const found = typeof value === "string" ? evaluated(value, at) : ok(value);
  if (!found.ok) return found;
  if (typeof found.value === "bigint") return ok(found.value);
  const number = typeof found.value === "boolean" ? Number(found.value) : found.value;
  if (typeof number !== "number" || !Number.isFinite(number)) return err(`${JSON.stringify(value)} is not a number here`);
  return ok(Number.isInteger(number) ? BigInt(number) : number);
}

export function textWith(text: string, at: Environment): Result<string, string> {
  let fault: string | undefined;
  const made = text.replace(/\{([^{}]*)\}/g, (_, inner: string) => {
    const value = evaluated(inner, at);
    if (!value.ok) fault ??= value.error;
    return value.ok ? String(typeof value.value === "boolean" ? Number(value.value) : value.value) : "";
  });
  return fault === undefined ? ok(made) : err(fault);
}
