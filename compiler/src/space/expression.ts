/**
 * Constraint expressions as the problem files of the tuning community write them: Python's operators over knob names (T1 input
 * files, Kernel Tuner restrictions, KTT tuning scripts; `&&`, `||` and `!` are taken too). Text becomes a tree, a tree is partly
 * evaluated as knobs get their values, and its text is then its identity: two residuals that read the same allow the same
 * completions.
 *
 *   "a * b * c <= 64"   with a = 4, b = 2   ->   (8 * c) <= 64
 *
 * Nothing is executed but the operators listed here, so a file of unknown origin can do no harm. Truth is Python's; division by
 * zero gives NaN, which fails every comparison but `!=`.
 */

export type Scalar = number | string | boolean;
export type ExprValue = Scalar | readonly ExprValue[];

export type Expression =
  | { readonly kind: "value"; readonly value: ExprValue }
  | { readonly kind: "name"; readonly name: string; readonly key: string }
  | { readonly kind: "call"; readonly op: Operator; readonly args: readonly Expression[]; readonly key: string };

type Operator = keyof typeof operators;

const num = (x: ExprValue | undefined): number => (typeof x === "number" ? x : typeof x === "boolean" ? Number(x) : Number.NaN);
export const isTrue = (x: ExprValue | undefined): boolean =>
  typeof x === "object" || typeof x === "string" ? x.length > 0 : x !== undefined && Number(x) !== 0;
const isSame = (a: ExprValue | undefined, b: ExprValue | undefined): boolean =>
  a === b ||
  (typeof a !== "object" && typeof b !== "object" && typeof a !== "string" && typeof b !== "string" && num(a) === num(b));
const itemsOf = (args: readonly ExprValue[]): readonly ExprValue[] =>
  args.length === 1 && typeof args[0] === "object" ? args[0] : args;
const floorMod = (a: number, b: number): number => {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};
type Args = readonly ExprValue[];
type OfTwo = (a: ExprValue | undefined, b: ExprValue | undefined) => ExprValue;
/** An operator of at most two arguments, which evaluation gives it without a list. */
const ofTwo = (apply: OfTwo): ((args: Args) => ExprValue) & { readonly ofTwo?: OfTwo } =>
  Object.assign(([a, b]: Args) => apply(a, b), { ofTwo: apply });
const order = (holds: (sign: number) => boolean) =>
  ofTwo((a, b) => (typeof a === "string" && typeof b === "string" ? holds(a < b ? -1 : a > b ? 1 : 0) : holds(num(a) - num(b))));

const operators = {
  "?:": ([condition, then, otherwise]: Args) => (isTrue(condition) ? then : otherwise) ?? Number.NaN,
  or: (args: Args) => args.some(isTrue),
  and: (args: Args) => args.every(isTrue),
  not: ofTwo((a) => !isTrue(a)),
  "<=": order((d) => d <= 0),
  "<": order((d) => d < 0),
  ">=": order((d) => d >= 0),
  ">": order((d) => d > 0),
  "==": ofTwo((a, b) => isSame(a, b)),
  "!=": ofTwo((a, b) => !isSame(a, b)),
  in: ofTwo((a, b) => typeof b === "object" && b.some((item) => isSame(a, item))),
  "+": ofTwo((a, b) => (typeof a === "object" && typeof b === "object" ? [...a, ...b] : num(a) + num(b))),
  "-": ofTwo((a, b) => num(a) - num(b)),
  "*": ofTwo((a, b) => num(a) * num(b)),
  "/": ofTwo((a, b) => (num(b) === 0 ? Number.NaN : num(a) / num(b))),
  "//": ofTwo((a, b) => (num(b) === 0 ? Number.NaN : Math.floor(num(a) / num(b)))),
  "%": ofTwo((a, b) => floorMod(num(a), num(b))),
  "**": ofTwo((a, b) => num(a) ** num(b)),
  item: ofTwo((a, b) => (typeof a === "object" ? (a.at(num(b)) ?? Number.NaN) : Number.NaN)),
  list: (args: Args) => [...args],
  min: (args: Args) => Math.min(...itemsOf(args).map(num)),
  max: (args: Args) => Math.max(...itemsOf(args).map(num)),
  abs: ofTwo((a) => Math.abs(num(a))),
  int: ofTwo((a) => Math.trunc(num(a))),
  len: ofTwo((a) => (typeof a === "object" ? a.length : Number.NaN)),
} as const satisfies Record<string, ((args: Args) => ExprValue) & { readonly ofTwo?: OfTwo }>;

