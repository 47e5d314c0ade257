/**
 * Knobs and schedule of the matrix products by wgmma (sm_90a). The copy engine (TMA) brings the operands, tensor cores multiply.
 *
 *   tile        A block computes 64 rows for each of its `consumers` (warpgroups), by `columns`.
 *   ring        The engine brings 128 bytes of the reduction at a time into a ring of `stages` slots in shared memory.
 *               Products of the next slot begin before those of this slot have ended.
 *   producer    With `producer` registers per thread, a warpgroup of its own starts the copies, ahead into the next tile. With
 *               0, a consumer starts them.
 *   waves       A block computes this number of tiles one after the other; 0 = as many blocks as run at once. At 4096 four
 *               tiles on each of 128 multiprocessors are 1 to 2 % faster than 0 with 132 (H200).
 *   order       Tiles are numbered in groups of `group` rows of tiles, or along Hilbert's curve, so that blocks that run together
 *               share rows and columns.
 *   cluster     Two to eight blocks have neighbouring tiles. Each starts a share of the copies of the operand that it reads with
 *               those along m or along n, and every copy comes to these.
 *   epilogue    Threads store the result; or they write it to shared memory and the engine stores it (tma), the tile in `parts`;
 *               or the reduction is split: blocks write sums of 1/2, 1/4 or 1/8 of it, and a second kernel adds them (2, 4, 8).
 *   chunk       Of floats of 8 and 32 bits: tensor cores add up so many steps, then lanes add them to float32 sums of their own.
 *
 * An operand of 16 bits that does not lie along the reduction comes in panels of 64, B of columns that 64 does not divide of 32;
 * tensor cores do not take one of 8 bits. The engine takes rows of whole 16 bytes. Other extents are free: tiles reach beyond the
 * end, where the engine reads zeros and stores nothing.
 */
