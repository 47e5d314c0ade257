/**
 * Matrix product of float32 on the tensor cores of sm_90a, which take tf32: 11 significant bits. A factor x is the sum of two,
 * big = tf32(x) and small = tf32(x - big), and a product the sum of three: small*big + big*small + big*big. What is left out,
 * small*small and the rest of both factors, is below 2^-21 of the product. Source: NVIDIA CUTLASS, example 27
 * (3xTF32), and H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the FP32
 * theoretical peak performance", 2022.
 *
 *   halves    A kernel for each operand writes [half][row][k], big then small, with zeros up to whole tiles. So any layout and
 *             any size is taken, and the copy engine brings both halves in one box.
 *   product   The schedule of matmul_tma (tma-product.ts). A slot has both halves of 32 elements of the reduction.
 *   sums      Tensor cores cut off instead of rounding. After 2 or 4 slots lanes add what they have to sums of their own
 *             (lane-sums.ts): with one sum of 4096 terms the error would be above 1e-5.
 *
 * Of infinite elements, and those that tf32 rounds to infinity (from 3.4e38 on), the small half is not a number, nor is a sum
 * with them.
 */
import {
  at,
  type Buffer,
  compute,
  type Expr,
  equal,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  mostElements,
  mul,
  reduceAxis,
  type Schedule,
  type SpaceBuilder,
  type StageRef,
  select,
  sub,
  sum,
  tf32,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import type { KnobValues } from "../starts.ts";
import type { ArgValues } from "../template-args.ts";
import { mostColumns, mostConsumers } from "./lane-sums.ts";
import { type PaddedAxis, zeroBeyond } from "./padded.ts";
import { productArgs, productGraph } from "./product-of-tiles.ts";
import { rows } from "./tma-places.ts";
import { fits, lineOf, paddedSides, scheduleTma, type TmaProduct, tmaTemplate } from "./tma-product.ts";
import { stagesOfThree, threeTf32Starts } from "./tma-starts.ts";

const { dtype: _, ...args } = productArgs;
/** Steps of 32 elements that tensor cores add up at most. */
const mostChunk = 4;
type Args = ArgValues<typeof args>;
const products = 3;

/** Why the halves of an operand cannot be indexed. */
function tooLarge(given: Args): string | undefined {
  const { M, N, K } = paddedSides(ofHalves(given));
  const operand = (
    [
      ["A", M],
      ["B", N],
    ] as const
  ).find(([, rows]) => 2 * rows.padded * K.padded > mostElements);
  if (!operand) return undefined;
  const [name, { padded }] = operand;
  return `both halves of ${name} have 2 x ${padded} x ${K.padded} elements; at most ${mostElements} can be indexed`;
}

/** The product of the halves: both lie along the reduction, which has zeros up to a whole number of chunks. */
const ofHalves = (given: Args): TmaProduct => {
  const chunk = mostChunk * lineOf("float32");
  return { ...given, K: Math.ceil(given.K / chunk) * chunk, dtype: "float32", layout: "NT" };
};

/**
 * The error that is allowed, for inputs of the default fill: sums have the size of sqrt(K), their errors a standard deviation of
 * at most 2e-6 of that, and the largest of some millions is 6 standard deviations.
 */
const toleranceOf = ({ K }: Args) => ({ tolerance: { C: { atol: 6 * 2e-6 * Math.sqrt(K) } } });

function plainGraph(given: Args): Graph {
  const { inputs, outputs } = productGraph({ ...given, dtype: "float32" });
  return graphOf(inputs, outputs, toleranceOf(given));
}

/** Both halves of an operand, whose rows are those of the product: [half, row, k]. */
function halvesOf(operand: Buffer, rows: PaddedAxis, k: PaddedAxis, isAlong: boolean): Buffer {
  const axes = [
    ["h", 2],
    ["i", rows.padded],
    ["k", k.padded],
  ] as const;
  return compute(`${operand.name}_halves`, axes, (h, i, kk) => {
    const value = isAlong ? at(operand, i, kk) : at(operand, kk, i);
    const half = select(equal(h, 0), tf32(value), tf32(sub(value, tf32(value))));
    return zeroBeyond(half, [
      [i, rows],
      [kk, k],
    ]);
  });
}

function graphOfHalves(given: Args): Graph {
  const [A, B] = exactly(2, plainGraph(given).inputs);
  const { M, N, K } = paddedSides(ofHalves(given));
  const sides = { M, N, K: { ...K, extent: given.K } };
  const left = halvesOf(A, sides.M, sides.K, given.layout[0] === "N");
  const right = halvesOf(B, sides.N, sides.K, given.layout[1] === "T");
  const k = reduceAxis("k", sides.K.padded);
  const t = reduceAxis("t", products);
  // small * big, big * small, big * big
  const leftHalf = floorDiv(sub(2, t.loopVar), 2);
  const rightHalf = floorMod(t.loopVar, 2);
  const factor = (halves: Buffer, half: Expr, row: Expr): Expr => tf32(at(halves, half, row, k.loopVar));
  const padded = [
    ["i", sides.M.padded],
    ["j", sides.N.padded],
  ] as const;
  const sums = compute("sums", padded, (i, j) => sum(mul(factor(left, leftHalf, i), factor(right, rightHalf, j)), [k, t]));
  const result = [
    ["i", given.M],
    ["j", given.N],
  ] as const;
  return graphOf([A, B], [compute("C", result, (i, j) => at(sums, i, j))], toleranceOf(given));
}

const lanes = 256;
const side = 32;

/** A thread reads an element and writes both halves. Where rows lie across, a tile of 32 by 32 is turned in shared memory. */
function scheduleHalves(sch: Schedule, operand: Buffer, isAlong: boolean): StageRef {
  const halves = sch.stage(`${operand.name}_halves`);
  const [h, i, k] = exactly(3, sch.axes(halves));
  if (isAlong) {
    const [block, thread] = exactly(2, sch.split(sch.fuse([i, k]), [null, lanes]));
    sch.reorder([block, thread, h]);
    sch.bind(block, "blockIdx.x");
    sch.bind(thread, "threadIdx.x");
    sch.unroll(h);
    return halves;
  }
  const [io, turn, ii] = exactly(3, sch.split(i, [null, side / 8, 8]));
  const [ko, kk] = exactly(2, sch.split(k, [null, side]));
  sch.reorder([io, ko, ii, kk, turn, h]);
  const block = sch.fuse([io, ko]);
  sch.bind(block, "blockIdx.x");
  sch.bind(ii, "threadIdx.y");
  sch.bind(kk, "threadIdx.x");
  sch.unroll(turn);
  sch.unroll(h);
  const tile = sch.cacheRead(operand, "shared", [halves]);
  sch.computeAt(tile, halves, block);
  sch.storageAlign(tile, 0, side, 1);
  const [row, column] = exactly(2, sch.axes(tile));
  const [again, y] = exactly(2, sch.split(row, [null, 8]));
  sch.unroll(again);
  sch.bind(y, "threadIdx.y");
  sch.bind(column, "threadIdx.x");
  return halves;
}

/** Knobs of tma-product.ts. Lanes store what they have added up, and tiles are as large as lanes can hold twice. */
function spaceOf(space: SpaceBuilder, args: TmaProduct) {
  const { M, N } = paddedSides(args);
  const consumers = [1, mostConsumers].filter((count) => fits(M.padded, rows * count));
  const columns = [64, 96, mostColumns].filter((width) => N.padded % width === 0);
  return {
    consumers: space.choice("consumers", consumers),
    columns: space.choice("columns", columns),
    stages: space.choice("stages", stagesOfThree),
    group: space.choice("group", [1, 2, 4, 8, 16, 32]),
    waves: space.choice("waves", [1, 2, 4, 8, 0]),
    // A consumer that filled slots itself would wait for its products at each end of a chunk.
    producer: space.choice("producer", [24, 40]),
    epilogue: space.choice("epilogue", ["direct"]),
    cluster: space.choice("cluster", [1, "2m", "2n"]),
    order: space.choice("order", ["rows", "group", "hilbert"]),
    parts: space.choice("parts", [1]),
    chunk: space.choice("chunk", [mostChunk / 2, mostChunk]),
  };
}

const published: KnobValues = {
  ...{ consumers: 2, columns: 128, stages: 3, group: 16, waves: 0, producer: 40, epilogue: "direct", cluster: 1, order: "rows" },
  ...{ parts: 1, chunk: 4 },
};

export const matmul3xTf32 = defineTemplate({
  ...tmaTemplate,
  published,
  name: "matmul_3xtf32",
  summary: "matrix product float32 as the sum of three of tf32 on tensor cores (wgmma), to 2e-6 of the result's size",
  args,
  check: tooLarge,

  reference: ({ args: given }) => plainGraph(given),
  graph: ({ args: given }) => graphOfHalves(given),
  space: (space, _sch, { args: given }) => spaceOf(space, ofHalves(given)),
  starts: ({ args: given }) => threeTf32Starts(ofHalves(given)),
  schedule: (sch, knobs, { args: given }) => {
    const [A, B] = exactly(2, sch.graph.inputs);
    const halves = [scheduleHalves(sch, A, given.layout[0] === "N"), scheduleHalves(sch, B, given.layout[1] === "T")];
    scheduleTma(sch, knobs, ofHalves(given), halves);
  },
});
