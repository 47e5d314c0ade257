/** The rules of whatever dialect a function is in. A kernel's own rules (launch axes, limits of codegen) are device.ts'. */
import type { PrimFunc } from "../ir/prim-func.ts";
import { verifyLowered } from "./lowered.ts";
import type { Violation } from "./rule.ts";
import { verifyScheduled } from "./scheduled.ts";

export const verifyFunc = (func: PrimFunc): readonly Violation[] =>
  func.dialect === "scheduled" ? verifyScheduled(func as PrimFunc<"scheduled">) : verifyLowered(func as PrimFunc<"lowered">);
