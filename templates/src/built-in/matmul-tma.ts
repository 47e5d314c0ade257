/** Matrix product on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA); see tma-product.ts. */
import { defineTemplate } from "../define-template.ts";
import { paddedTo, productArgs } from "./product-of-tiles.ts";
import { paddedSides, scheduleTma, tmaSpace, tmaTemplate } from "./tma-product.ts";
import { tmaStarts } from "./tma-starts.ts";

export const matmulTma = defineTemplate({
  ...tmaTemplate,
  name: "matmul_tma",
  summary: "matrix product float16 or bfloat16 on tensor cores (wgmma), fed by the copy engine (TMA)",
  args: productArgs,

  graph: ({ args }) => paddedTo(args, paddedSides(args)),
  space: (space, sch, { args }) => tmaSpace(space, sch, args),
  starts: ({ args }) => tmaStarts(args),
  schedule: (sch, knobs, { args }) => scheduleTma(sch, knobs, args),
});