import { type DType, dtypeBytes, isFloat8, type TargetNeed } from "@warpfarm/common";
import {
  type Bound,
  bulkProcessors,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  indexMap,
  type LoopRef,
  registersOfProduct,
  type Schedule,
  ScheduleError,
  type SpaceBuilder,
  type StageRef,
  wgmma,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import { type Outline, outlineOf, type Sizes } from "../outline.ts";
import { addByLanes, checkLaneSums } from "./lane-sums.ts";
import { inlinedView, paddedExtent, wholeMultiple } from "./padded.ts";
import { type Product, paddedTo } from "./product-of-tiles.ts";
import {
  addParts,
  blocksOf,
  inLargeClusters,
  largeClustersFor,
  panelsOf,
  placeLanes,
  residualOf,
  rows,
  type Sides,
  splitSums,
  storedByEngine,
  sumsOfParts,
  tagOfRows,
} from "./tma-places.ts";

export const tmaTypes = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8"] as const;
export type TmaProduct = Product<(typeof tmaTypes)[number] | "float32">;

/** Elements of 128 bytes: a row in shared memory, a chunk of the reduction, the width of a panel. */
export const lineOf = (dtype: DType): number => 128 / dtypeBytes(dtype);
/** Elements of 16 bytes, of which the engine takes whole ones. */
export const unitOf = (dtype: DType): number => 16 / dtypeBytes(dtype);
/** Registers per thread, summed over the block's warpgroups: 65536 / 128. */
const registerFile = 512;
const mostRegisters = 240;
const wholeEights = (registers: number): number => Math.floor(registers / 8) * 8;

const liesAlong = (layout: TmaProduct["layout"]): readonly [boolean, boolean] => [layout[0] === "N", layout[1] === "T"];

export function checkTma({ M, N, K, dtype, layout }: TmaProduct): string | undefined {
  if (dtypeBytes(dtype) === 1 && layout !== "NT")
    return `layout is ${layout}; tensor cores take ${dtype} along the reduction alone, which is NT`;
  const [a, b] = liesAlong(layout);
  const unit = unitOf(dtype);
  const rowOf = { A: a ? K : M, B: b ? K : N };
  const odd = (["A", "B"] as const).find((operand) => rowOf[operand] % unit !== 0);
  return odd && `a row of ${odd} has ${rowOf[odd]} elements; the copy engine takes multiples of ${unit}, which are 16 bytes`;
}

/** The common part of these templates. Their published entries were measured here. */
export const tmaTemplate = {
  aliases: [],
  targets: [{ kind: "cuda", from: 90, to: 90, features: ["a"] }] satisfies readonly TargetNeed[],
  // 128x256 by 64, four slots, groups of 8, a producer, a block for each multiprocessor, pairs along m, stored in two parts.
  published: {
    consumers: 2,
    columns: 256,
    stages: 4,
    group: 8,
    waves: 0,
    producer: 40,
    epilogue: "tma",
    cluster: "2m",
    order: "rows",
    parts: 2,
  },
};

/** Extents, padded to whole tiles: to a large tile where that adds little. */
export const paddedSides = ({ M, N, K, dtype }: TmaProduct) => ({
  M: { extent: M, padded: paddedExtent(M, [128, rows]) },
  N: { extent: N, padded: paddedExtent(N, [256, 192, 128, 64]) },
  K: { extent: K, padded: paddedExtent(K, [lineOf(dtype)]) },
});

/** The product, of operands with zeros up to whole tiles. */
export const paddedProduct = (args: TmaProduct): Graph => paddedTo(args, paddedSides(args));

/** Parts of the reduction, of which each block sums one. */
export const splitsOf = ({ epilogue }: Pick<TmaKnobs, "epilogue">): number => (typeof epilogue === "number" ? epilogue : 1);

/** The same for one config: up to whole tiles of its columns, and to as many steps of the reduction in each part. */
export function tiledProduct(args: TmaProduct, { columns, epilogue }: Pick<TmaKnobs, "columns" | "epilogue">): Graph {
  const steps = splitsOf({ epilogue });
  const { M } = paddedSides(args);
  return paddedTo(args, { M, N: wholeMultiple(args.N, columns), K: wholeMultiple(args.K, lineOf(args.dtype) * steps) });
}

/** Whether so many rows and columns make so few tiles that parts of the reduction may have blocks of their own. */
export const isSmallResult = (rowsOfAll: number, columnsOfAll: number): boolean =>
  (rowsOfAll * columnsOfAll) / rows ** 2 <= 4 * bulkProcessors;
export const partCounts = [2, 4, 8] as const;

/** Parts into which a product's reduction may be split, each of one step and more. */
export function splitsFor(args: TmaProduct) {
  const { M, N, K } = paddedSides(args);
  const isSmall = isSmallResult((args.batch?.count ?? 1) * M.padded, N.padded);
  return isSmall ? partCounts.filter((parts) => lineOf(args.dtype) * parts <= K.padded) : [];
}

/** Tiles may reach beyond the end where that adds at most 1/20 of the rows, or of the columns. */
export const fits = (extent: number, tile: number): boolean => Math.ceil(extent / tile) * tile <= extent * 1.05;

/** Registers with which each thread of the consumers and of the producer starts. */
const registersAtStart = (consumers: number): number => wholeEights(registerFile / (consumers + 1));

/**
 * Registers per thread of the producer and of a consumer. Consumers share the registers that the producer gives away. A single
 * consumer has enough from the start.
 */
export function registersOf(consumers: number, producer: number): readonly [number, number] {
  if (consumers === 1) return [0, 0];
  const held = (consumers + 1) * registersAtStart(consumers);
  return [producer, Math.min(mostRegisters, wholeEights((held - producer) / consumers))];
}

/** Whether consumers start with registers for their sums and what ptxas wants beside them. */
export const holdsSums = ({ consumers, columns }: Pick<TmaKnobs, "consumers" | "columns">): boolean =>
  columns / 2 + registersOfProduct <= registersAtStart(consumers);

/** Slots of a ring. Many are for narrow tiles, which wait for memory: of 64 by 32 there is room for 16. */
export const stagesOf: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 10, 12, 16];

/** Widths of tiles. Those below 64 give few rows as many blocks as there are multiprocessors, as do those of widthsOfWaves. */
export function columnsFor(args: TmaProduct): readonly number[] {
  const { N } = paddedSides(args);
  const isAlong = liesAlong(args.layout)[1];
  const widths = [...(args.M <= rows ? [32, 48] : []), 64, 96, 128, 160, 192, 224, 256];
  const reaches = (width: number) => wholeMultiple(N.extent, width).padded <= N.padded || fits(N.extent, width);
  const usual = widths.filter((width) => reaches(width) && (isAlong || width % (lineOf(args.dtype) / 2) === 0));
  return isAlong ? [...usual, ...widthsOfWaves(args, usual)].toSorted((a, b) => a - b) : usual;
}

