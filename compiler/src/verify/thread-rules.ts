/** Rules of the dialect `device` for kernels that blocks of threads run. */
import type { Target } from "@warpfarm/common";
import { teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSpan, isFragmentScope } from "../ir/buffer.ts";
import { ranksIn } from "../ir/bulk.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr } from "../ir/expr.ts";
import { fitsFold } from "../ir/fold.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { For, Stmt, ThreadTag } from "../ir/stmt.ts";
import { children, usesVar, walkExpr, walkStmt } from "../ir/visit.ts";
import { launchTags } from "../lower/loops.ts";
import { channelRules } from "./channels.ts";
import { clusterRules } from "./clusters.ts";
import { roleRules } from "./roles.ts";
import { type Rule, rule, type Scope } from "./rule.ts";
import { teamRules } from "./team.ts";
import { wgmmaRules } from "./wgmma.ts";

const headLoops = (body: Stmt): readonly For[] => {
  const heads: For[] = [];
  for (let s = body; s.kind === "For" && s.forKind === "bound"; s = s.body) heads.push(s);
  return heads;
};
const headOrder: readonly (ThreadTag | undefined)[] = launchTags;
const isThread = (loop: For): boolean => loop.thread?.startsWith("threadIdx") ?? false;
const readsMemory = (cond: Expr): boolean => cond.kind === "Load" || children(cond).some(readsMemory);

export function threadRules(kernel: Kernel, target: Target): readonly Rule[] {
  const heads = headLoops(kernel.func.body);
  const launched = heads.filter((loop) => loop.extent > 1);
  const threads = launched.filter(isThread).map((loop) => loop.loopVar);
  const differs = (cond: Expr) => threads.some((v) => usesVar(cond, v)) || readsMemory(cond);
  return [
    rule("device.head", "For", (s, scope) => {
      if (s.forKind !== "bound") return undefined;
      if (!heads.includes(s)) return `loop ${s.loopVar.name} bound to ${s.thread} is not at the kernel's head`;
      const outer = scope.loops.at(-1)?.thread;
      return outer && headOrder.indexOf(outer) >= headOrder.indexOf(s.thread) ? `${s.thread} stands inside ${outer}` : undefined;
    }),
    rule("device.barrier", "Barrier", ({ agent }) =>
      agent === "warpgroup" && kernel.block.reduce((count, extent) => count * extent, 1) % teamSize.warpgroup !== 0
        ? `a barrier of warpgroups of ${teamSize.warpgroup} threads; a block has ${kernel.block.join(" x ")}`
        : undefined,
    ),
    rule("device.parallel", "For", (s) =>
      s.forKind === "parallel" ? `loop ${s.loopVar.name} is parallel; on cuda bind it to a blockIdx or threadIdx` : undefined,
    ),
    rule("device.allocate", "Allocate", ({ buffer }) =>
      buffer.scope === "shared" || buffer.scope === "local" || isFragmentScope(buffer.scope)
        ? undefined
        : `${buffer.name} is allocated in a kernel with scope ${buffer.scope}; shared, local or a fragment's`,
    ),
    rule("device.barrier", ["Barrier", "Wait"], (_, scope) =>
      scope.conditions.some(differs) ? "a barrier would stand under a condition that differs between threads" : undefined,
    ),
    rule("device.async", "Async", (_, scope) =>
      scope.conditions.some(differs)
        ? "a group of copies under a condition that differs between threads; they count their groups, all alike"
        : undefined,
    ),
    rule("device.fold", "Fold", ({ buffer, lanes = 0, ...over }, scope) => {
      if (scope.conditions.some(differs)) return `${buffer.name} would be folded under a condition that differs between threads`;
      if (buffer.scope !== "local") return `${buffer.name} is ${buffer.scope}; lanes fold what each has of its own`;
      if (over.exchange) return foldOfBlocks(kernel, buffer, { ...over, exchange: over.exchange }, scope);
      const row = kernel.block[0];
      return fitsFold(lanes) && lanes <= teamSize.warp && row % lanes === 0
        ? undefined
        : `${lanes} lanes of rows of ${row} threads fold ${buffer.name}; a power of two up to ${teamSize.warp} that divides the row`;
    }),
    rule("device.race", "Store", (s, scope) => {
      // Each lane writes what it keeps of a fragment (device.fragment).
      if (s.buffer.scope === "local" || isFragmentScope(s.buffer.scope)) return undefined;
      const tells = (loop: For) =>
        s.indices.some((e) => usesVar(e, loop.loopVar)) || scope.conditions.some((e) => usesVar(e, loop.loopVar));
      const axis = launched.find((loop) => (s.buffer.scope === "global" || isThread(loop)) && !tells(loop));
      return axis && `all ${axis.extent} values of ${axis.thread} write one element of ${s.buffer.name}`;
    }),
    ...globalOrderRules(kernel),
    ...teamRules(kernel, target, heads),
    ...wgmmaRules(kernel),
    ...roleRules(kernel, target),
    ...clusterRules(kernel, target.level, heads),
    ...channelRules(kernel, target.level, heads, differs),
  ];
}

/** All blocks of the cluster come to it, and each has room for the values of all. */
function foldOfBlocks(
  { func, block: [, y, z], cluster = 1 }: Kernel,
  buffer: Buffer,
  { blocks, exchange }: { readonly blocks?: number; readonly exchange: Buffer },
  { buffers, conditions }: Scope,
): string | undefined {
  const what = `${buffer.name} is folded over ${blocks} blocks`;
  if (blocks !== cluster) return `${what}; the kernel's clusters have ${cluster}`;
  const ranks = ranksIn(headLoops(func.body));
  if (ranks.some(({ loopVar }) => conditions.some((e) => usesVar(e, loopVar))))
    return `${what} under a condition that differs between them: some would wait for the others`;
  const room = y * z * bufferSpan(buffer) * blocks;
  const fits = exchange.scope === "shared" && exchange.dtype === buffer.dtype && exchange.shape[0] === room;
  if (!fits) return `${what} by ${exchange.name}; it takes ${room} ${buffer.dtype} of shared memory`;
  return buffers.has(exchange) ? undefined : `${what} by ${exchange.name}, which is not allocated there`;
}

/** Blocks are not ordered: only the same thread may read what one kernel writes to global memory, at the same place. */
function globalOrderRules(kernel: Kernel): readonly Rule[] {
  const written = new Set<Buffer>();
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "Store" && s.buffer.scope === "global") written.add(s.buffer);
  });
  return [
    rule("device.global-order", "Store", (s) => {
      let wrong: Buffer | undefined;
      walkExpr(s.value, (e) => {
        if (e.kind !== "Load" || !written.has(e.buffer)) return;
        const own = e.buffer === s.buffer && e.indices.every((index, i) => exprEqual(index, s.indices[i] as Expr));
        if (!own) wrong = e.buffer;
      });
      return wrong && `${wrong.name} is written and read in one kernel; other blocks may not have written it yet`;
    }),
  ];
}