export const isOperator = (word: string): word is Operator => Object.hasOwn(operators, word);

export const constant = (value: ExprValue): Expression => ({ kind: "value", value });
export const named = (name: string): Expression => ({ kind: "name", name, key: name });

/** An operation, folded as far as its arguments allow. */
export function apply(op: Operator, args: readonly Expression[]): Expression {
  if (op === "or" || op === "and") {
    const decisive = op === "or";
    const open: Expression[] = [];
    for (const arg of args) {
      if (arg.kind !== "value") open.push(arg);
      else if (isTrue(arg.value) === decisive) return constant(decisive);
    }
    if (open.length === 0) return constant(!decisive);
    if (open.length < args.length) return open.length === 1 ? (open[0] as Expression) : call(op, open);
  }
  const [condition, then, otherwise] = args;
  if (op === "?:" && condition?.kind === "value") return (isTrue(condition.value) ? then : otherwise) as Expression;
  const values: ExprValue[] = [];
  for (const arg of args) {
    if (arg.kind !== "value") return call(op, args);
    values.push(arg.value);
  }
  return constant(operators[op](values));
}

const call = (op: Operator, args: readonly Expression[]): Expression => ({
  kind: "call",
  op,
  args,
  key: `${op}(${args.map(keyOf).join()})`,
});

/** Equal for residuals that read the same. */
export const keyOf = (e: Expression): string =>
  e.kind !== "value" ? e.key : typeof e.value === "number" ? String(e.value) : JSON.stringify(e.value);

/** The expression with a name replaced by its value; the same object when the name does not occur. */
export function substitute(e: Expression, name: string, value: Expression): Expression {
  if (e.kind === "value") return e;
  if (e.kind === "name") return e.name === name ? value : e;
  let args: Expression[] | undefined;
  for (let i = 0; i < e.args.length; i++) {
    const arg = e.args[i] as Expression;
    const made = substitute(arg, name, value);
    if (made === arg) continue;
    args ??= [...e.args];
    args[i] = made;
  }
  return args ? apply(e.op, args) : e;
}

/** One value, or one for each of a name's values. */
type Column = ExprValue | { readonly each: readonly ExprValue[] };
const isEach = (column: Column): column is Extract<Column, { readonly each: unknown }> =>
  typeof column === "object" && !Array.isArray(column);

/**
 * The values of an expression by those of one name; `fixed` are those of the others. As substituting each would give, without
 * making expressions, operation by operation for all values: a space of millions asks for hundreds of thousands.
 */
export function evaluateEach(
  e: Expression,
  name: string,
  values: readonly ExprValue[],
  fixed: Readonly<Record<string, ExprValue>> = {},
): readonly ExprValue[] {
  const each = { each: values };
  const columnOf = (e: Expression): Column => {
    if (e.kind === "value") return e.value;
    if (e.kind === "name") return e.name === name ? each : (fixed[e.name] as ExprValue);
    const operator: ((args: Args) => ExprValue) & { readonly ofTwo?: OfTwo } = operators[e.op];
    const [first, second] = e.args;
    if (operator.ofTwo && first && e.args.length <= 2)
      return ofColumns(operator.ofTwo, columnOf(first), second && columnOf(second));
    const args = e.args.map(columnOf);
    const at = (i: number) => operator(args.map((arg) => (isEach(arg) ? (arg.each[i] as ExprValue) : arg)));
    return args.some(isEach) ? { each: values.map((_, i) => at(i)) } : at(0);
  };
  const made = columnOf(e);
  return isEach(made) ? made.each : values.map(() => made);
}

function ofColumns(two: OfTwo, a: Column, b: Column | undefined): Column {
  if (b !== undefined && isEach(b))
    return { each: isEach(a) ? a.each.map((x, i) => two(x, b.each[i])) : b.each.map((y) => two(a, y)) };
  return isEach(a) ? { each: a.each.map((x) => two(x, b)) } : two(a, b);
}

/** Names that occur, once each, in order of appearance. */
export function namesOf(e: Expression, found = new Set<string>()): Set<string> {
  if (e.kind === "name") found.add(e.name);
  else if (e.kind === "call") for (const arg of e.args) namesOf(arg, found);
  return found;
}
