/**
 * Configs with which a search of a product by wgmma begins: tiles of few estimated cycles, each with as many slots as shared
 * memory has room for.
 *
 * The estimate counts turns of blocks on a multiprocessor, for each step of the reduction the slower of tensor cores and copies,
 * and what a tile costs once. The rate of the tensor cores is an H100's (NVIDIA H100 Tensor Core GPU Architecture, 2022: 512
 * dense fp16 multiply-adds in a cycle of each of 4 tensor cores). The cost of a tile, of adding and the rate of copies were
 * chosen by 26 searches of matmul_tma; bench/starts.bench.mjs says what share of their best the estimate chooses.
 *
 * wgmmaCycles (cuda-cycles.ts) estimates whole configs without splits. Of the tiles of these searches its first three have 0.91
 * of the best in the mean, and those of this estimate 0.97.
 */
import { type DType, dtypeBytes } from "@warpfarm/common";
import { bulkProcessors, type ConfigSpace, type Graph } from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import type { Sizes } from "../outline.ts";
import type { KnobValues } from "../starts.ts";
import { mostColumns, mostConsumers } from "./lane-sums.ts";
import { blocksOf, type Cluster, clustersAtOnce, isSquare, largeClustersFor, rows } from "./tma-places.ts";
import {
  columnsFor,
  fits,
  holdsSums,
  lineOf,
  paddedSides,
  sizesOf,
  splitsFor,
  stagesOf,
  type TmaProduct,
  unitOf,
} from "./tma-product.ts";

/** Bytes of a slot's row: 64 elements of 2 bytes. */
const rowBytes = 128;
const multiplyAddsACycle = 2048;
const copiedACycle = 48;
const tileCycles = 1000;
const addingCycles = 4000;
const sharedBytes = 226 * 1024;
const panel = 64;

interface Tile {
  readonly consumers: number;
  readonly columns: number;
  readonly splits: number;
  readonly cluster: Cluster;
}

/** Cycles of a product, or of a batch, of 16-bit operands of these sizes by tiles of 64 rows for each consumer. */
export function tmaCycles({ M, N, K, batch: count = 1 }: Sizes, { consumers, columns, splits, cluster }: Tile): number {
  const height = rows * consumers;
  const { m, n } = blocksOf(cluster);
  const clusters = Math.ceil((count * Math.ceil(M / height)) / m) * Math.ceil(N / columns / n) * splits;
  const steps = Math.ceil(K / panel / splits);
  const multiplied = (height * columns * panel) / multiplyAddsACycle;
  const copied = ((height / n + columns / m) * rowBytes) / copiedACycle;
  const added = splits === 1 ? 0 : addingCycles + (count * M * N * splits * 4) / bulkProcessors / copiedACycle;
  return Math.ceil(clusters / clustersAtOnce(cluster)) * (steps * Math.max(multiplied, copied) + tileCycles) + added;
}

interface Choices {
  readonly consumers: readonly number[];
  readonly columns: readonly number[];
  readonly splits: readonly number[];
  readonly clusters?: readonly Cluster[];
}

/** At most five tiles, the fewest cycles first. */
export function fewestCycles(sizes: Sizes, { consumers, columns, splits, clusters = [1] }: Choices): readonly Tile[] {
  const tiles = consumers
    .flatMap((height) =>
      columns.flatMap((width) =>
        splits.flatMap((parts) =>
          clusters.map((cluster): Tile => ({ consumers: height, columns: width, splits: parts, cluster })),
        ),
      ),
    )
    .filter(holdsSums);
  const cycles = new Map(tiles.map((tile) => [tile, tmaCycles(sizes, tile)]));
  return tiles.toSorted((a, b) => (cycles.get(a) ?? 0) - (cycles.get(b) ?? 0)).slice(0, 5);
}

export const typeOfResult = ({ outputs }: Graph): DType => exactly(1, outputs)[0].dtype;

export function tmaStarts(args: TmaProduct, space: ConfigSpace, graph: Graph): readonly KnobValues[] {
  const { M } = paddedSides(args);
  const result = typeOfResult(graph);
  // Operands of 8 bits are copied and multiplied twice as fast.
  const tiles = fewestCycles(
    { ...sizesOf(args), K: (args.K * panel) / lineOf(args.dtype) },
    {
      consumers: [1, 2, 3].filter((consumers) => fits(M.padded, rows * consumers)),
      columns: columnsFor(args),
      splits: [1, ...splitsFor(args)],
      clusters: [1, ...largeClustersFor(args)],
    },
  );
  return joining(
    tiles.map((tile) => configOf(args, tile, result)),
    space,
  );
}

