/**
 * Constraint expressions as the problem files of the tuning community write them: Python's operators over knob names (T1 input
 * files, Kernel Tuner restrictions, KTT tuning scripts; `&&`, `||` and `!` are taken too). Text becomes a tree, a tree is partly
 * evaluated as knobs get their values, and its text is then its identity: two residuals that read the same allow the same
 * completions.
 *
 *   "a * b * c <= 64"   with a = 4, b = 2   ->   (8 * c) <= 64
 *
 * Only the operators listed in python/ are executed. What an expression means is Python's affair: where Python raises there is a
 * fault, which is a value of the tree until something depends on it.
 */
import type { Json } from "@warpfarm/common";
import { binary, collections, functions, ordered, unary } from "./python/operators.ts";
import { type ExprValue, Fault, fromJson, isTrue, itemsOf, keyOfValue, mostSteps, Steps } from "./python/values.ts";

export { type ExprValue, Fault, isOrdered, isTrue, type PlainValue, plain } from "./python/values.ts";

export type Expression =
  /** `steps`: the number of operations that made it. */
  | { readonly kind: "value"; readonly value: ExprValue; readonly steps: number }
  | { readonly kind: "fault"; readonly fault: Fault; readonly key: string }
  | { readonly kind: "name"; readonly name: string; readonly key: string }
  | { readonly kind: "call"; readonly op: Operator; readonly args: readonly Expression[]; readonly key: string }
  | Comprehension;

/** `[body for variable in over if conditions]`. A generator is an argument, and gives its items one by one. */
export interface Comprehension {
  readonly kind: "each";
  readonly as: keyof typeof collections | "generator";
  readonly variable: string;
  readonly over: Expression;
  readonly conditions: readonly Expression[];
  readonly body: Expression;
  readonly key: string;
}

/** `f()`: the function f. */
export type Operator = keyof typeof binary | keyof typeof unary | keyof typeof collections | "and" | "or" | "?:" | `${string}()`;

export const constant = (value: ExprValue, steps = 0): Expression => ({ kind: "value", value, steps });
export const named = (name: string): Expression => ({ kind: "name", name, key: name });
export const faulty = (fault: Fault): Expression => ({ kind: "fault", fault, key: `fault(${JSON.stringify(fault.message)})` });
export const constantOf = (json: Json): Expression => attempt(() => constant(fromJson(json)));

function attempt(make: () => Expression): Expression {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault) return faulty(error);
    throw error;
  }
}

/** An operation, folded as far as its arguments allow. */
export function apply(op: Operator, args: readonly Expression[]): Expression {
  if (op === "or" || op === "and") return logical(op, args);
  const [condition, then, otherwise] = args as readonly [Expression, Expression, Expression];
  if (op === "?:") {
    if (condition.kind === "value") return isTrue(condition.value) ? then : otherwise;
    return condition.kind === "fault" ? condition : call(op, args);
  }
  const fault = args.find((arg) => arg.kind === "fault");
  if (fault) return fault;
  const [a, b] = args;
  if (a?.kind !== "value" || b?.kind !== "value" || !isBinary(op)) return folded(call(op, args));
  return attempt(() => constant(binary[op](a.value, b.value), a.steps + b.steps + 1));
}
const isBinary = (op: Operator): op is keyof typeof binary => Object.hasOwn(binary, op);
const isUnary = (op: Operator): op is keyof typeof unary => Object.hasOwn(unary, op);

/** Python's `and` and `or` give one of their values, and look no further than they need. */
function logical(op: "and" | "or", args: readonly Expression[]): Expression {
  const open: Expression[] = [];
  for (const [i, arg] of args.entries()) {
    const isLast = i === args.length - 1;
    // A value that does not decide matters where it is the last.
    if (arg.kind === "value" && isTrue(arg.value) === (op === "and") && !isLast) continue;
    open.push(arg);
    if (arg.kind === "fault" || (arg.kind === "value" && !isLast)) break;
  }
  return open.length === 1 ? (open[0] as Expression) : call(op, open);
}

export function comprehension(parts: Omit<Comprehension, "kind" | "key">): Expression {
  const { as, variable, over, conditions, body } = parts;
  const key = `${as}(${[body, over, ...conditions].map(keyOf).join()} for ${variable})`;
  if (over.kind === "fault") return over;
  return folded({ ...parts, kind: "each", key });
}

