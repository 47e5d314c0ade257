/**
 * Matrix product on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA). A block computes 64 rows for each of its
 * `consumers`, by `columns`; the engine brings 64 of the reduction at a time into a ring of `stages` slots, where products read
 * them, and the next slot's products have begun before those of this one are waited for. With `producer` registers a warpgroup of
 * its own asks the engine, ahead over the end of a tile; else a consumer does on its way. An operand that does not lie along the
 * reduction comes in panels of 64. A block does `waves` tiles one after the other; blocks that run together share rows and
 * columns, numbered in groups of `group` rows of blocks. The result goes from threads to memory, or (`epilogue`) into shared
 * memory, from where the engine stores it while the next tile is computed.
 *
 * The engine takes rows of whole 16 bytes. Other sides are any: tiles reach over the end, where the engine reads zeros.
 */
import { floorDiv, floorMod, indexMap, type LoopRef, type Schedule, type StageRef, wgmma } from "@warpfarm/compiler/language";
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
const wholeEights = (registers: number): number => Math.floor(registers / 8) * 8;

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

/**
 * Of a thread of the producer, and of a consumer, who gets what the producer leaves of the block's registers at its start; one
 * consumer has enough from the start.
 */
function registersOf(consumers: number, producer: number): readonly [number, number] {
  if (consumers === 1) return [0, 0];
  const groups = consumers + 1;
  const held = groups * wholeEights(registerFile / groups);
  return [producer, Math.min(mostRegisters, wholeEights((held - producer) / consumers))];
}

interface Tiles {
  readonly consumers: number;
  readonly columns: number;
  readonly group: number;
  readonly waves: number;
}
interface Place {
  readonly stage: StageRef;
  readonly loop: LoopRef;
}

/** Numbers the tiles in groups of rows and gives them to blocks, `waves` to each; the innermost loop over tiles. */
function bindTiles(sch: Schedule, [it, jo, ib]: readonly [LoopRef, LoopRef, LoopRef], { waves }: Tiles): LoopRef {
  const tiles = sch.fuse([it, jo, ib]);
  if (waves === 1) {
    sch.bind(tiles, "blockIdx.x");
    return tiles;
  }
  const [wave, block] = exactly(2, sch.split(tiles, [waves, null]));
  sch.reorder([block, wave]);
  sch.bind(block, "blockIdx.x");
  return wave;
}

/** A lane has two neighbours in each 8 columns, of each 8 of its warp's 16 rows: it stores them where it is. */
function placeLanes(sch: Schedule, C: StageRef, tiles: Tiles): Place {
  const [i, j] = exactly(2, sch.axes(C));
  const [io, ig, iw, ih, il] = exactly(5, sch.split(i, [null, tiles.consumers, 4, 2, 8]));
  const [jo, jt, jl, jv] = exactly(4, sch.split(j, [null, tiles.columns / 8, 4, 2]));
  const [it, ib] = exactly(2, sch.split(io, [null, tiles.group]));
  sch.reorder([it, jo, ib, ig, iw, il, jl, ih, jt, jv]);
  bindTiles(sch, [it, jo, ib], tiles);
  sch.bind(ig, "threadIdx.y");
  sch.bind(sch.fuse([iw, il, jl]), "threadIdx.x");
  sch.vectorize(jv);
  return { stage: C, loop: ig };
}

/** Lanes put what they have into panels of 64 columns in shared memory, from where the engine takes them. */
function placeBoxes(sch: Schedule, C: StageRef, tiles: Tiles): Place {
  const CS = sch.cacheWrite(C, "shared");
  const [i, j] = exactly(2, sch.axes(C));
  const [io, ii] = exactly(2, sch.split(i, [null, rows * tiles.consumers]));
  const [jo, jp, jj] = exactly(3, sch.split(j, [null, tiles.columns / line, line]));
  const [it, ib] = exactly(2, sch.split(io, [null, tiles.group]));
  sch.reorder([it, jo, ib, jp, ii, jj]);
  const loop = bindTiles(sch, [it, jo, ib], tiles);
  sch.copyBy(C, "tma");

  sch.transformLayout(CS, panels);
  sch.swizzle(CS);
  sch.computeAt(CS, C, loop);
  const [panel, row, column] = exactly(3, sch.axes(CS));
  const [ig, iw, ih, il] = exactly(4, sch.split(row, [null, 4, 2, 8]));
  const [jt, jl, jv] = exactly(3, sch.split(column, [null, 4, 2]));
  sch.reorder([ig, iw, il, jl, ih, panel, jt, jv]);
  for (const each of [ih, panel, jt]) sch.unroll(each);
  sch.bind(ig, "threadIdx.y");
  sch.bind(sch.fuse([iw, il, jl]), "threadIdx.x");
  sch.vectorize(jv);
  return { stage: CS, loop: ig };
}

export const matmulTma = defineTemplate({
  name: "matmul_tma",
  aliases: [],
  summary: "matrix product float16 or bfloat16 on tensor cores (wgmma), fed by the copy engine (TMA)",
  targets: [{ kind: "cuda", from: 90, to: 90, features: ["a"] }],
  args: productArgs,
  check: oddRow,

  // Published by no one: blocks of 128x256 by 64, three slots, groups of 8, a producer, four tiles a block, stored by the engine.
  published: 27043,

  graph: ({ args }) => paddedTo(args, paddedSides(args)),

  space: (space, _, { args }) => {
    const { M, N } = paddedSides(args);
    // The engine stores rows of whole 16 bytes, from panels of 64 rows.
    const epilogues = args.N % unit === 0 && args.M >= rows ? (["direct", "tma"] as const) : (["direct"] as const);
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
      group: space.choice("group", [1, 2, 3, 4, 6, 8, 16, 32]),
      /** Tiles that a block does one after the other. */
      waves: space.choice("waves", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]),
      /** Registers of a thread of the producer; 0: there is none. */
      producer: space.choice("producer", [0, 24, 40]),
      /** Who writes the result: threads where they are, or the engine, out of shared memory. */
      epilogue: space.choice("epilogue", epilogues),
    };
  },

  schedule: (sch, knobs, { args: { dtype, layout } }) => {
    const { consumers, columns, stages, producer, epilogue } = knobs;
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

    const place = epilogue === "direct" ? placeLanes(sch, C, knobs) : placeBoxes(sch, C, knobs);
    if (producer > 0) sch.specialize(C, ...registersOf(consumers, producer));
    sch.computeAt(sums, place.stage, place.loop);
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
