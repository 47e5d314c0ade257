/**
 * Matrix product on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA). A block computes 64 rows for each of its
 * `consumers`, by `columns`; the engine brings 64 of the reduction at a time into a ring of `stages` slots, where products read
 * them, and the next slot's products have begun before those of this one are waited for. With `producer` registers a warpgroup of
 * its own asks the engine, ahead over the end of a tile; else a consumer does on its way. An operand that does not lie along the
 * reduction comes in panels of 64. With `blocks` a block goes through tile after tile; blocks that run together share rows and
 * columns, numbered in groups of `group` rows of blocks.
 *
 * The engine takes rows of whole 16 bytes. Other sides are any: tiles reach over the end, where the engine reads zeros.
 */
import { floorDiv, floorMod, indexMap, wgmma } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { inlinedView, paddedExtent } from "./padded.ts";
import { type Product, paddedTo, productArgs } from "./product-of-tiles.ts";

/** Rows of a consumer; elements of a row of 128 bytes in shared memory, a chunk of the reduction and a panel. */
const rows = 64;
const line = 64;
/** Of the reduction, in one instruction. */
const depth = 16;
/** Elements of 16 bytes. */
const unit = 8;
/** Of a thread of each of a block's warpgroups, all together. */
const registerFile = 512;
const mostRegisters = 240;

const panels = indexMap(["k", "j"], (k, j) => [floorDiv(j, line), k, floorMod(j, line)]);

/** Along the reduction, or across it. */
const liesAlong = (layout: Product["layout"]): readonly [boolean, boolean] => [layout[0] === "N", layout[1] === "T"];

function oddRow({ M, N, K, layout }: Product): string | undefined {
  const [a, b] = liesAlong(layout);
  const rowOf = { A: a ? K : M, B: b ? K : N };
  const odd = (["A", "B"] as const).find((operand) => rowOf[operand] % unit !== 0);
  return odd && `a row of ${odd} has ${rowOf[odd]} elements; the copy engine takes multiples of ${unit}, which are 16 bytes`;
}

/** To whole tiles, of more sizes where that adds little. */
const paddedSides = ({ M, N, K }: Product) => ({
  M: { extent: M, padded: paddedExtent(M, [128, rows]) },
  N: { extent: N, padded: paddedExtent(N, [256, 192, 128, 64]) },
  K: { extent: K, padded: paddedExtent(K, [line]) },
});

/** Of a thread of the producer, and of a consumer, who gets what the producer leaves; one consumer has enough from the start. */
const registersOf = (consumers: number, producer: number): readonly [number, number] =>
  consumers === 1 ? [0, 0] : [producer, Math.min(mostRegisters, Math.floor((registerFile - producer) / consumers / 8) * 8)];

export const matmulTma = defineTemplate({
  name: "matmul_tma",
  aliases: [],
  summary: "matrix product float16 or bfloat16 on tensor cores (wgmma), fed by the copy engine (TMA)",
  targets: [{ kind: "cuda", from: 90, to: 90, features: ["a"] }],
  args: productArgs,
  check: oddRow,

  // Published by no one: blocks of 128x256 by 64, four slots, groups of 8, a producer, 128 blocks.
  published: 2104,

  graph: ({ args }) => paddedTo(args, paddedSides(args)),

  space: (space, _, { args }) => {
    const { M, N } = paddedSides(args);
    return {
      // Tiles are done whole.
      consumers: space.choice(
        "consumers",
        [1, 2, 3, 4].filter((consumers) => M.padded % (rows * consumers) === 0),
      ),
      columns: space.choice(
        "columns",
        [64, 96, 128, 160, 192, 224, 256].filter(
          (columns) => N.padded % columns === 0 && (liesAlong(args.layout)[1] || columns % line === 0),
        ),
      ),
      stages: space.choice("stages", [2, 3, 4, 5, 6, 7, 8]),
      group: space.choice("group", [1, 2, 4, 8, 16, 32]),
      /** 0: as many as there are tiles. */
      blocks: space.choice("blocks", [0, 128]),
      /** Registers of a thread of the producer; 0: there is none. */
      producer: space.choice("producer", [0, 24, 40]),
    };
  },

  schedule: (sch, { consumers, columns, stages, group, blocks, producer }, { args: { dtype, layout } }) => {
    const isAlong = liesAlong(layout);
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
    const [io, ig, iw, ih, il] = exactly(5, sch.split(i, [null, consumers, 4, 2, 8]));
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
    if (producer > 0) sch.specialize(C, ...registersOf(consumers, producer));

    sch.computeAt(sums, C, ig);
    const [si, sj, ii, ...columnAxes] = sch.axes(sums);
    if (si === undefined || sj === undefined || ii === undefined) throw new TypeError("the layout of sums has tiles of 64 rows");
    const [ko, ki, kk] = exactly(3, sch.split(exactly(1, sch.reduceAxes(sums))[0], [null, line / depth, depth]));
    sch.reorder([ko, ki, si, sj, ii, ...columnAxes, kk]);
    sch.unroll(ki);
    const sides = [rows * consumers, columns] as const;
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
