/** Rules of the dialect `lowered` (ir/prim-func.ts): one index an access, no virtual threads. */
import type { PrimFunc } from "../ir/prim-func.ts";
import { lanesOf } from "../ir/visit.ts";
import { commonRules } from "./common-rules.ts";
import { type Rule, type Violation, verifyRules } from "./rule.ts";

export const loweredRules: readonly Rule[] = [
  ...commonRules,
  {
    id: "lowered.flat",
    on: "expr",
    check: (e) =>
      e.kind === "Load" && (e.buffer.shape.length !== 1 || e.buffer.strides)
        ? `${e.buffer.name} is not one-dimensional`
        : undefined,
  },
  {
    id: "lowered.flat",
    on: "stmt",
    check: (s) =>
      (s.kind === "Store" || s.kind === "Allocate") && (s.buffer.shape.length !== 1 || s.buffer.strides)
        ? `${s.buffer.name} is not one-dimensional`
        : undefined,
  },
  {
    id: "lowered.no-vthread",
    on: "stmt",
    check: (s) => (s.kind === "For" && s.thread === "vthread" ? `loop ${s.loopVar.name} is still a vthread` : undefined),
  },
  {
    id: "lowered.lanes",
    on: "stmt",
    check: (s) => {
      if (s.kind !== "Store") return undefined;
      const place = lanesOf(s.indices[0] ?? s.value);
      const value = lanesOf(s.value);
      return place === value ? undefined : `${value} lanes are stored to ${place} places of ${s.buffer.name}`;
    },
  },
];

export const verifyLowered = (func: PrimFunc<"lowered">): readonly Violation[] => verifyRules(func, loweredRules);