/**
 * Of columns that lie along the reduction, the least widths of which one, two or three tiles for each multiprocessor are enough,
 * or one for each block of large clusters that run at once, where the usual width of as many tiles is wider by more than a
 * twentieth: in clusters of eight, 200x10000x1000 takes 10.5 us with 176 columns and 10.9 with 192 (H200). Other columns come in
 * panels, and those of 16 are slow: 17.6 us with 176, 13.1 with 192 (4104x1032x520, NN).
 */
function widthsOfWaves({ M, N, batch }: TmaProduct, usual: readonly number[]): ReadonlySet<number> {
  const matrices = batch?.count ?? 1;
  const atOnce = [1, 2, 3].map((waves) => waves * bulkProcessors);
  if (largeClustersFor({ M, batch }).length > 0) atOnce.push(inLargeClusters);
  const found = [1, 2, 3].flatMap((consumers) => {
    const rowsOfTiles = matrices * Math.ceil(M / (rows * consumers));
    return atOnce
      .map((blocks) => wholeMultiple(N / Math.floor(blocks / rowsOfTiles), leastPanel).padded)
      .filter((columns) => columns >= 64 && columns <= 256 && holdsSums({ consumers, columns }));
  });
  const isUsual = (width: number) => usual.some((each) => Math.ceil(N / each) === Math.ceil(N / width) && each <= width * 1.05);
  return new Set(found.filter((width) => !isUsual(width)));
}

const leastPanel = 16;
/**
 * The width of panels of B across the reduction and of the result: 128 bytes, or 64 or 32 where more does not divide the columns.
 */
const panelOf = (columns: number, dtype: DType): number => {
  const line = lineOf(dtype);
  return [line, line / 2].find((width) => columns % width === 0) ?? line / 4;
};

type OfSpace = Bound<ReturnType<typeof tmaSpace>>;
export type TmaKnobs = Omit<OfSpace, "residual"> & Partial<OfSpace>;
type FeedKnobs = Pick<TmaKnobs, "consumers" | "columns" | "stages" | "cluster">;

export function tmaSpace(space: SpaceBuilder, sch: Schedule, args: TmaProduct) {
  const { M, K } = paddedSides(args);
  const line = lineOf(args.dtype);
  const [C] = exactly(1, sch.graph.outputs);
  // The engine stores rows of whole 16 bytes, from panels of 64 rows.
  const isStored = args.N % unitOf(C.dtype) === 0 && args.M >= rows;
  const stored = isStored ? (["direct", "tma"] as const) : (["direct"] as const);
  const chunks = isFloat8(args.dtype) ? [4, 8, 16].filter((steps) => K.padded % (line * steps) === 0) : [];
  return {
    consumers: space.choice(
      "consumers",
      [1, 2, 3, 4].filter((consumers) => fits(M.padded, rows * consumers)),
    ),
    columns: space.choice("columns", columnsFor(args)),
    stages: space.choice("stages", stagesOf),
    group: space.choice("group", [1, 2, 3, 4, 6, 8, 16, 32]),
    /** Tiles that a block computes one after the other; 0: as many blocks as run at once. */
    waves: space.choice("waves", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 0]),
    /** Registers per thread of the producer; 0: no producer. */
    producer: space.choice("producer", [0, 24, 40]),
    /** Who writes the result: the threads; the engine, out of shared memory; or a second kernel, from this number of parts. */
    epilogue: space.choice("epilogue", [...stored, ...splitsFor(args)]),
    /** Blocks that share an operand: neighbours along m share B, along n A. */
    cluster: space.choice("cluster", [1, "2m", "2n", ...largeClustersFor(args)], {
      absent: 1,
    }),
    /**
     * The order of tiles. rows: whole groups of `group` rows, of which the last may reach beyond the last row; group: the last
     * group is narrower; hilbert: a curve whose neighbours are near, for any number of tiles.
     */
    order: space.choice("order", ["rows", "group", "hilbert"], { absent: "rows" }),
    /** Parts of a tile's columns that the engine stores one after the other, all out of the memory of one. */
    parts: space.choice("parts", [1, 2, 4], { absent: 1 }),
    /** Where the residual of an epilogue comes from: memory, or slots of the ring after the tile's own, with `tma`. */
    residual: residualChoice(space, sch, args.dtype),
    /** Steps of 128 bytes that tensor cores add up before lanes add them to float32 sums of their own; 0: all. */
    chunk: space.choice("chunk", [0, ...chunks], { absent: 0 }),
  };
}

export const sizesOf = ({ M, N, K, batch }: TmaProduct): Sizes => ({ M, N, K, batch: batch?.count });

