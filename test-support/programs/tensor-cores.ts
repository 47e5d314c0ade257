/**
 * Random matrix products on tensor cores by the real instructions: types, shapes and layouts, the tiles of each warp, the order
 * of their products, and how copies to shared memory are split, padded, swizzled and how far ahead they run. A random combination
 * may be refused; then there is no schedule.
 */
import type { DType, Random } from "@warpfarm/common";
import { mmaSync } from "../../compiler/src/intrinsic/cuda/mma-sync.ts";
import { type Major, wmma, wmmaShapes } from "../../compiler/src/intrinsic/cuda/wmma.ts";
import type { Buffer } from "../../compiler/src/ir/buffer.ts";
import type { Expr } from "../../compiler/src/ir/expr.ts";
import type { Intrinsic } from "../../compiler/src/ir/intrinsic.ts";
import { indexMap } from "../../compiler/src/json/index-map.ts";
import { ScheduleError } from "../../compiler/src/schedule/error.ts";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import type { LoopRef, StageRef } from "../../compiler/src/schedule/state.ts";
import { compute, placeholder } from "../../compiler/src/te/compute.ts";
import { add, at, cast, floorDiv, floorMod, maximum } from "../../compiler/src/te/expr.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";
import { type MatmulLayout, matmul } from "../../compiler/src/te/ops/matmul.ts";

/** The instructions of a product, and what they multiply. */
interface Instructions {
  readonly name: string;
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly majors: readonly [Major, Major];
  readonly loadA: Intrinsic;
  readonly loadB: Intrinsic;
  readonly mma: Intrinsic;
  /** None: a lane writes what it has summed up. */
  readonly store?: Intrinsic;
  readonly out: DType;
}

export interface TensorCoreProduct {
  readonly name: string;
  readonly graph: Graph;
  readonly intrinsics: readonly Intrinsic[];
  /** Of the inputs' values, such that every sum is exact. */
  readonly range: readonly [least: number, most: number];
  readonly schedule: Schedule;
}

const wmmaTypes = ["float16", "float16", "int8", "uint8", "int4", "int1"] as const;
const major = (random: Random): Major => random.pick(["row", "col"]);

function drawInstructions(random: Random): Instructions {
  if (random.below(2) === 0) {
    const dtype = random.pick(["float16", "bfloat16"] as const);
    const majors = [major(random), major(random)] as const;
    const { loadA, loadB, mma } = mmaSync(dtype);
    const shape = { m: 16, n: 16, k: 16 };
    return { name: "mma.sync", dtype, ...shape, majors, loadA: loadA[majors[0]], loadB: loadB[majors[1]], mma, out: "float32" };
  }
  const dtype = random.pick(wmmaTypes);
  const shape = random.pick(wmmaShapes(dtype));
  const made = wmma(dtype, shape, 90);
  if (!made) throw new Error(`no wmma of ${dtype}`);
  const majors = random.pick(made.majors);
  const [loadA, loadB] = [made.load("a", majors[0]), made.load("b", majors[1])];
  return {
    name: "wmma",
    dtype,
    ...shape,
    majors,
    loadA,
    loadB,
    mma: made.mma(...majors),
    store: made.store("row"),
    out: made.out,
  };
}

/** The share of a block and of a warp in the product, in tiles; a step of the reduction is `chunk` tiles. */
interface Share {
  readonly rowWarps: number;
  readonly colWarps: number;
  readonly warpRows: number;
  readonly warpCols: number;
  readonly chunk: number;
}
function drawShare(random: Random): Share {
  const few = () => random.pick([1, 1, 2]);
  return { rowWarps: few(), colWarps: few(), warpRows: few(), warpCols: few(), chunk: random.pick([1, 1, 2, 4]) };
}

const ranges: Partial<Record<DType, readonly [number, number]>> = { uint8: [0, 4], int1: [0, 1] };

