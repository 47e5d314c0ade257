import type { Binary } from "../../ir/expr.ts";

export const level = {
  conditional: 1,
  or: 2,
  and: 3,
  equality: 6,
  relation: 7,
  sum: 9,
  product: 10,
  unary: 11,
  postfix: 12,
} as const;

export const operators: Record<Exclude<Binary["kind"], "Min" | "Max">, readonly [string, number]> = {
  Or: [" || ", level.or],
  And: [" && ", level.and],
  EQ: [" == ", level.equality],
  NE: [" != ", level.equality],
  LT: [" < ", level.relation],
  LE: [" <= ", level.relation],
  GT: [" > ", level.relation],
  GE: [" >= ", level.relation],
  Add: [" + ", level.sum],
  Sub: [" - ", level.sum],
  Mul: [" * ", level.product],
  Div: [" / ", level.product],
  FloorDiv: [" / ", level.product],
  FloorMod: [" % ", level.product],
};

export const brackets = (text: string, own: number, outer: number): string => (own < outer ? `(${text})` : text);
