/**
 * Products by wgmma: blocks of `groups` warpgroups of 64 rows, with operands copied by the copy engine into `slots`. They are
 * given, or drawn at random: types, layouts, widths, rings, roles, tiles per block, orders of tiles, results stored by threads or
 * by the engine.
 */
import { dtypeBytes, isFloat8, type Random } from "@warpfarm/common";
import { type Wgmma, wgmma } from "../../compiler/src/intrinsic/cuda/wgmma.ts";
import type { Buffer } from "../../compiler/src/ir/buffer.ts";
import type { Expr } from "../../compiler/src/ir/expr.ts";
import { indexMap } from "../../compiler/src/json/index-map.ts";
import { ScheduleError } from "../../compiler/src/schedule/error.ts";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import type { LoopRef, StageRef } from "../../compiler/src/schedule/state.ts";
import { compute, placeholder } from "../../compiler/src/te/compute.ts";
import { add, at, cast, floorDiv, floorMod, maximum, mul } from "../../compiler/src/te/expr.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";
import { matmul } from "../../compiler/src/te/ops/matmul.ts";

export interface Product {
  readonly dtype: Wgmma["dtype"];
  readonly layout: "NN" | "NT" | "TN" | "TT";
  readonly size: readonly [M: number, N: number, K: number];
  readonly n: number;
  readonly groups: number;
  /** Of the reduction, in one slot. */
  readonly chunk: number;
  readonly slots: number;
  /** Bytes of a row of an operand that lies along m or n. */
  readonly span: 32 | 64 | 128;
  /** Blocks that take tiles in turn; absent = one each. */
  readonly blocks?: number;
  /** In which blocks take tiles; absent = row by row. */
  readonly order?: "group" | "hilbert";
  /** Registers of a producer's threads, and of the others. */
  readonly roles?: readonly [producer: number, consumer: number];
  /** The result goes to panels of 64 columns in shared memory, and the copy engine stores it from there. */
  readonly stored?: true;
  /** So many parts of the columns go through the same panels, one after the other. */
  readonly parts?: 2;
  /** The blocks of a cluster are two along m, which share B's boxes, two along n, which share A's, or both. */
  readonly pairs?: "m" | "n" | "mn";
  /** The result is half the sum plus a bias per column and a residual, with negative values set to zero. */
  readonly fused?: true;
  /** The residual of a part comes in a slot of this operand's ring. */
  readonly joined?: "A" | "B";
}

const isAlongK = ({ layout }: Product, operand: 0 | 1): boolean => layout[operand] === (operand === 0 ? "N" : "T");

const resultOf = (dtype: Product["dtype"]) => (dtype === "int8" ? "int32" : isFloat8(dtype) ? "bfloat16" : dtype);

export function productGraph({ dtype, layout, size: [M, N, K], fused }: Product): Graph {
  const wide = dtype === "int8" ? "int32" : "float32";
  const out = resultOf(dtype);
  const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K], dtype);
  const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N], dtype);
  const sums = matmul(A, B, { layout: `${layout[1]}${layout[0]}` as Product["layout"], name: "sums", outDtype: wide });
  const axes = [
    ["i", M],
    ["j", N],
  ] as const;
  if (fused) {
    const [bias, residual] = [placeholder("bias", [N], "float32"), placeholder("residual", [M, N], dtype)];
    const value = (i: Expr, j: Expr) =>
      maximum(add(add(mul(at(sums, i, j), 0.5), at(bias, j)), cast("float32", at(residual, i, j))), 0);
    return graphOf([A, B, bias, residual], [compute("C", axes, (i, j) => cast(dtype, value(i, j)))]);
  }
  return graphOf([A, B], [compute("C", axes, (i, j) => cast(out, at(sums, i, j)))]);
}

export function wgmmaOf(p: Product) {
  const bytes = dtypeBytes(p.dtype);
  const line = p.span / bytes;
  const along = { major: "k", swizzle: (p.chunk * bytes) as 32 | 64 | 128 } as const;
  const across = { major: "mn", swizzle: p.span } as const;
  return {
    line,
    intrinsic: wgmma({
      dtype: p.dtype,
      n: p.n,
      a: isAlongK(p, 0) ? along : { ...across, swizzle: 128 },
      b: isAlongK(p, 1) ? along : across,
    }),
  };
}

function bindTiles(sch: Schedule, io: LoopRef, jo: LoopRef, { blocks, pairs, order }: Product): LoopRef {
  let [it, jt] = [io, jo];
  const ranks: LoopRef[] = [];
  for (const side of pairs ?? "") {
    const [outer, rank] = sch.split(side === "m" ? io : jo, [null, 2]) as [LoopRef, LoopRef];
    [it, jt] = side === "m" ? [outer, jt] : [it, outer];
    sch.bind(rank, pairs === "mn" && side === "m" ? "clusterIdx.y" : "clusterIdx.x");
    ranks.push(rank);
  }
  if (pairs) sch.reorder([it, jt, ...ranks]);
  const tiles = order ? sch.curve([it, jt], order, order === "group" ? 2 : 1) : sch.fuse([it, jt]);
  if (blocks === undefined) {
    sch.bind(tiles, "blockIdx.x");
    return ranks.at(-1) ?? tiles;
  }
  const [wave, block] = sch.split(tiles, [null, blocks]) as [LoopRef, LoopRef];
  sch.reorder([block, ...ranks, wave]);
  sch.bind(block, "blockIdx.x");
  return wave;
}
function bindLanes(sch: Schedule, group: LoopRef, lanes: readonly LoopRef[], pair: LoopRef): void {
  sch.bind(group, "threadIdx.y");
  sch.bind(sch.fuse([...lanes]), "threadIdx.x");
  sch.vectorize(pair);
}

