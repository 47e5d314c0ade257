/** Rules of the dialect `lowered` (ir/prim-func.ts): one index per access, no virtual threads. */

import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { touches, touchingKinds } from "../ir/parts.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { lanesOf } from "../ir/visit.ts";
import { commonRules } from "./common-rules.ts";
import { type Rule, rule, verifyRules } from "./rule.ts";

const isFlat = (buffer: Buffer): boolean => buffer.shape.length === 1 && buffer.strides === undefined;

const notFlat = ({ name }: Buffer): string => `${name} is not one-dimensional`;

export const loweredRules: readonly Rule[] = [
  ...commonRules,
  rule("lowered.flat", ["Load", "Allocate"], ({ buffer }) => (isFlat(buffer) ? undefined : notFlat(buffer))),
  rule("lowered.flat", touchingKinds, (s) => {
    const found = touches(s).find(({ buffer, indices }) => indices && !isFlat(buffer));
    return found && notFlat(found.buffer);
  }),
  rule("lowered.flat", "Fold", ({ buffer }) => (isFlat(buffer) ? undefined : notFlat(buffer))),
  rule("lowered.lanes", "Fold", (s) =>
    s.lanes === undefined && !s.exchange ? `${s.buffer.name} is folded over threadIdx.x, not over lanes` : undefined,
  ),
  rule("lowered.no-vthread", "For", (s) => (s.thread === "vthread" ? `loop ${s.loopVar.name} is still a vthread` : undefined)),
  rule("lowered.lanes", "Store", (s) => {
    const index = s.indices[0];
    const places = index?.kind === "Ramp" ? index.lanes : 1;
    const lanes = lanesOf(s.value);
    return places === lanes ? undefined : `${lanes} lanes are stored to ${places} places of ${s.buffer.name}`;
  }),
];

export const verifyLowered = (func: PrimFunc<"lowered">): readonly Refusal[] => verifyRules(func, loweredRules);