function folded(e: Expression): Expression {
  if ((e.kind === "each" && e.as === "generator") || namesOf(e).size > 0) return e;
  return attempt(() => {
    const steps = new Steps();
    const value = evaluated(e, new Map(), steps);
    return constant(value, steps.spent);
  });
}

const call = (op: Operator, args: readonly Expression[]): Expression => ({
  kind: "call",
  op,
  args,
  key: `${op}(${args.map(keyOf).join()})`,
});

export const keyOf = (e: Expression): string => (e.kind === "value" ? keyOfValue(e.value) : e.key);

/** The expression with a name replaced by its value; the same object when the name does not occur. */
export function substitute(e: Expression, name: string, value: Expression): Expression {
  switch (e.kind) {
    case "value":
    case "fault":
      return e;
    case "name":
      return e.name === name ? value : e;
    case "call": {
      const args = each(e.args, (arg) => substitute(arg, name, value));
      return args === e.args ? e : apply(e.op, args);
    }
    case "each": {
      const over = substitute(e.over, name, value);
      const inner = (arg: Expression) => (e.variable === name ? arg : substitute(arg, name, value));
      const [body, conditions] = [inner(e.body), each(e.conditions, inner)];
      if (over === e.over && body === e.body && conditions === e.conditions) return e;
      return comprehension({ as: e.as, variable: e.variable, over, conditions, body });
    }
  }
}

function each(list: readonly Expression[], change: (e: Expression) => Expression): readonly Expression[] {
  const made = list.map(change);
  return made.every((e, i) => e === list[i]) ? list : made;
}

type Scope = ReadonlyMap<string, ExprValue>;

/** As Python evaluates it. Throws Fault. Requires that `at` has each name. */
export function evaluate(e: Expression, at: Scope): ExprValue {
  return evaluated(e, at, new Steps());
}

function evaluated(e: Expression, at: Scope, steps: Steps): ExprValue {
  switch (e.kind) {
    case "value":
      steps.spend(e.steps);
      return e.value;
    case "fault":
      throw e.fault;
    case "name": {
      const value = at.get(e.name);
      if (value === undefined) throw new Fault(`uses ${e.name}, which has no value`);
      return value;
    }
    case "call":
      steps.spend(1);
      return called(e.op, e.args, at, steps);
    case "each": {
      const items = [...generated(e, at, steps)];
      return e.as === "generator" ? items : collections[e.as](items);
    }
  }
}

function called(op: Operator, args: readonly Expression[], at: Scope, steps: Steps): ExprValue {
  const valueAt = (i: number) => evaluated(args[i] as Expression, at, steps);
  if (op === "and" || op === "or") {
    for (let i = 0; ; i++) {
      const value = valueAt(i);
      if (i === args.length - 1 || isTrue(value) === (op === "or")) return value;
    }
  }
  if (op === "?:") return isTrue(valueAt(0)) ? valueAt(1) : valueAt(2);
  const [only] = args;
  if ((op === "any()" || op === "all()") && only?.kind === "each" && only.as === "generator") {
    for (const item of generated(only, at, steps)) if (isTrue(item) === (op === "any()")) return op === "any()";
    return op === "all()";
  }
  const values = args.map((_, i) => valueAt(i));
  const named = op.endsWith("()") ? functions[op.slice(0, -2)] : undefined;
  if (named) return named.call(values, steps);
  if (Object.hasOwn(collections, op)) return collections[op as keyof typeof collections](values);
  const [a, b] = values as unknown as readonly [ExprValue, ExprValue];
  return isUnary(op) ? unary[op](a) : binary[op as keyof typeof binary](a, b);
}

function* generated({ over, variable, conditions, body, as }: Comprehension, at: Scope, steps: Steps): Iterable<ExprValue> {
  const value = evaluated(over, at, steps);
  for (const item of (as === "list" || as === "tuple" ? ordered : itemsOf)(value, steps)) {
    const inner = new Map(at).set(variable, item);
    if (conditions.every((condition) => isTrue(evaluated(condition, inner, steps)))) yield evaluated(body, inner, steps);
  }
}