/** Undefined when the schedule is refused. With `byEngine` the copy engine copies operands to shared memory. */
export function drawTensorCoreProduct(random: Random, byEngine = false): TensorCoreProduct | undefined {
  const use = drawInstructions(random);
  const share = drawShare(random);
  const blocks = () => 1 + random.below(2);
  const m = use.m * share.rowWarps * share.warpRows * blocks();
  const n = use.n * share.colWarps * share.warpCols * blocks();
  const k = use.k * share.chunk * (1 + random.below(4));
  const a = placeholder("A", use.majors[0] === "row" ? [m, k] : [k, m], use.dtype);
  const b = placeholder("B", use.majors[1] === "row" ? [k, n] : [n, k], use.dtype);
  const layout = use.majors
    .map((of) => (of === "row" ? "N" : "T"))
    .reverse()
    .join("") as MatmulLayout;
  const product = matmul(a, b, { layout, outDtype: use.out });
  // A stage that follows a product by mma.sync reads the sums in their registers.
  const after = use.store ? "nothing" : random.pick(["nothing", "bias", "cast"] as const);
  const bias = placeholder("bias", [n]);
  const axes = [
    ["i", m],
    ["j", n],
  ] as const;
  const graph =
    after === "bias"
      ? graphOf([a, b, bias], [compute("D", axes, (i, j) => maximum(add(at(product, i, j), at(bias, j)), 0))])
      : after === "cast"
        ? graphOf([a, b], [compute("D", axes, (i, j) => cast(use.dtype, at(product, i, j)))])
        : graphOf([a, b], [product]);
  const intrinsics = [use.loadA, use.loadB, use.mma, ...(use.store ? [use.store] : [])];
  const name = `${use.name} ${use.dtype} m${use.m}n${use.n}k${use.k} ${layout} ${m} x ${n} x ${k}, then ${after}`;
  try {
    const schedule = scheduleProduct(createSchedule(graph, intrinsics), use, share, random, byEngine);
    return { name, graph, intrinsics, range: ranges[use.dtype] ?? [-2, 2], schedule };
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

const tilesOf = (rows: number, columns: number, turned = false) =>
  indexMap(["x", "y"], (x, y) => {
    const [i, j] = turned ? [y, x] : [x, y];
    return [floorDiv(i, rows), floorDiv(j, columns), floorMod(i, rows), floorMod(j, columns)] as Expr[];
  });

interface Placed {
  readonly innermost: LoopRef;
  /** Of threadIdx.y and threadIdx.z. */
  readonly threads: readonly [number, number];
}

/** Binds the result's loops to blocks, warps and, where lanes write it, to lanes. */
function placeResult(s: Schedule, out: StageRef, use: Instructions, share: Share, random: Random): Placed {
  const chance = (one: number): boolean => random.below(one) === 0;
  const { rowWarps, colWarps, warpRows, warpCols } = share;
  // Blocks, warps, a warp's tiles; then a whole tile, or lanes over eight rows and four pairs of columns.
  const [i, j] = s.axes(out) as [LoopRef, LoopRef];
  const [io, iw, it, ...rows] = s.split(i, [null, rowWarps, warpRows, ...(use.store ? [use.m] : [2, 8])]) as [
    LoopRef,
    LoopRef,
    LoopRef,
    LoopRef,
  ];
  const [jo, jw, jt, ...columns] = s.split(j, [null, colWarps, warpCols, ...(use.store ? [use.n] : [2, 4, 2])]) as [
    LoopRef,
    LoopRef,
    LoopRef,
    LoopRef,
  ];
  const outer = random.shuffle([io, jo]);
  const warps = random.shuffle([iw, jw]);
  const tiles = random.shuffle([it, jt]);
  if (use.store) {
    s.reorder([...outer, ...warps, ...tiles, ...rows, ...columns]);
    s.tensorize(rows[0] as LoopRef, use.store);
  } else {
    const [ih, il] = rows as unknown as [LoopRef, LoopRef];
    const [jh, jl, jv] = columns as unknown as [LoopRef, LoopRef, LoopRef];
    s.reorder([...outer, ...warps, il, jl, ...random.shuffle([...tiles, ih, jh]), jv]);
    s.bind(s.fuse([il, jl]), "threadIdx.x");
    if (!chance(3)) s.vectorize(jv);
  }
  if (chance(2)) s.bind(s.fuse(outer), "blockIdx.x");
  else {
    s.bind(outer[0] as LoopRef, "blockIdx.y");
    // A block may compute several tiles one after the other.
    if (!chance(4)) s.bind(outer[1] as LoopRef, "blockIdx.x");
  }
  s.bind(warps[0] as LoopRef, "threadIdx.y");
  s.bind(warps[1] as LoopRef, "threadIdx.z");
  return { innermost: warps[1] as LoopRef, threads: warps[0] === iw ? [rowWarps, colWarps] : [colWarps, rowWarps] };
}

/** All threads of a block copy, a vector each. */
function fetchTogether(s: Schedule, copy: StageRef, use: Instructions, threads: Placed["threads"], random: Random): void {
  const isPacked = use.dtype === "int4" || use.dtype === "int1";
  const vector = isPacked ? 32 : random.pick(use.dtype.endsWith("8") ? [1, 4, 16] : [1, 2, 4, 8]);
  const loops = s.split(s.fuse(s.axes(copy)), [null, ...threads, 32, vector]);
  const [turn, ty, tz, tx, element] = loops as [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
  if (random.below(2) === 0) s.unroll(turn);
  s.bind(ty, "threadIdx.y");
  s.bind(tz, "threadIdx.z");
  s.bind(tx, "threadIdx.x");
  if (vector > 1) s.vectorize(element);
}

function scheduleProduct(s: Schedule, use: Instructions, share: Share, random: Random, byEngine: boolean): Schedule {
  const { chunk } = share;
  const chance = (one: number): boolean => random.below(one) === 0;
  const [a, b] = s.graph.inputs as [Buffer, Buffer];
  const out = s.stage(s.graph.outputs[0]?.name ?? "");
  const hasMore = s.graph.ops.length > 1;
  const sums = s.stage("C");
  const as = s.cacheRead(a, "shared", [sums]);
  const bs = s.cacheRead(b, "shared", [sums]);
  const af = s.cacheRead(as, "wmma.matrix_a", [sums]);
  const bf = s.cacheRead(bs, "wmma.matrix_b", [sums]);
  let cf: StageRef = sums;
  if (hasMore) s.setScope(sums, "wmma.accumulator");
  else cf = s.cacheWrite(sums, "wmma.accumulator");
  s.transformLayout(af, tilesOf(use.m, use.k, use.majors[0] === "col"));
  s.transformLayout(bf, tilesOf(use.k, use.n, use.majors[1] === "col"));
  s.transformLayout(cf, tilesOf(use.m, use.n));

  const { innermost, threads } = placeResult(s, out, use, share, random);
  s.computeAt(cf, out, innermost);

  const [si, sj, ii, jj] = s.axes(cf) as [LoopRef, LoopRef, LoopRef, LoopRef];
  const [ko, ki, kk] = s.split((s.reduceAxes(cf) as [LoopRef])[0], [null, chunk, use.k]) as [LoopRef, LoopRef, LoopRef];
  s.reorder([ko, ki, ...random.shuffle([si, sj]), ii, jj, kk]);
  const isUnrolled = chance(2);
  if (isUnrolled) s.unroll(ki);
  for (const fragment of [af, bf]) {
    s.computeAt(fragment, cf, ki);
    if (isUnrolled && chunk > 1 && chance(2)) s.doubleBuffer(fragment);
  }
  const ahead = random.pick(["none", "double", "pipeline", "pipeline", "pipeline"] as const);
  const stages = 2 + random.below(3);
  for (const copy of random.shuffle([as, bs])) {
    if (byEngine) {
      fetchBoxes(s, copy, use, random);
      s.computeAt(copy, cf, ko);
      if (ahead === "pipeline") s.pipeline(copy, stages);
      continue;
    }
    s.computeAt(copy, cf, ko);
    if (!use.store && chance(2)) s.swizzle(copy);
    else if (chance(2)) s.storageAlign(copy, 0, 2 * rowUnit(use), rowUnit(use));
    if (ahead === "double") s.doubleBuffer(copy);
    if (ahead === "pipeline") s.pipeline(copy, stages);
    fetchTogether(s, copy, use, threads, random);
  }
  s.tensorize(s.axes(af)[2] as LoopRef, use.loadA);
  s.tensorize(s.axes(bf)[2] as LoopRef, use.loadB);
  s.tensorize(ii, use.mma);
  return s;
}

/** Rows of 64 elements at most, swizzled or not. */
function fetchBoxes(s: Schedule, copy: StageRef, use: Instructions, random: Random): void {
  if (random.below(2) === 0)
    s.transformLayout(
      copy,
      indexMap(["i", "j"], (i, j) => [floorDiv(j, 16), i, floorMod(j, 16)]),
    );
  if (!use.store && random.below(3) > 0) s.swizzle(copy);
  s.copyBy(copy, "tma");
}

/** The number of elements of which rows of shared memory must be a multiple for the instructions. */
const rowUnit = ({ dtype, k }: Instructions): number =>
  dtype === "int4" || dtype === "int1" ? k : dtype.endsWith("int8") ? 16 : 8;
