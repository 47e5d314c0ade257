/**
 * Matrix product on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA); see tma-product.ts. Of int8 the result is
 * int32, and exact while no sum leaves its range. Of floats of 8 bits it is bfloat16.
 */
import { defineTemplate } from "../define-template.ts";
import { word } from "../template-args.ts";
import { paddedTo, productArgs } from "./product-of-tiles.ts";
import { checkTma, paddedSides, scheduleTma, tmaSpace, tmaTemplate, tmaTypes } from "./tma-product.ts";
import { tmaStarts } from "./tma-starts.ts";

export const matmulTma = defineTemplate({
  ...tmaTemplate,
  name: "matmul_tma",
  summary: "matrix product float16, bfloat16, float8 or int8 on tensor cores (wgmma), fed by the copy engine (TMA)",
  args: { ...productArgs, dtype: word("float16", tmaTypes) },
  check: checkTma,

  graph: ({ args }) => paddedTo(args, paddedSides(args)),
  space: (space, sch, { args }) => tmaSpace(space, sch, args),
  starts: ({ args }) => tmaStarts(args),
  schedule: (sch, knobs, { args }) => scheduleTma(sch, knobs, args),
});