type Column = ExprValue | Fault | { readonly each: readonly (ExprValue | Fault)[] };
type Each = Extract<Column, { readonly each: unknown }>;
const isEach = (column: Column): column is Each => typeof column === "object" && "each" in column;

/**
 * The values of an expression by those of one name; `fixed` are those of the others. As substituting each would give, without
 * making expressions, operation by operation for all values: a space of millions asks for hundreds of thousands.
 */
export function evaluateEach(
  e: Expression,
  name: string,
  values: readonly Json[],
  fixed: Readonly<Record<string, Json>> = {},
): readonly (ExprValue | Fault)[] {
  const others = new Map(Object.entries(fixed).map(([key, json]) => [key, fromJson(json)]));
  const column = values.map((value) => faultOr(() => fromJson(value)));
  if (!(costOf(e) <= mostSteps))
    return column.map((value) => (value instanceof Fault ? value : faultOr(() => evaluate(e, others.set(name, value)))));
  const columnOf = (e: Expression): Column => {
    if (e.kind === "value") return e.value;
    if (e.kind === "fault") return e.fault;
    if (e.kind === "name") return e.name === name ? { each: column } : (others.get(e.name) as ExprValue);
    const { op, args } = e as Extract<Expression, { readonly kind: "call" }>;
    const columns = args.map(columnOf);
    const [first, second] = columns as unknown as readonly [Column, Column];
    if (isBinary(op)) return ofColumns(binary[op], first, second);
    if (isUnary(op)) return ofColumns(unary[op], first, 0);
    const at = (i: number) => chosen(op, columns, i);
    return columns.some(isEach) ? { each: column.map((_, i) => at(i)) } : at(0);
  };
  const made = columnOf(e);
  return isEach(made) ? made.each : values.map(() => made);
}

function costOf(e: Expression): number {
  if (e.kind !== "call") return e.kind === "value" ? e.steps : e.kind === "each" ? Number.POSITIVE_INFINITY : 0;
  if (e.op.endsWith("()")) return Number.POSITIVE_INFINITY;
  return e.args.reduce((sum, arg) => sum + costOf(arg), 1);
}

function chosen(op: Operator, columns: readonly Column[], i: number): ExprValue | Fault {
  const valueIn = (column: Column) => (isEach(column) ? (column.each[i] as ExprValue | Fault) : column);
  if (op === "?:") {
    const [condition, then, otherwise] = columns.map(valueIn) as [ExprValue | Fault, ExprValue | Fault, ExprValue | Fault];
    return condition instanceof Fault ? condition : isTrue(condition) ? then : otherwise;
  }
  if (op === "list" || op === "tuple" || op === "set") {
    const items = columns.map(valueIn);
    const fault = items.find((item) => item instanceof Fault);
    return fault ?? faultOr(() => collections[op](items as readonly ExprValue[]));
  }
  let value: ExprValue | Fault = false;
  for (const column of columns) {
    value = valueIn(column);
    if (value instanceof Fault || isTrue(value) === (op === "or")) break;
  }
  return value;
}

function faultOr(make: () => ExprValue): ExprValue | Fault {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function ofColumns(of: (a: ExprValue, b: ExprValue) => ExprValue, a: Column, b: Column): Column {
  const two = (x: ExprValue | Fault, y: ExprValue | Fault): ExprValue | Fault =>
    x instanceof Fault ? x : y instanceof Fault ? y : faultOr(() => of(x, y));
  if (isEach(b))
    return { each: isEach(a) ? a.each.map((x, i) => two(x, b.each[i] as ExprValue | Fault)) : b.each.map((y) => two(a, y)) };
  return isEach(a) ? { each: a.each.map((x) => two(x, b)) } : two(a, b);
}

/** Open names, once each, in order of appearance. */
export function namesOf(e: Expression, found = new Set<string>()): Set<string> {
  if (e.kind === "name") found.add(e.name);
  else if (e.kind === "call") for (const arg of e.args) namesOf(arg, found);
  else if (e.kind === "each") {
    namesOf(e.over, found);
    for (const inner of [e.body, ...e.conditions]) for (const name of namesOf(inner)) if (name !== e.variable) found.add(name);
  }
  return found;
}
