/**
 * Correct functions, in which faults are planted: a convolution on a GPU, its loop nest, a product on a CPU, chains of kernels.
 */
import { parseTarget } from "@warpfarm/common";
import type { PrimFunc } from "../../src/ir/prim-func.ts";
import { infer } from "../../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../../src/schedule/schedule.ts";
import type { LoopRef } from "../../src/schedule/state.ts";
import { lowerFunc } from "../../src/target/index.ts";
import { compute, maxOf, placeholder, reduceAxis, sum } from "../../src/te/compute.ts";
import { add, at, maximum, sub } from "../../src/te/expr.ts";
import type { Graph } from "../../src/te/graph.ts";
import { graphOf } from "../../src/te/graph-of.ts";
import { matmul } from "../../src/te/ops/matmul.ts";
import { convGraph, scheduleA } from "../programs.testing.ts";
import { type Subject, subjectOf } from "../subject.ts";

export interface Case {
  readonly subject: Subject;
  readonly funcs: readonly PrimFunc[];
}

function scheduled(schedule: Schedule): PrimFunc<"scheduled"> {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value.func();
}
function lowered(graph: Graph, schedule: Schedule, target: string, ...range: [number?, number?]): Case {
  const funcs = lowerFunc(scheduled(schedule), parseTarget(target)).map((k) => k.func);
  return { subject: subjectOf(graph, ...range), funcs };
}

/**
 * Two blocks an axis, a tail of channels and of rows, vthreads, cooperative copies, two barriers: program A of the tutorials,
 * small.
 */
const conv = convGraph({ batch: 1, size: 5, inChannels: 4, outChannels: 6, kernel: 3, stride: 1, padding: 1 });
const config = {
  f: [2, 2, 1],
  y: [1, 3, 1],
  x: [1, 1, 5],
  rc: [1, 2],
  ry: [1, 3],
  rx: [3, 1],
  maxStep: 0,
  explicit: 0,
} as const;
export const gpu: Case = lowered(conv, scheduleA(conv, config), "cuda/sm_90");
export const nest: Case = { subject: gpu.subject, funcs: [scheduled(scheduleA(conv, config))] };

function matmulCase(): Case {
  const [a, w] = [placeholder("A", [7, 5], "int8"), placeholder("B", [5, 16], "int8")];
  const graph = graphOf([a, w], [matmul(a, w, { outDtype: "int32" })]);
  const s = createSchedule(graph);
  const stage = s.stage("C");
  const [i, j] = s.axes(stage) as [LoopRef, LoopRef];
  const [io, ii] = s.split(i, [null, 3]) as [LoopRef, LoopRef];
  const [jo, ji] = s.split(j, [null, 8]) as [LoopRef, LoopRef];
  s.reorder([io, jo, ii, ...s.reduceAxes(stage), ji]);
  s.parallel(io);
  return lowered(graph, s, "cpu/x86-64-v3", -128, 127);
}
export const cpu = matmulCase();

/** Three kernels in a row; all inputs negative, so that a maximum must start below zero. */
function reductionCase(): Case {
  const a = placeholder("a", [5, 8]);
  const [k, l] = [reduceAxis("k", 8), reduceAxis("l", 8)];
  const m = compute("m", [["i", 5]], (i) => maxOf(at(a, i, k.loopVar), [k]));
  const e = compute(
    "e",
    [
      ["i", 5],
      ["j", 8],
    ],
    (i, j) => maximum(sub(at(a, i, j), at(m, i)), -3),
  );
  const s = compute("s", [["i", 5]], (i) => sum(add(at(e, i, l.loopVar), at(m, i)), [l]));
  const graph = graphOf([a], [s]);
  const schedule = createSchedule(graph);
  for (const name of ["m", "e", "s"]) schedule.bind(schedule.axes(schedule.stage(name))[0] as LoopRef, "threadIdx.x");
  schedule.vectorize(schedule.axes(schedule.stage("e"))[1] as LoopRef);
  return lowered(graph, schedule, "cuda/sm_90", -9, -1);
}
export const chain = reductionCase();

/**
 * Sums of rows by 64 threads, three rows a block, and what each of them exceeds them by: shuffles, a value a warp, one block that
 * is not full.
 */
function rowsCase(): Case {
  const a = placeholder("a", [5, 150]);
  const k = reduceAxis("k", 150);
  const s = compute("s", [["i", 5]], (i) => sum(at(a, i, k.loopVar), [k]));
  const d = compute(
    "d",
    [
      ["i", 5],
      ["j", 150],
    ],
    (i, j) => sub(at(a, i, j), at(s, i)),
  );
  const graph = graphOf([a], [d]);
  const schedule = createSchedule(graph);
  const [sums, out] = [schedule.stage("s"), schedule.stage("d")];
  const [i, j] = schedule.axes(out) as [LoopRef, LoopRef];
  const [block, row] = schedule.split(i, [null, 3]) as [LoopRef, LoopRef];
  schedule.bind(block, "blockIdx.x");
  schedule.bind(row, "threadIdx.y");
  schedule.bind(schedule.split(j, [null, 64])[1] as LoopRef, "threadIdx.x");
  schedule.computeAt(sums, out, row);
  schedule.bind(schedule.split(schedule.reduceAxes(sums)[0] as LoopRef, [null, 64])[1] as LoopRef, "threadIdx.x");
  return lowered(graph, schedule, "cuda/sm_90");
}
export const rows = rowsCase();