function placeLanes(sch: Schedule, p: Product) {
  const C = sch.stage("C");
  const [i, j] = sch.axes(C) as [LoopRef, LoopRef];
  const [io, ig, iw, ih, il] = sch.split(i, [null, p.groups, 4, 2, 8]) as [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
  const [jo, jt, jl, jv] = sch.split(j, [null, p.n / 8, 4, 2]) as [LoopRef, LoopRef, LoopRef, LoopRef];
  sch.reorder([io, jo, ig, iw, il, jl, ih, jt, jv]);
  bindTiles(sch, io, jo, p);
  bindLanes(sch, ig, [iw, il, jl], jv);
  return { stage: C, loop: ig };
}

function placeBoxes(sch: Schedule, p: Product, ring: StageRef | undefined) {
  const C = sch.stage("C");
  const CS = sch.cacheWrite(C, "shared");
  const parts = p.parts ?? 1;
  const wide = Math.min(128 / dtypeBytes(resultOf(p.dtype)), p.n / parts);
  const [i, j] = sch.axes(C) as [LoopRef, LoopRef];
  const [groups, rows] = parts > 1 ? [p.groups, 64] : [1, 64 * p.groups];
  const [io, group, ir] = sch.split(i, [null, groups, rows]) as [LoopRef, LoopRef, LoopRef];
  const [jo, part, jp, jc] = sch.split(j, [null, parts, p.n / parts / wide, wide]) as [LoopRef, LoopRef, LoopRef, LoopRef];
  sch.reorder([io, jo, group, part, jp, ir, jc]);
  const tile = bindTiles(sch, io, jo, p);
  if (parts > 1) {
    sch.bind(group, "threadIdx.y");
    sch.unroll(part);
  }
  sch.copyBy(C, "tma");
  const RS = ring === undefined ? undefined : sch.cacheRead(sch.graph.inputs[3] as Buffer, "shared", [CS]);
  for (const each of RS === undefined ? [CS] : [CS, RS]) {
    sch.transformLayout(
      each,
      indexMap(["i", "j"], (row, column) => [floorDiv(column, wide), row, floorMod(column, wide)]),
    );
    sch.swizzle(each);
    sch.computeAt(each, C, parts > 1 ? part : tile);
  }
  if (RS !== undefined && ring !== undefined) {
    sch.copyBy(RS, "tma");
    sch.joinRing(RS, ring);
  }
  const [panel, row, column] = sch.axes(CS) as [LoopRef, LoopRef, LoopRef];
  const [ig, iw, ih, il] = sch.split(row, [null, 4, 2, 8]) as [LoopRef, LoopRef, LoopRef, LoopRef];
  const [jt, jl, jv] = sch.split(column, [null, 4, 2]) as [LoopRef, LoopRef, LoopRef];
  sch.reorder([ig, iw, il, jl, ih, panel, jt, jv]);
  for (const each of [ih, panel, jt]) sch.unroll(each);
  bindLanes(sch, ig, [iw, il, jl], jv);
  return parts > 1 ? { stage: C, loop: group } : { stage: CS, loop: ig };
}

export function scheduleOf(p: Product): Schedule {
  const sch = createSchedule(productGraph(p));
  const { n, groups, chunk, slots } = p;
  const { line, intrinsic } = wgmmaOf(p);
  const [A, B] = sch.graph.inputs as [Buffer, Buffer];
  const [C, sums] = [sch.stage("C"), sch.stage("sums")];
  const copies = [sch.cacheRead(A, "shared", [sums]), sch.cacheRead(B, "shared", [sums])] as const;
  sch.setScope(sums, "warpgroup.accumulator");
  const hasPanels = !isAlongK(p, 1) && n > line;
  sch.transformLayout(
    sums,
    hasPanels
      ? indexMap(["i", "j"], (i, j) => [
          floorDiv(i, 64),
          floorDiv(j, n),
          floorMod(i, 64),
          floorDiv(floorMod(j, n), line),
          floorMod(j, line),
        ])
      : indexMap(["i", "j"], (i, j) => [floorDiv(i, 64), floorDiv(j, n), floorMod(i, 64), floorMod(j, n)]),
  );
  const ring = p.joined && copies[p.joined === "A" ? 0 : 1];
  const lanes = p.stored ? placeBoxes(sch, p, ring) : placeLanes(sch, p);
  sch.computeAt(sums, lanes.stage, lanes.loop);
  const [si, sj, ii, ...columns] = sch.axes(sums) as [LoopRef, LoopRef, LoopRef, ...LoopRef[]];
  const depth = intrinsic.op.reduce[0]?.extent as number;
  const [ko, ki, kk] = sch.split(sch.reduceAxes(sums)[0] as LoopRef, [null, chunk / depth, depth]);
  sch.reorder([ko, ki, si, sj, ii, ...columns, kk]);
  sch.unroll(ki);
  for (const [operand, copy] of [
    [0, copies[0]],
    [1, copies[1]],
  ] as const) {
    const width = operand === 0 ? 64 : line;
    const side = operand === 0 ? 64 * groups : n;
    if (!isAlongK(p, operand) && side > width)
      sch.transformLayout(
        copy,
        indexMap(["k", "j"], (k, jj) => [floorDiv(jj, width), k, floorMod(jj, width)]),
      );
    sch.computeAt(copy, sums, ko);
    if (p.pairs?.includes(operand === 0 ? "n" : "m")) {
      const [rank] = sch.split(sch.axes(copy)[0] as LoopRef, [2, null]) as [LoopRef, LoopRef];
      sch.bind(rank, p.pairs === "mn" && operand === 1 ? "clusterIdx.y" : "clusterIdx.x");
    }
    sch.swizzle(copy);
    if (slots > 1) sch.pipeline(copy, slots);
    sch.copyBy(copy, "tma");
  }
  sch.tensorize(ii, intrinsic);
  if (p.roles) sch.specialize(C, ...p.roles);
  return sch;
}

/** An operand of whose slots one has the rows of a part of the residual, and all of them. */
function ringFor(p: Product): Product["joined"] {
  const { size, n, groups, chunk, slots, span, parts } = p;
  const [part, row] = [64 * groups * (n / 2), Math.min(64, n / 2)];
  const rowOf = (operand: 0 | 1) =>
    isAlongK(p, operand) ? chunk : Math.min(operand === 0 ? 64 * groups : n, operand === 0 ? 64 : span / 2);
  if (parts === undefined || slots < 2 || size[2] <= chunk) return undefined;
  if (chunk * n >= part && rowOf(1) === row) return "B";
  return chunk * 64 * groups >= part && rowOf(0) === row ? "A" : undefined;
}

/** A product with at most `most` multiplications of elements; undefined when it has more, or the schedule is refused. */
export function drawWarpgroups(random: Random, most = 2 ** 24): (Drawn & { readonly product: Product }) | undefined {
  const dtype = random.pick(["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8"] as const);
  const layout = random.pick(dtypeBytes(dtype) === 1 ? (["NT"] as const) : (["NN", "NT", "TN", "TT"] as const));
  const span = random.pick([32, 64, 128] as const);
  const widths = layout[1] === "T" ? [8, 16, 24, 32] : [1, 2].map((panels) => (panels * span) / 2).filter((n) => n <= 64);
  const [n, groups, runs] = [random.pick(widths), 1 + random.below(2), random.pick([32, 64, 128])];
  const chunk = runs / dtypeBytes(dtype);
  const [rows, columns] = random.pick([
    [1, 1],
    [1, 2],
    [2, 1],
    [3, 1],
    [1, 3],
  ] as const);
  const kinds: readonly Product["roles"][] = [undefined, [0, 0], groups === 2 ? [40, 232] : [0, 0]];
  const roles = random.pick(kinds);
  const stored: Partial<Product> = n % 16 !== 0 || random.below(2) === 0 ? {} : { stored: true };
  const product: Product = {
    ...{ dtype, layout, n, groups, chunk, span, slots: 1 + random.below(5) },
    size: [64 * groups * rows, n * columns, chunk * (1 + random.below(runs === 128 ? 2 : 4))],
    ...(random.below(3) > 0 ? { blocks: 1 + random.below(3) } : {}),
    ...(random.below(3) === 0 ? { order: random.pick(["group", "hilbert"] as const) } : {}),
    ...(roles && { roles }),
    ...stored,
    ...(stored.stored && n % 32 === 0 && random.below(3) > 0 ? { parts: 2 } : {}),
    ...(dtypeBytes(dtype) === 2 && random.below(4) === 0 ? { fused: true } : {}),
    ...(random.below(4) === 0 ? { pairs: random.pick(["m", "n", "mn"] as const) } : {}),
  };
  if (product.size.reduce((all, side) => all * side, 1) > most) return undefined;
  const mayJoin = product.fused && product.pairs !== "mn";
  const joined = mayJoin && random.below(2) === 0 ? ringFor(product) : undefined;
  try {
    const schedule = scheduleOf(joined ? { ...product, joined } : product);
    return { product, name: `wgmma ${JSON.stringify(product)}`, graph: schedule.graph, schedule, range: [-2, 2] };
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

/** `range`: of inputs, whose sums are exact. */
interface Drawn {
  readonly name: string;
  readonly graph: Graph;
  readonly schedule: Schedule;
  readonly range: readonly [number, number];
}
