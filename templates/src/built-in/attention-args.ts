/**
 * Arguments of attention: B sequences of H heads, M queries and N keys of D elements each, as Q (B, H, M, D), K and V (B, H, N,
 * D).
 */
import { attention, type Graph, graphOf, placeholder } from "@warpfarm/compiler/language";
import { type ArgValues, whole, word } from "../template-args.ts";

export const attentionTypes = ["float16", "bfloat16", "float32", "float64"] as const;
type AttentionType = (typeof attentionTypes)[number];

export const attentionArgs = <T extends AttentionType>(dtype: T, dtypes: readonly T[]) => ({
  B: whole(1),
  H: whole(16),
  M: whole(1024),
  N: whole(1024),
  D: whole(64),
  dtype: word(dtype, dtypes),
  /** causal: a query sees the keys up to its own number. */
  mask: word("full", ["full", "causal"]),
});
export type AttentionArgs = ArgValues<ReturnType<typeof attentionArgs<AttentionType>>>;

export const attentionOperands = ({ B, H, M, N, D, dtype }: AttentionArgs) =>
  [placeholder("Q", [B, H, M, D], dtype), placeholder("K", [B, H, N, D], dtype), placeholder("V", [B, H, N, D], dtype)] as const;

/** Softmax of all scores. Halves are multiplied and summed in float32; weights and result are rounded to them. */
export function attentionGraph(values: AttentionArgs): Graph {
  const operands = attentionOperands(values);
  const sums = values.dtype === "float64" ? "float64" : "float32";
  return graphOf([...operands], [attention(...operands, { isCausal: values.mask === "causal", sums })]);
}
