/** Reductions that the threads of a row share out: by shuffles, one value a warp through shared memory, in one stated order. */
import { dtypeBytes, parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { compileCubin, joinTexts } from "../../test-support/nvcc.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { interpret, interpretKernels } from "../src/interp/interpret.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import * as b from "../src/ir/build.ts";
import type { Var } from "../src/ir/expr.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import type { Fold, Stmt } from "../src/ir/stmt.ts";
import { mapStmt, walkExpr, walkStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { emit, lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { at, sub } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { byClusters, rows, twoFolds } from "./fold.testing.ts";
import { difference, subjectOf } from "./subject.ts";

const target = parseTarget("cuda/sm_90");

/** Rows of a block, threads of a row. */
function shared(graph: Graph, threads: number, inBlock = 1): Schedule {
  const s = createSchedule(graph);
  const stage = s.stage("s");
  const [i] = s.axes(stage) as [LoopRef];
  const [block, row] = s.split(i, [null, inBlock]) as [LoopRef, LoopRef];
  const [, lane] = s.split(s.reduceAxes(stage)[0] as LoopRef, [null, threads]) as [LoopRef, LoopRef];
  s.bind(block, "blockIdx.x");
  s.bind(row, "threadIdx.y");
  s.bind(lane, "threadIdx.x");
  return s;
}

function kernelsOf(s: Schedule) {
  const inferred = infer(s.state);
  if (!inferred.ok) throw inferred.error;
  const func = inferred.value.func();
  const kernels = lowerFunc(func, target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  return { inferred: inferred.value, func, kernels };
}

const funcsOf = ({ kernels }: ReturnType<typeof kernelsOf>) => kernels.map(({ func }) => func);

it.each([
  [1, 1],
  [2, 3],
  [8, 3],
  [32, 1],
  [64, 1],
  [96, 2],
  [256, 1],
  [1024, 1],
])("%i threads a row, %i rows a block: warps that are not full, rows and blocks that are not", (threads, inBlock) => {
  const graph = rows(5, 301);
  const subject = subjectOf(graph);
  const made = kernelsOf(shared(graph, threads, inBlock));
  expect(difference(subject, interpretKernels(made.kernels, subject.inputs))).toBeUndefined();
  expect(difference(subject, interpretDirectly(funcsOf(made), subject.inputs))).toBeUndefined();
  expect(difference(subject, interpret([made.func], subject.inputs))).toBeUndefined();
});

/** What the order of a row of `threads` gives: parts, then distances 16 ... 1 in each warp, then the same over the warps. */
function inOrder(row: readonly number[], threads: number): number {
  const butterfly = (values: readonly number[]): number => {
    let lanes = [...values];
    for (let distance = lanes.length / 2; distance >= 1; distance /= 2)
      lanes = lanes.map((x, lane) => Math.fround(x + (lanes[lane ^ distance] as number)));
    return lanes[0] as number;
  };
  const parts = Array.from({ length: threads }, (_, t) =>
    row.filter((_, k) => k % threads === t).reduce((part, x) => Math.fround(part + x), 0),
  );
  const warps = Array.from({ length: Math.ceil(threads / 32) }, (_, w) => butterfly(parts.slice(w * 32, (w + 1) * 32)));
  return butterfly([...warps, ...new Array(2 ** Math.ceil(Math.log2(warps.length)) - warps.length).fill(0)]);
}

it.each([16, 32, 96, 256])("the order of %i threads is the stated one, bit for bit", (threads) => {
  const graph = rows(4, 777);
  const random = new Random(threads);
  const a = new Float32Array(4 * 777).map(() => random.below(1 << 24) / 7 - 1e6);
  const made = kernelsOf(shared(graph, threads));
  const wanted = [0, 1, 2, 3].map((i) => inOrder([...a.subarray(i * 777, (i + 1) * 777)], threads));
  const inputs = new Map([["a", a]]);
  expect([...(interpretKernels(made.kernels, inputs).data.get("s") ?? [])]).toEqual(wanted);
  expect([...(interpretDirectly(funcsOf(made), inputs).data.get("s") ?? [])]).toEqual(wanted);
});

it("a value that is no number is no number in every lane", () => {
  const graph = rows(1, 64);
  const a = new Float32Array(64).fill(1);
  a[37] = Number.NaN;
  const made = kernelsOf(shared(graph, 32));
  for (const { data } of [
    interpretKernels(made.kernels, new Map([["a", a]])),
    interpretDirectly(funcsOf(made), new Map([["a", a]])),
  ])
    expect([...(data.get("s") ?? [])]).toEqual([Number.NaN]);
});

it("of a row of 1024 elements by 256 threads each reads one value of shared memory, and counts what it takes there", () => {
  const graph = rows(8, 1024);
  const { kernels, inferred } = kernelsOf(shared(graph, 256));
  const reads: string[] = [];
  walkStmt(
    kernels[0]?.func.body as Stmt,
    () => {},
    (e) =>
      walkExpr(e, (part) => {
        if (part.kind === "Load" && part.buffer.scope === "shared") reads.push(part.buffer.name);
      }),
  );
  expect(reads).toEqual(["s.part.warps"]);
  expect(inferred.allocations.filter(({ scope }) => scope === "shared").map(({ bytes }) => bytes)).toEqual([8 * 4]);
});

const types = [
  ["float32", sum],
  ["float64", maxOf],
  ["float16", sum],
  ["bfloat16", minOf],
  ["int32", sum],
  ["int8", sum],
  ["uint8", maxOf],
  ["int64", sum],
] as const;

it.each(types)("%s is exchanged, rounded and wrapped as its type is", (dtype, combiner) => {
  const graph = rows(3, 130, combiner, dtype);
  const subject = subjectOf(graph, 0, 9);
  const made = kernelsOf(shared(graph, 64));
  expect(difference(subject, interpretKernels(made.kernels, subject.inputs))).toBeUndefined();
  expect(difference(subject, interpretDirectly(funcsOf(made), subject.inputs))).toBeUndefined();
});

it("nvcc takes what is printed, for every type; a warp's values are exchanged by five shuffles", (ctx) => {
  needs(ctx, "nvcc");
  const texts = types.map(([dtype, combiner]) => {
    const graph = rows(3, 130, combiner, dtype);
    const { kernels, func } = kernelsOf(shared(graph, 64));
    return emit(kernels, func.params, target, { graph }).text.replaceAll("s_kernel", `s_${dtype}`);
  });
  const reports = compileCubin(joinTexts(texts), "sm_90", /shfl\.sync\.bfly/);
  expect(reports.s_float32?.instructions).toEqual({ "shfl.sync.bfly": 5 + 1 });
});

/**
 * out[i, j] = a[i, j] - the largest element of row i, or of column j: `place` binds the loops of out and says where top is
 * computed.
 */
function centred(
  along: "row" | "column",
  shape: readonly [number, number],
  place: (s: Schedule, i: LoopRef, j: LoopRef) => LoopRef,
  lanes: number,
): Schedule {
  const a = placeholder("a", shape);
  const k = reduceAxis("k", along === "row" ? shape[1] : shape[0]);
  const top = compute("top", [["x", along === "row" ? shape[0] : shape[1]]], (x) =>
    maxOf(along === "row" ? at(a, x, k.loopVar) : at(a, k.loopVar, x), [k]),
  );
  const axes = [["i", shape[0]] as const, ["j", shape[1]] as const];
  const s = createSchedule(graphOf([a], [compute("out", axes, (i, j) => sub(at(a, i, j), at(top, along === "row" ? i : j)))]));
  const [i, j] = s.axes(s.stage("out")) as [LoopRef, LoopRef];
  const stage = s.stage("top");
  s.setScope(stage, "local");
  s.computeAt(stage, s.stage("out"), place(s, i, j));
  s.bind(s.split(s.reduceAxes(stage)[0] as LoopRef, [null, lanes])[1] as LoopRef, "threadIdx.x");
  return s;
}

type Place = (s: Schedule, i: LoopRef, j: LoopRef) => LoopRef;
const byColumn: Place = (s, i, j) => {
  s.bind(i, "blockIdx.x");
  s.bind(j, "threadIdx.x");
  return j;
};
const byPartOfColumn =
  (inner: "threadIdx.x" | "threadIdx.y" | "vthread" | "blockIdx.y", part: 0 | 1): Place =>
  (s, i, j) => {
    s.bind(i, "blockIdx.x");
    const parts = s.split(j, [null, 8]) as [LoopRef, LoopRef];
    s.bind(parts[part], inner);
    return parts[1];
  };
const byFused: Place = (s, i, j) => {
  const [block, thread] = s.split(s.fuse([i, j]), [null, 16]) as [LoopRef, LoopRef];
  s.bind(block, "blockIdx.x");
  s.bind(thread, "threadIdx.x");
  return thread;
};

it.each<[string, "row" | "column", Place]>([
  ["a column for each thread", "column", byColumn],
  ["columns that differ by the inner part of a split", "column", byPartOfColumn("threadIdx.x", 1)],
  ["columns that differ by the outer part of a split", "column", byPartOfColumn("threadIdx.x", 0)],
  ["rows that may differ by a thread of a fused loop", "row", byFused],
])("threads of a row that reduce different elements cannot share them out: %s", (_, along, place) => {
  const inferred = infer(centred(along, [32, 24], place, 32).state);
  expect(inferred).toMatchObject({ ok: false, error: { rule: "bind.fold" } });
  expect(inferred.ok || inferred.error.message).toMatch(
    /loop "k\.inner" of "top" shares a reduction out over threadIdx\.x, but loop ".+" of "out" around it is bound to threadIdx\.x too/,
  );
});

it.each<[string, "row" | "column", Place]>([
  ["the same row for all of them", "row", byColumn],
  ["the same row, by fewer threads than share it out", "row", byPartOfColumn("threadIdx.x", 1)],
  ["a column for each row of threads", "column", byPartOfColumn("threadIdx.y", 1)],
  ["columns that differ by the outer part, of rows of threads", "column", byPartOfColumn("threadIdx.y", 0)],
  ["columns that differ by a virtual thread", "column", byPartOfColumn("vthread", 1)],
  ["columns that differ by a block", "column", byPartOfColumn("blockIdx.y", 0)],
])("threads of a row that reduce the same element share it out: %s", (_, along, place) => {
  const schedule = centred(along, [32, 24], place, 32);
  const subject = subjectOf(schedule.graph);
  const made = kernelsOf(schedule);
  expect(difference(subject, interpretKernels(made.kernels, subject.inputs))).toBeUndefined();
  expect(difference(subject, interpretDirectly(funcsOf(made), subject.inputs))).toBeUndefined();
});

it.each([
  { blocks: 2, threads: 32, combiner: sum },
  { blocks: 4, threads: 4, inBlock: 3, combiner: maxOf },
  { blocks: 8, threads: 64, combiner: minOf },
  { blocks: 8, threads: 2, inBlock: 2, combiner: sum },
])("$blocks blocks of $threads threads share rows", ({ combiner, ...shape }) => {
  const graph = rows(7, 301, combiner);
  const subject = subjectOf(graph);
  const made = kernelsOf(byClusters(graph, shape));
  expect(made.kernels[0]?.cluster).toBe(shape.blocks);
  expect(difference(subject, interpretKernels(made.kernels, subject.inputs))).toBeUndefined();
  expect(difference(subject, interpretDirectly(funcsOf(made), subject.inputs, new Random(3)))).toBeUndefined();
  expect(difference(subject, interpret([made.func], subject.inputs))).toBeUndefined();
});

it("nvcc takes what is printed for clusters, for every type", (ctx) => {
  needs(ctx, "nvcc");
  const texts = types.map(([dtype, combiner]) => {
    const graph = rows(6, 130, combiner, dtype);
    const { kernels, func } = kernelsOf(byClusters(graph, { blocks: 4, threads: 64, inBlock: 2 }));
    return emit(kernels, func.params, target, { graph }).text.replaceAll("s_kernel", `s_${dtype}`);
  });
  const reports = compileCubin(joinTexts(texts), "sm_90", /barrier\.cluster\.\w+|mapa|st\.async/);
  const counted = { "barrier.cluster.arrive": 1, "barrier.cluster.wait": 1, mapa: 2, "st.async": 1 };
  const meets = { "barrier.cluster.arrive": 2, "barrier.cluster.wait": 2, mapa: 1 };
  for (const [dtype] of types)
    expect([dtype, reports[`s_${dtype}`]?.instructions]).toEqual([dtype, dtypeBytes(dtype) < 4 ? meets : counted]);
});

it("blocks that share a reduction out are all blocks of their cluster", () => {
  const [all, few] = [4, 2].map((parts) => infer(twoFolds({ blocks: 4, parts }).state));
  expect(all?.ok).toBe(true);
  expect(few).toMatchObject({ ok: false, error: { rule: "bind.cluster" } });
});

it("blocks meet before each fold of a loop, and once before the first of several that are reached once", () => {
  const textOf = (inLoop: boolean): string => {
    const s = twoFolds({ blocks: 2, parts: 2, ...(inLoop && { rows: "loop" }) });
    const { kernels, func } = kernelsOf(s);
    const subject = subjectOf(s.graph);
    expect(difference(subject, interpretKernels(kernels, subject.inputs))).toBeUndefined();
    const funcs = kernels.map((kernel) => kernel.func);
    expect(difference(subject, interpretDirectly(funcs, subject.inputs, new Random(5)))).toBeUndefined();
    return emit(kernels, func.params, target, { graph: s.graph }).text;
  };
  const [once, repeated] = [textOf(false), textOf(true)];
  // Block b's value goes to place b of every block, where a barrier counts its bytes, and is read there.
  const sent = /if \(threadIdx\.x < 2\) \{\n +send_f32\((\w+) \+ \(blockIdx\.x % 2\), (\w+ \+ \d), threadIdx\.x, (\w+)\[0\]\);/g;
  expect([...once.matchAll(sent)].map((found) => found.slice(1))).toEqual([
    ["top_part_blocks", "folded + 0", "top_part"],
    ["low_part_blocks", "folded + 1", "low_part"],
  ]);
  expect(once).toContain("top_part[0] = fold_max_f32_blocks2(top_part_blocks);");
  const calls = (text: string) =>
    [...text.matchAll(/^ +((?:cluster|mbarrier)_\w+\(.*\)|send_f32(?=\()|in_block(?=\())/gm)].map((found) => found[1]);
  const [arrive, wait] = ["cluster_arrive()", "cluster_wait()"];
  const made = [0, 1].flatMap((i) => [`mbarrier_init(folded + ${i}, 1)`, `mbarrier_expect(folded + ${i}, 8)`]);
  const awaited = [0, 1].map((i) => ["send_f32", `mbarrier_wait(folded + ${i}, 0)`]);
  expect(calls(once)).toEqual([...made, arrive, wait, ...awaited.flat()]);
  expect(repeated).toMatch(/\*\(float \*\)in_block\(top_part_blocks \+ \(blockIdx\.x % 2\), threadIdx\.x\) = top_part\[0\];/);
  expect(calls(repeated)).toEqual([arrive, wait, arrive, wait, arrive, wait, arrive, wait]);
});

describe("refuses folds over blocks that would hang or lose values", () => {
  const graph = rows(4, 64);
  const subject = subjectOf(graph);
  const { kernels } = kernelsOf(byClusters(graph, { blocks: 2, threads: 32 }));
  const changed = (change: (s: Fold, rank: Var) => Stmt): Kernel[] =>
    kernels.map((kernel) => {
      let rank: Var | undefined;
      walkStmt(kernel.func.body, (s) => {
        if (s.kind === "For" && s.thread === "clusterIdx.x") rank = s.loopVar;
      });
      const map = (s: Stmt): Stmt => (s.kind === "Fold" && s.exchange ? change(s, rank as Var) : mapStmt(s, map, (e) => e));
      return { ...kernel, func: { ...kernel.func, body: map(kernel.func.body) } };
    });
  const runs = (bad: readonly Kernel[]) => [
    () => interpretKernels(bad, subject.inputs),
    () =>
      interpretDirectly(
        bad.map(({ func }) => func),
        subject.inputs,
      ),
  ];

  it.each<[what: string, change: (s: Fold, rank: Var) => Stmt, words: RegExp]>([
    ["of more blocks than there are", (s) => ({ ...s, blocks: 4 }), /folded over 4 blocks; the kernel's clusters have 2/],
    [
      "without room",
      (s) => ({ ...s, exchange: { ...(s.exchange as Buffer), shape: [1] } }),
      /it takes 2 float32 of shared memory/,
    ],
    ["by an array that is not there", (s) => ({ ...s, exchange: { ...(s.exchange as Buffer) } }), /which is not allocated there/],
    ["in one of the blocks", (s, rank) => b.ifThen(b.eq(rank, b.int(0)), s), /under a condition that differs between them/],
  ])("%s", (_, change, words) => {
    const found = verifyKernels(changed(change), target);
    expect(found.map(({ rule }) => rule)).toContain("device.fold");
    expect(found.map(({ message }) => message).join("\n")).toMatch(words);
  });
  it("in one of the blocks, as the interpreters see it: nobody goes on", () => {
    for (const run of runs(changed((s, rank) => b.ifThen(b.eq(rank, b.int(0)), s)))) expect(run).toThrow(/1 have given theirs/);
  });
  it("that are left out: each block has the sums of its own part", () => {
    for (const run of runs(changed(() => b.seq([])))) expect(difference(subject, run())).toBeDefined();
  });
  it("of rows whose threads have not put their parts together", () => {
    const bad = kernels.map((kernel) => {
      const map = (s: Stmt): Stmt => (s.kind === "Fold" && s.lanes !== undefined ? b.seq([]) : mapStmt(s, map, (e) => e));
      return { ...kernel, func: { ...kernel.func, body: map(kernel.func.body) } };
    });
    for (const run of runs(bad)) expect(difference(subject, run())).toBeDefined();
  });
});
