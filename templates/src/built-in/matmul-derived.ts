/**
 * Matrix product of any type and shape, on any target, with a derived schedule: C (M, N) = A B, the letters of `layout` as
 * matmul_simt has them. Whole numbers are summed in int32, float64 in float64, all else in float32; float16 and bfloat16 are
 * rounded at the end.
 */
import { type Buffer, castTensor, graphOf, matmul, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { whole, word } from "../template-args.ts";

const results = {
  float32: { sums: "float32", out: "float32" },
  float16: { sums: "float32", out: "float16" },
  bfloat16: { sums: "float32", out: "bfloat16" },
  float64: { sums: "float64", out: "float64" },
  int8: { sums: "int32", out: "int32" },
  uint8: { sums: "int32", out: "int32" },
  int32: { sums: "int32", out: "int32" },
} as const;
const dtypes = Object.keys(results) as (keyof typeof results)[];
const layouts = ["NN", "NT", "TN", "TT"] as const;

export const matmulDerived = defineTemplate({
  name: "matmul_derived",
  aliases: [],
  summary: "matrix product of any type and shape, with a derived schedule",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args: { M: whole(512), N: whole(512), K: whole(512), dtype: word("float32", dtypes), layout: word("NN", layouts) },

  graph: ({ args: { M, N, K, dtype, layout } }) => {
    const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K], dtype);
    const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N], dtype);
    const { sums, out } = results[dtype];
    // The operator names B's letter first.
    const letters = `${layout[1]}${layout[0]}` as typeof layout;
    const product = (name: string): Buffer => matmul(A, B, { layout: letters, name, outDtype: sums });
    return graphOf([A, B], [sums === out ? product("C") : castTensor(product("sums"), out, { name: "C" })]);
  },
});
