/**
 * A linear layer: C = activation(scale A B + bias + residual), on the tensor cores of sm_90a, fed by the copy engine
 * (tma-product.ts). A thread applies the formula to its sums before it stores them, so no product is written and read again.
 * bias (N) is added to each row, residual (M, N) to each element; both have the operands' type, the formula is float32.
 */
import { add, at, type Buffer, cast, type Expr, maximum, mul, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { type ArgValues, real, word } from "../template-args.ts";
import { type Formula, paddedTo, productArgs } from "./product-of-tiles.ts";
import { paddedSides, scheduleTma, tmaSpace, tmaTemplate } from "./tma-product.ts";

const isThere = ["no", "yes"] as const;
const args = {
  ...productArgs,
  scale: real(1),
  bias: word("yes", isThere),
  residual: word("no", isThere),
  activation: word("none", ["none", "relu"]),
  out: word("operands", ["operands", "float32"]),
};

function formulaOf({ M, N, dtype, scale, bias, residual, activation, out }: ArgValues<typeof args>): Formula {
  const biases = bias === "yes" ? placeholder("bias", [N], dtype) : undefined;
  const others = residual === "yes" ? placeholder("residual", [M, N], dtype) : undefined;
  const wide = (x: Expr): Expr => cast("float32", x);
  return {
    inputs: [biases, others].filter((input): input is Buffer => input !== undefined),
    of(sum, i, j) {
      let value = scale === 1 ? sum : mul(sum, scale);
      if (biases) value = add(value, wide(at(biases, j)));
      if (others) value = add(value, wide(at(others, i, j)));
      if (activation === "relu") value = maximum(value, 0);
      return out === "float32" ? value : cast(dtype, value);
    },
  };
}

export const linearTma = defineTemplate({
  ...tmaTemplate,
  name: "linear_tma",
  summary: "linear layer float16 or bfloat16 on tensor cores (wgmma): scale, bias, residual and ReLU with the product",
  args,

  graph: ({ args: given }) => paddedTo(given, paddedSides(given), formulaOf(given)),
  space: (space, _, { args: given }) => tmaSpace(space, given),
  schedule: (sch, knobs, { args: given }) => scheduleTma(sch, knobs, given),
});
