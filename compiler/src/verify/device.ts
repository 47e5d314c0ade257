/**
 * Rules of the dialect `device` (ir/prim-func.ts), codegen's input. Each target says which types and vectors it has. The other
 * rules are common, or concern threads (thread-rules.ts) and OpenMP (host-rules.ts).
 */

import type { Refusal } from "@warpfarm/common";
import { type DType, dtypeBits, isFloat, isPacked } from "@warpfarm/common";
import { type Buffer, isFragmentScope } from "../ir/buffer.ts";
import type { Expr } from "../ir/expr.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { lanesOf } from "../ir/visit.ts";
import { loweredRules } from "./lowered.ts";
import { type Rule, rule, verifyRules } from "./rule.ts";
import { unmatched } from "./team.ts";

export interface DeviceFeatures {
  readonly dtypes: ReadonlySet<DType>;
  readonly vectorDTypes: ReadonlySet<DType>;
  readonly maxVectorBytes: number;
  /** Whether only moves are vectors of the machine, and the rest is done lane by lane (VectorizeOptions). */
  readonly movesAlone: boolean;
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
    // The values made of these have their types.
    rule("device.dtype", ["Load", "Store", "Allocate"], ({ buffer }) => known(buffer.name, buffer.dtype)),
    rule("device.dtype", ["Cast", "IntImm", "FloatImm"], (e) => known(e.kind, e.dtype)),
    rule("device.call", "Call", (e) =>
      e.name === "abs" || isFloat(e.dtype) ? undefined : `${e.name} of ${e.dtype}; it takes floats`,
    ),
    rule("device.vector", "Store", (s) => {
      const index = s.indices[0];
      if (index?.kind !== "Ramp") return undefined;
      return notRamp(index) ?? tooWide(s.buffer, index.lanes, features) ?? notVector(s.value, index.lanes, features);
    }),
  ];
};

const notRamp = (e: Expr): string | undefined =>
  e.kind === "Ramp" && e.stride !== 1 ? `a vector of stride ${e.stride}; neighbours only` : undefined;

/** One access moves so much; values, and arrays in registers, are as many as there are lanes. */
function tooWide({ dtype, scope }: Buffer, lanes: number, { maxVectorBytes }: DeviceFeatures): string | undefined {
  if (scope === "local" || isFragmentScope(scope) || dtypeBits(dtype) * lanes <= maxVectorBytes * 8) return undefined;
  return `a vector of ${lanes} ${dtype}; at most ${maxVectorBytes} bytes`;
}

function notVector(e: Expr, lanes: number, features: DeviceFeatures): string | undefined {
  if (lanesOf(e) !== lanes) return `${e.kind} of ${lanesOf(e)} lanes among ${lanes}`;
  if (!features.vectorDTypes.has(e.dtype)) return `a vector of ${e.dtype}`;
  if (isPacked(e.dtype) && !["Load", "Select", "Broadcast"].includes(e.kind)) return `${e.kind} of a vector of ${e.dtype}`;
  switch (e.kind) {
    case "Broadcast":
      return undefined;
    case "Load":
      return notRamp(e.indices[0] as Expr) ?? tooWide(e.buffer, lanes, features);
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
    case "Call":
      if (!features.movesAlone) return `${e.name} of ${lanes} lanes`;
      return e.args.map((arg) => notVector(arg, lanes, features)).find((fault) => fault !== undefined);
    default:
      return `${e.kind} of ${lanes} lanes`;
  }
}

/** `rules`: those of the kind of target. */
export function verifyDevice(kernel: Kernel, features: DeviceFeatures, rules: readonly Rule[]): readonly Refusal[] {
  const left = unmatched(kernel);
  if (left.length > 0) return left;
  return verifyRules(kernel.func, [...commonDeviceRules(features), ...rules]);
}
