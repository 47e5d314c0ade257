/**
 * Products of groups of rows by a matrix of each group (the experts of a mixture), in one launch, on the tensor cores of sm_90a
 * fed by the copy engine (tma-product.ts).
 *
 *   A      (tiles, tile, K)     rows, sorted by group; the rows of each group are padded to whole tiles
 *   B      (groups, N, K), NN: (groups, K, N)     the groups' matrices
 *   group  (tiles), int32       the group of each tile; a number that is none of the groups' stands for an unused tile
 *   C      (tiles, tile, N)     C[t] = A[t] B[group[t]]; zeros in unused tiles
 *
 * It is a batch of products of `tile` rows, whose matrices B are chosen by data. No tile has rows of two groups, so nothing of a
 * neighbour is read or overwritten. Rows that fill up a tile may hold anything; theirs is the only result that is then without
 * meaning. `group` is what vLLM's moe_align_block_size calls expert_ids. ADR 110 says why groups come padded.
 */
import { defineTemplate } from "../define-template.ts";
import { type ArgValues, whole, word } from "../template-args.ts";
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
  groups: whole(8),
  tiles: whole(32),
  tile: whole(128),
  N: whole(4096),
  K: whole(7168),
  dtype: word("bfloat16", tmaTypes),
  layout: word("NT", ["NT", "NN"]),
};

const productOf = ({ groups, tiles, tile, ...rest }: ArgValues<typeof args>): TmaProduct => ({
  ...rest,
  M: tile,
  batch: { count: tiles, b: { groups } },
});

export const groupedTma = defineTemplate({
  ...tmaTemplate,
  name: "grouped_tma",
  // A product's, but two tiles of 128 rows may be of two groups, so there are no pairs along m.
  published: { ...tmaTemplate.published, cluster: 1 },
  summary: "products of groups of rows by a matrix for each group (experts), in one launch: wgmma, fed by the copy engine (TMA)",
  args,
  check: (values) => checkTma(productOf(values)),

  graph: ({ args }) => paddedProduct(productOf(args)),
  space: (space, sch, { args }) => tmaSpace(space, sch, productOf(args)),
  scheduled: (knobs, { args }) => tiledProduct(productOf(args), knobs),
  starts: ({ args }, space, graph) => tmaStarts(productOf(args), space, graph),
  outline: (knobs, { args }) => tmaOutline(knobs, sizesOf(productOf(args)), lineOf(args.dtype)),
  schedule: (sch, knobs, { args }) => scheduleTma(sch, knobs, productOf(args)),
});
