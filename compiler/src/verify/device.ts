/**
 * Rules of the dialect `device` (ir/prim-func.ts): what codegen may see. Each target says which types and vectors it has; the rest is
 * the same, or is about threads (CUDA) and OpenMP (CPU). Codegen has no error paths: what it cannot print is refused here.
 */
import { type DType, dtypeBits, dtypeBytes, isFloat, isPacked } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr } from "../ir/expr.ts";
import { isFragmentScope } from "../ir/intrinsic.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { For, Stmt } from "../ir/stmt.ts";
import { children, lanesOf, usesVar, walkExpr, walkStmt } from "../ir/visit.ts";
import { loweredRules } from "./lowered.ts";
import { type Rule, rule, type Violation, verifyRules } from "./rule.ts";
import { unmatched, warpRules } from "./warp.ts";

export interface DeviceFeatures {
  readonly dtypes: ReadonlySet<DType>;
  readonly vectorDTypes: ReadonlySet<DType>;
  readonly maxVectorBytes: number;
  /** Compute capability times ten; 0 on a CPU. */
  readonly capability: number;
}

const commonDeviceRules = (features: DeviceFeatures): readonly Rule[] => {
  const known = (what: string, dtype: DType) =>
    dtype === "bool" || features.dtypes.has(dtype)
      ? undefined
      : `${what} is ${dtype}; this target has ${[...features.dtypes].join(", ")}`;
  return [
    ...loweredRules,
    rule("device.vectorized", "For", (s) =>
      s.forKind === "vectorized" ? `loop ${s.loopVar.name} is still vectorized` : undefined,
    ),
    // What is made of these is of their types.
    rule("device.dtype", ["Load", "Store", "Allocate"], ({ buffer }) => known(buffer.name, buffer.dtype)),
    rule("device.dtype", ["Cast", "IntImm", "FloatImm"], (e) => known(e.kind, e.dtype)),
    rule("device.call", "Call", (e) =>
      e.name === "abs" || isFloat(e.dtype) ? undefined : `${e.name} of ${e.dtype}; it takes floats`,
    ),
    rule("device.vector", "Store", (s) => {
      const index = s.indices[0];
      return index?.kind === "Ramp" ? (notRamp(index) ?? notVector(s.value, index.lanes, features)) : undefined;
    }),
  ];
};

const notRamp = (e: Expr): string | undefined =>
  e.kind === "Ramp" && e.stride !== 1 ? `a vector of stride ${e.stride}; neighbours only` : undefined;

/** Why codegen could not print a vector value; undefined when it can. */
function notVector(e: Expr, lanes: number, features: DeviceFeatures): string | undefined {
  if (lanesOf(e) !== lanes) return `${e.kind} of ${lanesOf(e)} lanes among ${lanes}`;
  if (!features.vectorDTypes.has(e.dtype)) return `a vector of ${e.dtype}`;
  if (isPacked(e.dtype) && !["Load", "Select", "Broadcast"].includes(e.kind)) return `${e.kind} of a vector of ${e.dtype}`;
  if (dtypeBits(e.dtype) * lanes > features.maxVectorBytes * 8) {
    return `a vector of ${lanes} ${e.dtype}; at most ${features.maxVectorBytes} bytes`;
  }
  switch (e.kind) {
    case "Broadcast":
      return undefined;
    case "Load":
      return notRamp(e.indices[0] as Expr);
    case "Select":
      if (lanesOf(e.cond) > 1) return "a condition that differs between lanes";
      return notVector(e.whenTrue, lanes, features) ?? notVector(e.whenFalse, lanes, features);
    case "Cast":
      if (isPacked(e.value.dtype)) return `a vector of ${e.value.dtype} cast to ${e.dtype}`;
      return notVector(e.value, lanes, features);
    case "Add":
    case "Sub":
    case "Mul":
    case "Div":
    case "Min":
    case "Max":
      return notVector(e.a, lanes, features) ?? notVector(e.b, lanes, features);
    default:
      return `${e.kind} of ${lanes} lanes`;
  }
}