interface OutlineKnobs extends Pick<TmaKnobs, "consumers" | "columns">, Partial<Pick<TmaKnobs, "epilogue">> {
  readonly splits?: number;
}

/** What splits the sums is the knob `epilogue` of templates, and `splits` of derived schedules. */
export const tmaOutline = (
  { consumers, columns, epilogue = "direct", splits = splitsOf({ epilogue }) }: OutlineKnobs,
  sizes: Sizes,
  step: number,
): Outline => outlineOf(sizes, { rows: rows * consumers, columns, step, threads: 128 * consumers, splits });

/** The residual joins the ring where it has the type of the operands. */
export function residualChoice(space: SpaceBuilder, sch: Schedule, dtype: DType) {
  const [C] = exactly(1, sch.graph.outputs);
  const isAlike = residualOf(sch, sch.stage(C.name))?.dtype === dtype;
  return space.choice("residual", isAlike ? ["direct", "ring"] : ["direct"], { absent: "direct" });
}

/** Each block of a cluster copies a share (of panels, rows or steps of the reduction) to all blocks. `axes`: without a batch. */
function shareOut(
  sch: Schedule,
  [first, second]: readonly LoopRef[],
  {
    blocks,
    tag,
    panelCount,
  }: { readonly blocks: number; readonly tag: ReturnType<typeof tagOfRows>; readonly panelCount: number },
): void {
  const loop = panelCount % blocks === 0 || panelCount === 1 ? first : second;
  const [rank] = sch.split(loop as LoopRef, [blocks, null]);
  sch.bind(rank as LoopRef, tag);
}

/**
 * Pairs along m share B. Rows of tiles of a batch are numbered matrix by matrix, so where each has a B of its own, pairs must
 * not go over two.
 */
function checkPairs({ consumers, cluster }: FeedKnobs, { M, batch }: TmaProduct): void {
  const tiles = Math.ceil(M / (rows * consumers));
  if (batch !== undefined && batch.b !== "shared" && tiles % blocksOf(cluster).m !== 0)
    throw new ScheduleError({
      rule: "pairs",
      message: `pairs of blocks along m share B, and each matrix of the batch, of ${tiles} rows of tiles, has its own`,
    });
}

/** `views`: what copies of A and B read; absent: the operands, padded. */
export function scheduleTma(sch: Schedule, knobs: TmaKnobs, args: TmaProduct, views?: readonly StageRef[]): void {
  const { dtype, layout, batch } = args;
  checkPairs(knobs, args);
  const line = lineOf(dtype);
  const { consumers, columns, producer, epilogue, chunk } = knobs;
  const isSplit = typeof epilogue === "number";
  if (chunk > 0) checkLaneSums(knobs);
  const isAlong = liesAlong(layout);
  const panels = [isAlong[0] ? undefined : line, isAlong[1] ? undefined : panelOf(columns, dtype)] as const;
  const lies = (panel: number | undefined) =>
    ({ major: panel === undefined ? "k" : "mn", swizzle: ((panel ?? line) * dtypeBytes(dtype)) as 32 | 64 | 128 }) as const;
  const product = wgmma({ dtype, n: columns, a: lies(panels[0]), b: lies(panels[1]) });
  const [A, B] = exactly(2, sch.graph.inputs.slice(0, 2));
  const C = sch.stage("C");
  const whole = sch.stage("sums");
  const part = chunk > 0 ? sumsOfParts(sch, whole, [null, chunk * line]) : undefined;
  const { out, sums } = isSplit ? splitSums(sch, whole, epilogue) : { out: C, sums: part ?? whole };
  const AS = sch.cacheRead(views?.[0] ?? inlinedView(sch, A), "shared", [sums]);
  const BS = sch.cacheRead(views?.[1] ?? inlinedView(sch, B), "shared", [sums]);
  if (!isSplit) sch.setScope(sums, "warpgroup.accumulator");
  const outer = [...(isSplit || part ? ["s"] : []), ...(batch ? ["z"] : [])];
  layInTiles(sch, sums, outer, inTiles(columns, panels[1]));

  const stored = () => {
    const CS = sch.cacheWrite(C, "shared");
    const [result] = exactly(1, sch.graph.outputs);
    const of = { C, CS, ...sidesOf(C), line: panelOf(columns, result.dtype) };
    return storedByEngine(sch, { ...of, ...(knobs.residual === "ring" && { ring: { copies: [AS, BS], step: line } }) }, knobs);
  };
  const sidesOf = (of: StageRef): Sides => {
    const axes = sch.axes(of);
    const [i, j] = exactly(2, axes.slice(-2));
    return { i, j, batch: batch && axes.at(-3), before: axes.slice(0, batch ? -3 : -2) };
  };
  const place = epilogue === "tma" ? stored() : placeLanes(sch, out, knobs, sidesOf(out));
  if (isSplit) addParts(sch, C, whole);
  if (producer > 0) sch.specialize(out, ...registersOf(consumers, producer));
  if (part) {
    // Sums of a lane's own stay in registers where their numbers are constants; behind a long epilogue nvcc leaves loops as they
    // are.
    for (const each of place.own ?? []) sch.unroll(each);
    sch.computeAt(sums, whole, addByLanes(sch, whole, place.stage, place.lanes ?? place.loop));
  } else sch.computeAt(sums, place.stage, place.loop);
  const tileAxes = sch.axes(sums).slice(outer.length);
  feedTiles(sch, { sums, tileAxes, copies: [AS, BS], product, panels, step: line }, knobs);
}

