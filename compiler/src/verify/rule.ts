/**
 * A dialect is a list of rules, each for some kinds of node. A rule examines one node and its place. Later passes and codegen
 * never see what a rule refuses, so they have no error paths.
 */
import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import type { Expr, ExprKind, Var } from "../ir/expr.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { For, Stmt, StmtKind } from "../ir/stmt.ts";
import { eachPart } from "../ir/visit.ts";

export interface Scope {
  readonly func: PrimFunc;
  readonly loops: readonly For[];
  readonly variables: ReadonlySet<Var>;
  readonly buffers: ReadonlyMap<Buffer, number>;
  readonly conditions: readonly Expr[];
}

type Node = Stmt | Expr;
type NodeKind = StmtKind | ExprKind;
type NodeOf<K extends NodeKind> = Extract<Node, { readonly kind: K }>;

export interface Rule {
  readonly id: string;
  readonly on: readonly NodeKind[];
  /** undefined = it holds, otherwise what is wrong. Called only with nodes of the kinds in `on`. */
  readonly check: (node: Node, scope: Scope) => string | undefined;
}

export const rule = <K extends NodeKind>(
  id: string,
  on: K | readonly K[],
  check: (node: NodeOf<K>, scope: Scope) => string | undefined,
): Rule => ({
  id,
  on: typeof on === "string" ? [on] : on,
  check: check as Rule["check"],
});

/** All violations, at most `limit`, in program order. One walk, whatever the number of rules. */
export function verifyRules(func: PrimFunc, rules: readonly Rule[], limit = 8): readonly Refusal[] {
  const found: Refusal[] = [];
  const byKind = new Map<NodeKind, Rule[]>();
  for (const r of rules) for (const kind of r.on) byKind.set(kind, [...(byKind.get(kind) ?? []), r]);
  const loops: For[] = [];
  const conditions: Expr[] = [];
  const variables = new Set<Var>();
  const buffers = new Map<Buffer, number>(func.params.map((buffer) => [buffer, 0]));
  const scope: Scope = { func, loops, variables, buffers, conditions };
  const check = (node: Node): void => {
    const own = byKind.get(node.kind);
    if (!own) return;
    for (const r of own) {
      const wrong = r.check(node, scope);
      if (wrong !== undefined && found.length < limit) found.push({ rule: r.id, message: `${func.name}: ${wrong}` });
    }
  };
  const onExpr = (e: Expr): void => {
    check(e);
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
      case "Var":
        return;
      case "Load":
        for (const index of e.indices) onExpr(index);
        return;
      case "Call":
        for (const arg of e.args) onExpr(arg);
        return;
      case "Select":
        onExpr(e.cond);
        onExpr(e.whenTrue);
        onExpr(e.whenFalse);
        return;
      case "Not":
      case "Cast":
      case "Broadcast":
        onExpr(e.value);
        return;
      case "Lookup":
        onExpr(e.index);
        return;
      case "Ramp":
        onExpr(e.base);
        return;
      default:
        onExpr(e.a);
        onExpr(e.b);
    }
  };
  const onStmt = (s: Stmt): void => {
    check(s);
    switch (s.kind) {
      case "For":
        loops.push(s);
        variables.add(s.loopVar);
        onStmt(s.body);
        variables.delete(s.loopVar);
        loops.pop();
        return;
      case "Allocate":
        buffers.set(s.buffer, loops.length);
        onStmt(s.body);
        buffers.delete(s.buffer);
        return;
      case "If":
        onExpr(s.cond);
        conditions.push(s.cond);
        onStmt(s.body);
        conditions.pop();
        return;
      default:
        eachPart(s, onStmt, onExpr);
    }
  };
  onStmt(func.body);
  return found;
}
