/**
 * Rules of the dialect `device` (ir/prim-func.ts): what codegen may see. Each target says which types and vectors it has; the rest is
 * the same, or is about threads (CUDA) and OpenMP (CPU). Codegen has no error paths: what it cannot print is refused here.
 */
import { type DType, dtypeBytes, isFloat } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { For, Stmt } from "../ir/stmt.ts";
import { children, lanesOf, usesVar, walkExpr, walkStmt } from "../ir/visit.ts";
import { loweredRules } from "./lowered.ts";
import { type ExprRule, type Rule, type Scope, type StmtRule, type Violation, verifyRules } from "./rule.ts";

export interface DeviceFeatures {
  readonly dtypes: ReadonlySet<DType>;
  readonly vectorDTypes: ReadonlySet<DType>;
  readonly maxVectorBytes: number;
}

const exprRule = (id: string, check: ExprRule["check"]): Rule => ({ id, on: "expr", check });
const stmtRule = (id: string, check: StmtRule["check"]): Rule => ({ id, on: "stmt", check });

/** Operators a vector may have at its top; its parts are vectors of as many lanes. */
const vectorKinds: ReadonlySet<Expr["kind"]> = new Set([
  "Load",
  "Broadcast",
  "Select",
  "Cast",
  "Add",
  "Sub",
  "Mul",
  "Div",
  "Min",
  "Max",
]);

const sharedRules = (features: DeviceFeatures): readonly Rule[] => [
  ...loweredRules,
  stmtRule("device.pragma", (s) => (s.kind === "Attr" && s.key !== "stage" ? `pragma ${s.key} is left` : undefined)),
  stmtRule("device.vectorized", (s) =>
    s.kind === "For" && s.forKind === "vectorized" ? `loop ${s.loopVar.name} is still vectorized` : undefined,
  ),
  stmtRule("device.dtype", (s) => {
    const buffer = s.kind === "Store" || s.kind === "Allocate" ? s.buffer : undefined;
    return buffer && !features.dtypes.has(buffer.dtype) ? unsupported(buffer.name, buffer.dtype, features) : undefined;
  }),
  exprRule("device.dtype", (e) =>
    e.dtype !== "bool" && !features.dtypes.has(e.dtype) ? unsupported(e.kind, e.dtype, features) : undefined,
  ),
  exprRule("device.call", (e) =>
    e.kind === "Call" && e.name !== "abs" && !isFloat(e.dtype) ? `${e.name} of ${e.dtype}; it takes floats` : undefined,
  ),
  exprRule("device.vector", (e) => {
    if (e.kind === "Ramp") return e.stride === 1 ? undefined : `a vector of stride ${e.stride}; neighbours only`;
    const lanes = lanesOf(e);
    if (lanes === 1 || (e.dtype === "int32" && e.kind === "Var")) return undefined;
    if (!vectorKinds.has(e.kind)) return `${e.kind} of ${lanes} lanes`;
    if (!features.vectorDTypes.has(e.dtype)) return `a vector of ${e.dtype}`;
    if (dtypeBytes(e.dtype) * lanes > features.maxVectorBytes) {
      return `a vector of ${lanes} ${e.dtype}; at most ${features.maxVectorBytes} bytes`;
    }
    if (e.kind === "Select" && lanesOf(e.cond) > 1) return "a condition that differs between lanes";
    if (e.kind === "Load" || e.kind === "Broadcast") return undefined;
    const parts = e.kind === "Select" ? [e.whenTrue, e.whenFalse] : children(e);
    return parts.every((part) => lanesOf(part) === lanes) ? undefined : `${e.kind} of parts with different lanes`;
  }),
];
const unsupported = (what: string, dtype: DType, features: DeviceFeatures): string =>
  `${what} is ${dtype}; this target has ${[...features.dtypes].join(", ")}`;

const headLoops = (body: Stmt): readonly For[] => {
  const heads: For[] = [];
  for (let s = body; s.kind === "For" && s.forKind === "bound"; s = s.body) heads.push(s);
  return heads;
};
const headOrder = ["blockIdx.z", "blockIdx.y", "blockIdx.x", "threadIdx.z", "threadIdx.y", "threadIdx.x"];

