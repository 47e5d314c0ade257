/**
 * Matrix product on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA); see tma-product.ts. Of int8 the result is
 * int32, and exact while no sum leaves its range. Of floats of 8 bits it is bfloat16. Of a batch, A and C have `batch` matrices,
 * and B as many or one for all (`b`), in one launch.
 */
import { defineTemplate } from "../define-template.ts";
import { type ArgValues, optional, whole, word } from "../template-args.ts";
import { productArgs } from "./product-of-tiles.ts";
import {
  checkTma,
  lineOf,
  paddedProduct,
  scheduleTma,
  sizesOf,
  type TmaProduct,
  tiledProduct,
  tmaOutline,
  tmaSpace,
  tmaTemplate,
  tmaTypes,
} from "./tma-product.ts";
import { tmaStarts } from "./tma-starts.ts";

const args = {
  ...productArgs,
  dtype: word("float16", tmaTypes),
  batch: optional(whole(1)),
  b: optional(word("own", ["own", "shared"])),
};

const productOf = ({ batch: count, b, ...product }: ArgValues<typeof args>): TmaProduct => ({
  ...product,
  batch: count > 1 ? { count, b } : undefined,
});

export const matmulTma = defineTemplate({
  ...tmaTemplate,
  name: "matmul_tma",
  summary: "matrix product float16, bfloat16, float8 or int8 on tensor cores (wgmma), fed by the copy engine (TMA)",
  args,
  check: (args) => checkTma(productOf(args)),

  graph: ({ args }) => paddedProduct(productOf(args)),
  space: (space, sch, { args }) => tmaSpace(space, sch, productOf(args)),
  scheduled: (knobs, { args }) => tiledProduct(productOf(args), knobs),
  starts: ({ args }, space, graph) => tmaStarts(productOf(args), space, graph),
  outline: (knobs, { args }) => tmaOutline(knobs, sizesOf(productOf(args)), lineOf(args.dtype)),
  schedule: (sch, knobs, { args }) => scheduleTma(sch, knobs, productOf(args)),
});
