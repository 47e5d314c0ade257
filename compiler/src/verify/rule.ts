/**
 * A dialect is a list of rules over the nodes of a function. A rule looks at one node and at where it stands; what a rule refuses,
 * later passes and codegen never see, so they have no error paths (style §5).
 */
import type { Buffer } from "../ir/buffer.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { For, Stmt } from "../ir/stmt.ts";
import { children } from "../ir/visit.ts";

/** One refusal. The message says what was asked, what was found, what is allowed. */
export interface Violation {
  readonly rule: string;
  readonly message: string;
}

/** Where a node stands: what encloses it, outermost first. */
export interface Scope {
  readonly func: PrimFunc;
  readonly loops: readonly For[];
  readonly variables: ReadonlySet<Var>;
  /** Of each buffer in scope, how many loops stand around its allocation; 0 for arguments. */
  readonly buffers: ReadonlyMap<Buffer, number>;
  readonly conditions: readonly Expr[];
}

/** Judges one statement or expression: undefined = it holds, else what is wrong. */
export interface StmtRule {
  readonly id: string;
  readonly on: "stmt";
  readonly check: (stmt: Stmt, scope: Scope) => string | undefined;
}
export interface ExprRule {
  readonly id: string;
  readonly on: "expr";
  readonly check: (expr: Expr, scope: Scope) => string | undefined;
}
export type Rule = StmtRule | ExprRule;

/** All violations, at most `limit`, in program order. One walk, whatever the number of rules. */
export function verifyRules(func: PrimFunc, rules: readonly Rule[], limit = 8): readonly Violation[] {
  const found: Violation[] = [];
  const stmtRules = rules.filter((rule) => rule.on === "stmt");
  const exprRules = rules.filter((rule) => rule.on === "expr");
  const loops: For[] = [];
  const conditions: Expr[] = [];
  const variables = new Set<Var>();
  const buffers = new Map<Buffer, number>(func.params.map((buffer) => [buffer, 0]));
  const scope: Scope = { func, loops, variables, buffers, conditions };
  const report = (rule: string, message: string | undefined) => {
    if (message !== undefined && found.length < limit) found.push({ rule, message: `${func.name}: ${message}` });
  };
  const onExpr = (e: Expr): void => {
    for (const rule of exprRules) report(rule.id, rule.check(e, scope));
    for (const child of children(e)) onExpr(child);
  };
  const onStmt = (s: Stmt): void => {
    for (const rule of stmtRules) report(rule.id, rule.check(s, scope));
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
      case "Store":
        for (const index of s.indices) onExpr(index);
        onExpr(s.value);
        return;
      case "Seq":
        for (const child of s.stmts) onStmt(child);
        return;
      case "Attr":
        onStmt(s.body);
        return;
      case "Barrier":
        return;
    }
  };
  onStmt(func.body);
  return found;
}