/** The residual of what the engine stores joins the ring, where the task has one that may. */
export function joining(starts: readonly KnobValues[], { knobs }: ConfigSpace): readonly KnobValues[] {
  const has = knobs.some(({ name, find }) => name === "residual" && find("ring") !== undefined);
  // It lies in panels as the slots do: in one of B, or of A where a part is as narrow (joinResidual).
  const joins = ({ epilogue, consumers, columns, parts, cluster }: KnobValues) =>
    epilogue === "tma" &&
    !isSquare(cluster as Cluster) &&
    Number(columns) % panel === 0 &&
    (Number(consumers) <= Number(parts) || Number(columns) <= panel * Number(parts));
  return has ? starts.map((start) => (joins(start) ? { ...start, residual: "ring" } : start)) : starts;
}

/** As many of these as fit beside `kept` bytes. `slot`: bytes of the operands of one step. */
export function stagesIn(choices: readonly number[], slot: number, kept: number): number {
  const room = Math.floor((sharedBytes - kept) / slot);
  return choices.findLast((stages) => stages <= room) ?? (choices[0] as number);
}

/** Parts in which the engine stores a tile, and the bytes of shared memory that one of them takes. */
export function partsOf({ consumers, columns }: Tile, result: DType): { readonly parts: number; readonly kept: number } {
  const parts = columns % (2 * lineOf(result)) === 0 ? 2 : 1;
  return { parts, kept: (rows * consumers * columns * dtypeBytes(result)) / parts };
}

function configOf({ M, N, batch }: TmaProduct, tile: Tile, result: DType): KnobValues {
  const { consumers, columns, splits, cluster } = tile;
  const height = rows * consumers;
  // The engine takes whole rows of 16 bytes, in panels of 32 bytes and more.
  const isStored = splits === 1 && N % unitOf(result) === 0 && M >= rows && columns % (lineOf(result) / 4) === 0;
  const { parts, kept } = isStored ? partsOf(tile, result) : { parts: 1, kept: 0 };
  const stages = stagesIn(stagesOf, (height + columns) * rowBytes, kept);
  const rowsOfTiles = (batch?.count ?? 1) * Math.ceil(M / height);
  const tiles = rowsOfTiles * Math.ceil(N / columns);
  const isOften = splits === 1 && tiles > bulkProcessors;
  const group = isOften ? 16 : 1;
  return {
    ...{ consumers, columns, stages, group, waves: isOften ? 0 : 1, producer: consumers === 1 ? 24 : 40 },
    ...{ epilogue: splits > 1 ? splits : isStored ? "tma" : "direct", cluster, order: orderOf(rowsOfTiles, group), parts },
  };
}

/** Whole groups are numbered faster. The last of them may reach far beyond the last row, where a narrower one does not. */
export const orderOf = (rowsOfTiles: number, group: number) => (rowsOfTiles % group === 0 ? "rows" : "group");

/** Slots of a ring of which each has both halves of each operand. */
export const stagesOfThree: readonly number[] = [2, 3, 4];

/** Products of halves, with sums of two levels: three products and both halves of each operand in a step of 32 elements. */
export function threeTf32Starts(args: TmaProduct): readonly KnobValues[] {
  const { M, N, K } = paddedSides(args);
  const steps = (3 * K.padded) / lineOf(args.dtype);
  const tiles = fewestCycles(
    { M: args.M, N: args.N, K: steps * panel },
    {
      consumers: [1, mostConsumers].filter((consumers) => fits(M.padded, rows * consumers)),
      columns: [64, 96, mostColumns].filter((columns) => N.padded % columns === 0),
      splits: [1],
    },
  );
  return tiles.map((tile) => {
    const stages = stagesIn(stagesOfThree, 2 * (rows * tile.consumers + tile.columns) * rowBytes, 0);
    return { ...configOf(args, tile, "float32"), stages, epilogue: "direct", parts: 1, chunk: 4 };
  });
}