function threadRules(kernel: Kernel): readonly Rule[] {
  const heads = headLoops(kernel.func.body);
  const isThread = (loop: For) => loop.thread?.startsWith("threadIdx") ?? false;
  const threads = heads.filter((loop) => isThread(loop) && loop.extent > 1).map((loop) => loop.loopVar);
  const launched = heads.filter((loop) => loop.extent > 1);
  const differs = (cond: Expr) => threads.some((v) => usesVar(cond, v)) || readsMemory(cond);
  return [
    stmtRule("device.head", (s, scope) => {
      if (s.kind !== "For" || s.forKind !== "bound") return undefined;
      const depth = heads.indexOf(s);
      if (depth < 0) return `loop ${s.loopVar.name} bound to ${s.thread} is not at the kernel's head`;
      const outer = scope.loops.at(-1)?.thread;
      return outer && headOrder.indexOf(outer) >= headOrder.indexOf(s.thread ?? "")
        ? `${s.thread} stands inside ${outer}`
        : undefined;
    }),
    stmtRule("device.parallel", (s) =>
      s.kind === "For" && s.forKind === "parallel"
        ? `loop ${s.loopVar.name} is parallel; on cuda bind it to a blockIdx or threadIdx`
        : undefined,
    ),
    stmtRule("device.allocate", (s) =>
      s.kind === "Allocate" && s.buffer.scope !== "shared" && s.buffer.scope !== "local"
        ? `${s.buffer.name} is allocated in a kernel with scope ${s.buffer.scope}; shared or local`
        : undefined,
    ),
    stmtRule("device.barrier", (s, scope) => {
      if (s.kind !== "Barrier") return undefined;
      const cond = scope.conditions.find(differs);
      return cond && "a barrier would stand under a condition that differs between threads";
    }),
    stmtRule("device.race", (s, scope) => {
      if (s.kind !== "Store" || s.buffer.scope === "local") return undefined;
      const exprs = [...s.indices, ...scope.conditions];
      const axis = launched.find(
        (loop) => (s.buffer.scope === "global" || isThread(loop)) && !exprs.some((e) => usesVar(e, loop.loopVar)),
      );
      return axis && `all ${axis.extent} values of ${axis.thread} write one element of ${s.buffer.name}`;
    }),
    globalOrderRule(kernel),
  ];
}
const readsMemory = (cond: Expr): boolean => cond.kind === "Load" || children(cond).some(readsMemory);

/** Blocks are not ordered: what one kernel writes to global memory, only the same thread may read, at the same place. */
function globalOrderRule(kernel: Kernel): Rule {
  const written = new Set<Buffer>();
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "Store" && s.buffer.scope === "global") written.add(s.buffer);
  });
  return stmtRule("device.global-order", (s) => {
    if (s.kind !== "Store") return undefined;
    let wrong: Buffer | undefined;
    walkExpr(s.value, (e) => {
      if (e.kind !== "Load" || !written.has(e.buffer)) return;
      const own = e.buffer === s.buffer && e.indices.every((index, i) => exprEqual(index, s.indices[i] as Expr));
      if (!own) wrong = e.buffer;
    });
    return wrong && `${wrong.name} is written and read in one kernel; other blocks may not have written it yet`;
  });
}

/** More would overflow the stack of an OpenMP thread (8 MiB by default, 2 in places), and a cache long before. */
const maxStackBytes = 1 << 20;

function hostRules(): readonly Rule[] {
  return [
    stmtRule("device.bound", (s) =>
      s.kind === "For" && s.forKind === "bound"
        ? `loop ${s.loopVar.name} is bound to ${s.thread}; the cpu target has no threads to bind to, use parallel`
        : undefined,
    ),
    stmtRule("device.barrier", (s) => (s.kind === "Barrier" ? "a barrier on the cpu target" : undefined)),
    stmtRule("device.stack", (s, scope) => {
      if (s.kind !== "Allocate") return undefined;
      let bytes = dtypeBytes(s.buffer.dtype, s.buffer.shape[0]);
      for (const [buffer, depth] of scope.buffers) if (depth > 0) bytes += dtypeBytes(buffer.dtype, buffer.shape[0]);
      return bytes > maxStackBytes
        ? `${bytes} bytes of arrays inside loops, with ${s.buffer.name}; at most ${maxStackBytes}`
        : undefined;
    }),
    stmtRule("device.race", (s, scope: Scope) => {
      if (s.kind !== "Store") return undefined;
      const outside = scope.buffers.get(s.buffer) ?? 0;
      const exprs = [...s.indices, ...scope.conditions];
      const shares = (v: Var) => !exprs.some((e) => usesVar(e, v));
      const loop = scope.loops.slice(outside).find((l) => l.forKind === "parallel" && l.extent > 1 && shares(l.loopVar));
      return loop && `all iterations of the parallel loop ${loop.loopVar.name} write one element of ${s.buffer.name}`;
    }),
  ];
}

export function verifyDevice(kernel: Kernel, kind: "cuda" | "cpu", features: DeviceFeatures): readonly Violation[] {
  return verifyRules(kernel.func, [...sharedRules(features), ...(kind === "cuda" ? threadRules(kernel) : hostRules())]);
}
