/**
 * The public face of arithmetic: simplification and proofs over int32 index expressions, given that some variables run over [0,
 * extent). Sums become canonical (analyzer.ts). Division, remainder, min, max, comparisons and selects are decided where ranges
 * decide them. Index arithmetic does not overflow int32. A ranges map may grow between calls, but a variable's extent never
 * changes.
 */

import type { Expr, Var } from "../ir/expr.ts";
import { Analyzer } from "./analyzer.ts";
import type { Interval } from "./interval.ts";
import { type Residue, residueOf } from "./modular.ts";

export type Ranges = ReadonlyMap<Var, number>;

const analyzers = new WeakMap<Ranges, { readonly analyzer: Analyzer; readonly size: number }>();

function analyzerOf(ranges: Ranges): Analyzer {
  const known = analyzers.get(ranges);
  if (known && known.size === ranges.size) return known.analyzer;
  const analyzer = new Analyzer(ranges);
  analyzers.set(ranges, { analyzer, size: ranges.size });
  return analyzer;
}

/** An expression of equal value; `e` itself when there is nothing to do. Requires every variable of `ranges` within its range. */
export const simplify = (e: Expr, ranges: Ranges): Expr => analyzerOf(ranges).simplify(e);

/** An interval that contains every value of an int32 expression. */
export function bounds(e: Expr, ranges: Ranges): Interval {
  const analyzer = analyzerOf(ranges);
  return analyzer.boundsOf(analyzer.linear(e));
}

export const modular = (e: Expr, ranges: Ranges): Residue => residueOf(analyzerOf(ranges).linear(e));
