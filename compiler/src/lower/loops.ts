import { Analyzer } from "../arith/analyzer.ts";
import { type Team, teamSize } from "../ir/agent.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { For, Stmt, ThreadTag } from "../ir/stmt.ts";
import { children, someExpr, walkStmt } from "../ir/visit.ts";

/** Launched axes in the order of their loops at the head of a kernel. */
export const launchTags = [
  ...["blockIdx.z", "blockIdx.y", "blockIdx.x", "clusterIdx.y", "clusterIdx.x"],
  ...["threadIdx.z", "threadIdx.y", "threadIdx.x"],
] as const;
export type LaunchTag = (typeof launchTags)[number];
export const isLaunchTag = (tag: ThreadTag | undefined): tag is LaunchTag => tag !== undefined && tag !== "vthread";
export const isThreadIdx = (tag: ThreadTag | undefined): boolean => tag?.startsWith("threadIdx") ?? false;

/** A kernel's loops over several threads, outermost first. */
export function threadsOf(nest: Stmt): readonly For[] {
  const found: For[] = [];
  walkStmt(nest, (s) => {
    if (s.kind === "For" && isThreadIdx(s.thread) && s.extent > 1) found.push(s);
  });
  return found;
}

/** Threads are numbered with the last loop fastest. */
const numberOf = (threads: readonly For[]): Expr =>
  threads.reduce<Expr>((number, { loopVar, extent }) => b.add(b.mul(number, b.int(extent)), loopVar), b.int(0));

/** A thread's lane in its team, given the loops of its block. */
export const laneOf = (threads: readonly For[], team: Team, analyzer: Analyzer): Expr =>
  analyzer.simplify(b.floorModulo(numberOf(threads), b.int(teamSize[team])));
/** The number of its team. */
export const teamNumberOf = (threads: readonly For[], team: Team, analyzer: Analyzer): Expr =>
  analyzer.simplify(b.floorDiv(numberOf(threads), b.int(teamSize[team])));

/** The ranges of every loop variable of a body. Terms of sums follow the order of the loops, outermost first. */
export function analyzerFor(body: Stmt): Analyzer {
  const analyzer = new Analyzer();
  const seen = new Set<Var>();
  walkStmt(body, (s) => {
    if (s.kind !== "For" || seen.has(s.loopVar)) return;
    seen.add(s.loopVar);
    analyzer.declare(s.loopVar, s.extent);
  });
  return analyzer;
}

export function usesAny(e: Expr, vars: ReadonlySet<Var>): boolean {
  if (e.kind === "Var") return vars.has(e);
  return children(e).some((child) => usesAny(child, vars));
}

export const readsMemory = (e: Expr): boolean => someExpr(e, ({ kind }) => kind === "Load");

export function conjuncts(cond: Expr, into: Expr[] = []): Expr[] {
  if (cond.kind === "And") {
    conjuncts(cond.a, into);
    conjuncts(cond.b, into);
  } else into.push(cond);
  return into;
}
