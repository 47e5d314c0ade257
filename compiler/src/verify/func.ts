import type { Refusal } from "@warpfarm/common";
import type { PrimFunc } from "../ir/prim-func.ts";
import { verifyLowered } from "./lowered.ts";
import { verifyScheduled } from "./scheduled.ts";

export const verifyFunc = (func: PrimFunc): readonly Refusal[] =>
  func.dialect === "scheduled" ? verifyScheduled(func as PrimFunc<"scheduled">) : verifyLowered(func as PrimFunc<"lowered">);