/** The layout of sums: tiles of 64 rows by `columns`, which lie in panels where those of B do. */
export const inTiles =
  (columns: number, panel: number | undefined) =>
  (i: Expr, j: Expr): readonly Expr[] => {
    const column = floorMod(j, columns);
    const inner = panel !== undefined && columns > panel ? [floorDiv(column, panel), floorMod(column, panel)] : [column];
    return [floorDiv(i, rows), floorDiv(j, columns), floorMod(i, rows), ...inner];
  };

/** Lays sums in these tiles. `outer`: names of the dimensions before rows and columns. */
export function layInTiles(sch: Schedule, sums: StageRef, outer: readonly string[], tilesOf: ReturnType<typeof inTiles>): void {
  const layout = indexMap([...outer, "i", "j"], (...index: readonly Expr[]) => {
    const [i, j] = index.slice(-2) as [Expr, Expr];
    return [...index.slice(0, -2), ...tilesOf(i, j)];
  });
  sch.transformLayout(sums, layout);
}

interface Fed {
  readonly sums: StageRef;
  /** The loops of the tile: of 64 rows, of columns, a row in 64, and of the columns in it. */
  readonly tileAxes: readonly LoopRef[];
  /** Of A and B in shared memory; before their two dimensions they may have that of a batch. */
  readonly copies: readonly [StageRef, StageRef];
  readonly product: ReturnType<typeof wgmma>;
  /** The width of the panels of an operand that does not lie along the reduction. */
  readonly panels: readonly [number | undefined, number | undefined];
  /** Elements of the reduction that a slot of the ring has. */
  readonly step: number;
}

/** The sums of a tile, from a ring of slots that the engine fills. A slot serves all values of a second axis of the reduction. */
export function feedTiles(sch: Schedule, { sums, tileAxes, copies, product, panels, step }: Fed, knobs: FeedKnobs): void {
  const { consumers, columns, stages, cluster } = knobs;
  const [k, ...terms] = sch.reduceAxes(sums);
  const [{ extent: depth }] = exactly(1, product.op.reduce);
  const [si, sj, ii, ...columnAxes] = tileAxes;
  if (si === undefined || sj === undefined || ii === undefined) throw new TypeError("the layout of sums has tiles of 64 rows");
  const [ko, ki, kk] = exactly(3, sch.split(k as LoopRef, [null, step / depth, depth]));
  sch.reorder([ko, ...terms, ki, si, sj, ii, ...columnAxes, kk]);
  for (const each of [...terms, ki]) sch.unroll(each);
  const sides = [rows * consumers, columns] as const;
  const shared = blocksOf(cluster);
  for (const [operand, copy] of copies.entries()) {
    const width = panels[operand];
    const panelCount = width === undefined ? 1 : Math.ceil((sides[operand] ?? 0) / width);
    const batch = sch.axes(copy).length - 2;
    if (width !== undefined && panelCount > 1) sch.transformLayout(copy, panelsOf(width, batch > 0));
    sch.computeAt(copy, sums, ko);
    const blocks = operand === 0 ? shared.n : shared.m;
    const tag = operand === 0 ? "clusterIdx.x" : tagOfRows(cluster);
    if (blocks > 1) shareOut(sch, sch.axes(copy).slice(batch), { blocks, tag, panelCount });
    sch.swizzle(copy);
    sch.pipeline(copy, stages);
    sch.copyBy(copy, "tma");
  }
  sch.tensorize(ii, product);
}