const headLoops = (body: Stmt): readonly For[] => {
  const heads: For[] = [];
  for (let s = body; s.kind === "For" && s.forKind === "bound"; s = s.body) heads.push(s);
  return heads;
};
const headOrder = ["blockIdx.z", "blockIdx.y", "blockIdx.x", "threadIdx.z", "threadIdx.y", "threadIdx.x"];
const isThread = (loop: For): boolean => loop.thread?.startsWith("threadIdx") ?? false;
const readsMemory = (cond: Expr): boolean => cond.kind === "Load" || children(cond).some(readsMemory);

function threadRules(kernel: Kernel, { capability }: DeviceFeatures): readonly Rule[] {
  const heads = headLoops(kernel.func.body);
  const launched = heads.filter((loop) => loop.extent > 1);
  const threads = launched.filter(isThread).map((loop) => loop.loopVar);
  const differs = (cond: Expr) => threads.some((v) => usesVar(cond, v)) || readsMemory(cond);
  return [
    rule("device.head", "For", (s, scope) => {
      if (s.forKind !== "bound") return undefined;
      if (!heads.includes(s)) return `loop ${s.loopVar.name} bound to ${s.thread} is not at the kernel's head`;
      const outer = scope.loops.at(-1)?.thread;
      return outer && headOrder.indexOf(outer) >= headOrder.indexOf(s.thread ?? "")
        ? `${s.thread} stands inside ${outer}`
        : undefined;
    }),
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
      scope.conditions.length > 0 ? "a group of copies under a condition; threads count their groups, all alike" : undefined,
    ),
    rule("device.race", "Store", (s, scope) => {
      if (s.buffer.scope === "local") return undefined;
      const tells = (loop: For) =>
        s.indices.some((e) => usesVar(e, loop.loopVar)) || scope.conditions.some((e) => usesVar(e, loop.loopVar));
      const axis = launched.find((loop) => (s.buffer.scope === "global" || isThread(loop)) && !tells(loop));
      return axis && `all ${axis.extent} values of ${axis.thread} write one element of ${s.buffer.name}`;
    }),
    ...globalOrderRules(kernel),
    ...warpRules(kernel, capability, heads),
  ];
}

/** Blocks are not ordered: what one kernel writes to global memory, only the same thread may read, at the same place. */
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

/** More would overflow the stack of an OpenMP thread (8 MiB by default, 2 in places), and a cache long before. */
const maxStackBytes = 1 << 20;

/** Packed types are a byte an element there. */
const stackBytes = ({ dtype, shape }: Buffer): number => (isPacked(dtype) ? (shape[0] ?? 1) : dtypeBytes(dtype, shape[0]));

const hostRules: readonly Rule[] = [
  rule("device.bound", "For", (s) =>
    s.forKind === "bound"
      ? `loop ${s.loopVar.name} is bound to ${s.thread}; the cpu target has no threads to bind to, use parallel`
      : undefined,
  ),
  rule("device.barrier", "Barrier", () => "a barrier on the cpu target"),
  rule("device.async", ["Async", "Wait"], () => "copies by the machine itself on the cpu target"),
  rule("device.intrinsic", "Invoke", (s) => `${s.intrinsic.name} on the cpu target; intrinsics are PTX`),
  rule("device.stack", "Allocate", (s, scope) => {
    let bytes = stackBytes(s.buffer);
    for (const [buffer, depth] of scope.buffers) if (depth > 0) bytes += stackBytes(buffer);
    return bytes > maxStackBytes
      ? `${bytes} bytes of arrays inside loops, with ${s.buffer.name}; at most ${maxStackBytes}`
      : undefined;
  }),
  rule("device.race", "Store", (s, scope) => {
    const outside = scope.buffers.get(s.buffer) ?? 0;
    const tells = ({ loopVar }: For) =>
      s.indices.some((e) => usesVar(e, loopVar)) || scope.conditions.some((e) => usesVar(e, loopVar));
    const loop = scope.loops.slice(outside).find((l) => l.forKind === "parallel" && l.extent > 1 && !tells(l));
    return loop && `all iterations of the parallel loop ${loop.loopVar.name} write one element of ${s.buffer.name}`;
  }),
];

export function verifyDevice(kernel: Kernel, kind: "cuda" | "cpu", features: DeviceFeatures): readonly Violation[] {
  const left = unmatched(kernel);
  if (left.length > 0) return left;
  return verifyRules(kernel.func, [
    ...commonDeviceRules(features),
    ...(kind === "cuda" ? threadRules(kernel, features) : hostRules),
  ]);
}
