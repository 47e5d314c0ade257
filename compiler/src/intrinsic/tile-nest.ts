/**
 * The nest that tensorize should replace: loops around one statement, or around a reduction's start values followed by its sum.
 */
import type { Expr, Var } from "../ir/expr.ts";
import { isRemark } from "../ir/parts.ts";
import { described, printExpr } from "../ir/print.ts";
import type { Stmt, Store } from "../ir/stmt.ts";

export interface Axis {
  readonly loopVar: Var;
  readonly extent: number;
}
export interface TileNest {
  readonly loops: readonly Axis[];
  readonly store: Store;
  readonly guards: readonly Expr[];
}

export const guardReason = (guards: readonly Expr[]): string =>
  `the body is guarded by ${guards.map((e) => printExpr(e)).join(" and ")}; a tile is done whole: choose factors that divide, or fill the copy with zeros`;

export function tileNests(
  nest: Stmt,
  outer: readonly Axis[] = [],
  guards: readonly Expr[] = [],
): readonly TileNest[] | { readonly wrong: string } {
  if (isRemark(nest)) return tileNests(nest.body, outer, guards);
  switch (nest.kind) {
    case "For": {
      const { forKind, loopVar, extent } = nest;
      if (forKind !== "serial" && forKind !== "unrolled")
        return {
          wrong: `the loop ${loopVar.name} is ${nest.thread ? `bound to ${nest.thread}` : forKind}; a tile's loops are serial`,
        };
      return tileNests(nest.body, [...outer, { loopVar, extent }], guards);
    }
    case "Store":
      return [{ loops: outer, store: nest, guards }];
    case "If":
      return tileNests(nest.body, outer, [...guards, nest.cond]);
    case "Allocate":
      return { wrong: `${nest.buffer.name} is computed inside the tile; attach it outside` };
    case "Seq": {
      if (nest.stmts.length !== 2) return { wrong: `the nest has ${nest.stmts.length} statements` };
      const found: TileNest[] = [];
      for (const child of nest.stmts) {
        const made = tileNests(child, outer, guards);
        if ("wrong" in made) return made;
        found.push(...made);
      }
      return found.length === 2 ? found : { wrong: `the nest has ${found.length} statements` };
    }
    default:
      return { wrong: `there is ${described(nest)} in the nest` };
  }
}

export function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((first, i) => permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [first, ...rest]));
}
