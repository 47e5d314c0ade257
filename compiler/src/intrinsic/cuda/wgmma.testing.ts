/** Products by wgmma for tests: a small one, and the kernels that one is lowered to. */
import { parseTarget } from "@warpfarm/common";
import { type Product, scheduleOf } from "../../../../test-support/programs/warpgroups.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { nestOf } from "../../schedule/primitives/primitive.testing.ts";
import { lowerVerified } from "../../target/index.ts";

export const target = parseTarget("cuda/sm_90a");

export function lowered(p: Product): readonly Kernel[] {
  const made = lowerVerified(nestOf(scheduleOf(p)), target);
  if (!made.ok) throw new Error(made.error.map((e) => `${e.rule}: ${e.message}`).join("\n"));
  return made.value;
}
export const small: Product = {
  dtype: "float16",
  layout: "NT",
  size: [64, 32, 64],
  n: 32,
  groups: 1,
  chunk: 32,
  slots: 2,
  span: 64,
};
