/**
 * Matrix product of any type and shape, on any target, with a derived schedule: C (M, N) = A B, the letters of `layout` as
 * matmul_simt has them; sums and result are of the types that product-of-tiles.ts lists.
 */
import { type Buffer, castTensor, graphOf, matmul, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { whole, word } from "../template-args.ts";
import { productTypes } from "./product-of-tiles.ts";

const dtypes = Object.keys(productTypes) as (keyof typeof productTypes)[];
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
    const { sums, out } = productTypes[dtype];
    // The operator names B's letter first.
    const letters = `${layout[1]}${layout[0]}` as typeof layout;
    const product = (name: string): Buffer => matmul(A, B, { layout: letters, name, outDtype: sums });
    return graphOf([A, B], [sums === out ? product("C") : castTensor(product("sums"), out, { name: "C" })]);
  },
});
