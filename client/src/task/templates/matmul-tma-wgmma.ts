/**
 * Matrix product on the tensor cores of sm_90a by wgmma: a warpgroup computes 64 rows by `columns`, a block has `groups` of them
 * one below the other. The copy engine (TMA) brings 64 of the reduction at a time into a ring of `stages` slots; products read
 * them there, and the next slot's have begun before those of this one are waited for. An operand that does not lie along the
 * reduction comes in panels of 64. With `blocks` a block goes through tile after tile; blocks that run together share rows and
 * columns, numbered in groups of `group` rows of blocks.
 */
import { floorDiv, floorMod, indexMap, wgmma } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { inlinedView } from "./padded.ts";
import { type Product, productArgs, productGraph } from "./product-of-tiles.ts";

/** Rows of a warpgroup; elements of a row of 128 bytes in shared memory, a chunk of the reduction and a panel. */
const rows = 64;
const line = 64;
/** Of the reduction, in one instruction. */
const depth = 16;

const panels = indexMap(["k", "j"], (k, j) => [floorDiv(j, line), k, floorMod(j, line)]);

function unevenSize(args: Product): string | undefined {
  const odd = (["M", "N", "K"] as const).find((name) => args[name] % line !== 0);
  return odd && `${odd} is ${args[odd]}; tiles need a multiple of ${line}`;
}

export const matmulTmaWgmma = defineTemplate({
  name: "matmul_tma_wgmma",
  aliases: [],
  summary: "matrix product float16 or bfloat16 on tensor cores (wgmma), fed by the copy engine (TMA)",
  targets: [{ kind: "cuda", from: 90, to: 90, features: ["a"] }],
  args: productArgs,
  check: unevenSize,

  // Published by no one: blocks of 128x256 by 64, four slots, groups of 8, a block a tile.
  published: 214,

  graph: ({ args }) => productGraph(args),

  space: (space, _, { args: { M, N } }) => ({
    // Tiles are done whole.
    groups: space.choice(
      "groups",
      [1, 2, 3, 4].filter((groups) => M % (rows * groups) === 0),
    ),
    columns: space.choice(
      "columns",
      [64, 128, 192, 256].filter((columns) => N % columns === 0),
    ),
    stages: space.choice("stages", [2, 3, 4, 5, 6, 7, 8]),
    group: space.choice("group", [1, 2, 4, 8, 16]),
    /** 0: as many as there are tiles. */
    blocks: space.choice("blocks", [0, 128]),
  }),

  schedule: (sch, { groups, columns, stages, group, blocks }, { args: { dtype, layout } }) => {
    // Along the reduction, or across it.
    const isAlong = [layout[0] === "N", layout[1] === "T"] as const;
    const lies = (along: boolean) => ({ major: along ? "k" : "mn", swizzle: 128 }) as const;
    const product = wgmma({ dtype, n: columns, a: lies(isAlong[0]), b: lies(isAlong[1]) });
    const [A, B] = exactly(2, sch.graph.inputs);
    const C = sch.stage("C");
    const sums = sch.stage("sums");
    const AS = sch.cacheRead(inlinedView(sch, A), "shared", [sums]);
    const BS = sch.cacheRead(inlinedView(sch, B), "shared", [sums]);
    sch.setScope(sums, "warpgroup.accumulator");
    const inPanels = !isAlong[1] && columns > line;
    sch.transformLayout(
      sums,
      indexMap(["i", "j"], (i, j) => {
        const column = floorMod(j, columns);
        const inner = inPanels ? [floorDiv(column, line), floorMod(column, line)] : [column];
        return [floorDiv(i, rows), floorDiv(j, columns), floorMod(i, rows), ...inner];
      }),
    );

    // A lane has two neighbours in each 8 columns, of each 8 of its warp's 16 rows.
    const [i, j] = exactly(2, sch.axes(C));
    const [io, ig, iw, ih, il] = exactly(5, sch.split(i, [null, groups, 4, 2, 8]));
    const [jo, jt, jl, jv] = exactly(4, sch.split(j, [null, columns / 8, 4, 2]));
    const [it, ib] = exactly(2, sch.split(io, [null, group]));
    sch.reorder([it, jo, ib, ig, iw, il, jl, ih, jt, jv]);
    const tiles = sch.fuse([it, jo, ib]);
    if (blocks === 0) sch.bind(tiles, "blockIdx.x");
    else {
      const [wave, block] = exactly(2, sch.split(tiles, [null, blocks]));
      sch.reorder([block, wave]);
      sch.bind(block, "blockIdx.x");
    }
    sch.bind(ig, "threadIdx.y");
    sch.bind(sch.fuse([iw, il, jl]), "threadIdx.x");
    sch.vectorize(jv);

    sch.computeAt(sums, C, ig);
    const [si, sj, ii, ...columnAxes] = sch.axes(sums);
    if (si === undefined || sj === undefined || ii === undefined) throw new TypeError("the layout of sums has tiles of 64 rows");
    const [ko, ki, kk] = exactly(3, sch.split(exactly(1, sch.reduceAxes(sums))[0], [null, line / depth, depth]));
    sch.reorder([ko, ki, si, sj, ii, ...columnAxes, kk]);
    sch.unroll(ki);
    const sides = [rows * groups, columns] as const;
    for (const [operand, copy] of [AS, BS].entries()) {
      if (!isAlong[operand] && (sides[operand] ?? 0) > line) sch.transformLayout(copy, panels);
      sch.computeAt(copy, sums, ko);
      sch.swizzle(copy);
      sch.pipeline(copy, stages);
      sch.copyBy(copy, "tma");
    }
    sch.tensorize(ii, product);
  },
});
