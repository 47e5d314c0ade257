/**
 * Plants one fault: replaces the nth statement or expression that a picker recognises. Built from plain objects, so nothing is
 * folded or checked.
 */
import type { Expr } from "../../src/ir/expr.ts";
import type { Stmt } from "../../src/ir/stmt.ts";

type Node = { readonly [key: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "kind" in value;

/** A picker answers with the replacement, or undefined where it sees nothing to spoil. */
export interface Pick {
  readonly stmt?: (s: Stmt) => Stmt | undefined;
  readonly expr?: (e: Expr) => Expr | undefined;
  /** 0 = the first match in program order; "all" = everywhere. */
  readonly nth?: number | "all";
}

const stmtKinds: ReadonlySet<unknown> = new Set<Stmt["kind"]>([
  "For",
  "If",
  "Store",
  "Seq",
  "Allocate",
  "Barrier",
  "KernelNest",
  "Stage",
  "Pragma",
  "Tensorize",
  "Unmatched",
  "Fold",
]);
/** Not walked into: a buffer has no kind, a loop variable is no use of itself. */
const skipped: ReadonlySet<string> = new Set(["loopVar", "buffer"]);

/** Throws when there is no such place: a planted fault that is not planted proves nothing. */
export function plant(body: Stmt, { stmt, expr, nth = 0 }: Pick): Stmt {
  let left = nth === "all" ? 0 : nth;
  let planted = false;
  const visit = (node: Node): Node => {
    if (planted && nth !== "all") return node;
    const changed = stmtKinds.has(node.kind) ? stmt?.(node as unknown as Stmt) : expr?.(node as unknown as Expr);
    if (changed !== undefined && changed !== (node as unknown)) {
      if (nth === "all" || left-- === 0) {
        planted = true;
        return changed as unknown as Node;
      }
    }
    const copy: Record<string, unknown> = {};
    let same = true;
    for (const [key, value] of Object.entries(node)) {
      const next = skipped.has(key)
        ? value
        : Array.isArray(value)
          ? value.map((item) => (isNode(item) ? visit(item) : item))
          : isNode(value)
            ? visit(value)
            : value;
      copy[key] = next;
      same &&= Array.isArray(value) ? value.every((item, i) => item === (next as unknown[])[i]) : next === value;
    }
    return same ? node : copy;
  };
  const result = visit(body as unknown as Node) as unknown as Stmt;
  if (!planted) throw new Error("no place for this fault");
  return result;
}
