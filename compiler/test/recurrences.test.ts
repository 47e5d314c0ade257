/** Scans and sums with a decay under schedules other than the derived ones, and what their loops refuse. */
import { parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { graphs } from "../../test-support/programs/graphs.ts";
import { interpret, interpretKernels } from "../src/interp/interpret.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import { constant } from "../src/ir/build.ts";
import { indexMap } from "../src/json/index-map.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerFunc } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, scan, sum } from "../src/te/compute.ts";
import { at as element, mul, sub } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { difference, subjectOf } from "./subject.ts";

const subject = subjectOf((graphs.recurrences as (typeof graphs)[string])());
const { inputs, outputs } = subject.graph;
const [scanned, decayed] = outputs.map((output) => subjectOf(graphOf(inputs, [output]))) as [typeof subject, typeof subject];
/** A scan that is read at one element, and a decay that is a stage. */
function small() {
  const x = placeholder("x", [3, 5]);
  const axes = [
    ["i", 3],
    ["b", 5],
  ] as const;
  const s = scan(
    "s",
    axes,
    "b",
    () => constant(1, "float32"),
    (before, i, b) => sub(element(x, i, b), before),
  );
  const y = compute("y", axes, (i, b) => mul(element(s, i, b), 2));
  const d = compute("d", axes, (i, b) => sub(element(x, i, b), 1));
  const b = reduceAxis("b", 5);
  const z = compute("z", [["i", 3]], (i) => sum(element(x, i, b.loopVar), [b], { decay: element(d, i, b.loopVar) }));
  return subjectOf(graphOf([x], [y, z]));
}
type Loops = [LoopRef, LoopRef, ...LoopRef[]];
const at = (list: readonly LoopRef[], i: number): LoopRef => list[i] as LoopRef;

const schedules: Readonly<Record<string, readonly [typeof subject, "cpu" | "cuda", (s: Schedule) => void]>> = {
  "a scan inside the loop of its reader, whole along its axis": [
    scanned,
    "cpu",
    (s) => {
      s.computeInline(s.stage("x"));
      s.computeAt(s.stage("s"), s.stage("y"), at(s.axes(s.stage("y")), 1));
    },
  ],
  "a scan at the step of its reader, and a decay at its own": [
    small(),
    "cpu",
    (s) => {
      s.computeAt(s.stage("s"), s.stage("y"), at(s.axes(s.stage("y")), 1));
      s.computeAt(s.stage("d"), s.stage("z"), at(s.reduceAxes(s.stage("z")), 0));
    },
  ],
  "what a scan reads, at the step that reads it": [
    scanned,
    "cpu",
    (s) => s.computeAt(s.stage("x"), s.stage("s"), at(s.scanAxes(s.stage("s")), 0)),
  ],
  "the loop of a scan outside of others": [
    scanned,
    "cpu",
    (s) => {
      const [i, j] = s.axes(s.stage("s")) as Loops;
      s.reorder([at(s.scanAxes(s.stage("s")), 0), i, j]);
      s.vectorize(j);
    },
  ],
  "elements of a decayed sum inside the loop of its steps": [
    subject,
    "cpu",
    (s) => {
      const [i, c] = s.axes(s.stage("z")) as Loops;
      const [b, k] = s.reduceAxes(s.stage("z")) as Loops;
      const [ko, ki] = s.split(k, [null, 3]) as Loops;
      s.reorder([i, b, ko, c, ki]);
    },
  ],
  "the terms of a step over the threads of a row": [
    decayed,
    "cuda",
    (s) => {
      s.bind(at(s.axes(s.stage("x")), 0), "blockIdx.x");
      s.bind(at(s.axes(s.stage("s")), 0), "threadIdx.x");
      const [i] = s.axes(s.stage("z")) as Loops;
      s.bind(i, "blockIdx.x");
      const [, k] = s.reduceAxes(s.stage("z")) as Loops;
      const [, lane] = s.split(k, [null, 4]) as Loops;
      s.bind(lane, "threadIdx.x");
    },
  ],
  "a scan in shared memory, and a decayed sum in registers of a wider type": [
    decayed,
    "cuda",
    (s) => {
      const [i, c] = s.axes(s.stage("z")) as Loops;
      s.bind(i, "blockIdx.x");
      s.bind(c, "threadIdx.x");
      const sums = s.cacheWrite(s.stage("z"), "local");
      s.computeAt(sums, s.stage("z"), c);
      s.setDtype(sums, "float64");
      s.computeInline(s.stage("x"));
      s.computeAt(s.stage("s"), s.stage("z"), i);
      const [, j] = s.axes(s.stage("s")) as Loops;
      s.bind(j, "threadIdx.x");
    },
  ],
};

it.each(Object.entries(schedules))("%s", (_, [subject, kind, make]) => {
  const schedule = createSchedule(subject.graph);
  make(schedule);
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  const func = inferred.value.func();
  expect(difference(subject, interpret([func], subject.inputs))).toBeUndefined();
  const target = parseTarget(kind === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90");
  expect(difference(subject, interpretKernels(lowerFunc(func, target), subject.inputs))).toBeUndefined();
});

const refused: readonly (readonly [string, (s: Schedule) => unknown])[] = [
  ["scan.order", (s) => s.split(at(s.scanAxes(s.stage("s")), 0), [null, 2])],
  ["scan.order", (s) => s.parallel(at(s.scanAxes(s.stage("s")), 0))],
  ["scan.order", (s) => s.vectorize(at(s.scanAxes(s.stage("s")), 0))],
  ["scan.order", (s) => s.bind(at(s.scanAxes(s.stage("s")), 0), "blockIdx.x")],
  ["scan.order", (s) => s.fuse([at(s.axes(s.stage("s")), 1), at(s.scanAxes(s.stage("s")), 0)])],
  ["scan.order", (s) => s.fuse(s.reduceAxes(s.stage("z")))],
  ["scan.order", (s) => s.bind(at(s.reduceAxes(s.stage("z")), 0), "threadIdx.x")],
  [
    "scan.order",
    (s) =>
      s.transformLayout(
        s.stage("s"),
        indexMap(["i", "b", "j"], (i, b, j) => [j, i, b]),
      ),
  ],
  ["scan.order", (s) => s.reorder(s.reduceAxes(s.stage("z")).reverse())],
  [
    "computeAt.decay",
    (s) => {
      const copy = s.cacheRead(inputs[1] as Buffer, "local", [s.stage("z")]);
      s.computeAt(copy, s.stage("z"), at(s.reduceAxes(s.stage("z")), 1));
    },
  ],
  ["rfactor.decay", (s) => s.rfactor(at(s.reduceAxes(s.stage("z")), 1), 0)],
  ["scan.stage", (s) => s.computeInline(s.stage("s"))],
  ["scan.stage", (s) => s.cacheWrite(s.stage("s"), "local")],
  ["scan.stage", (s) => s.doubleBuffer(s.stage("s"))],
  ["scan.stage", (s) => s.pipeline(s.stage("s"), 2)],
  ["scan.stage", (s) => s.cacheRead(s.stage("s"), "local", [s.stage("s")])],
  ["scan.stage", (s) => s.reverseComputeAt(s.stage("y"), s.stage("s"), at(s.axes(s.stage("s")), 0))],
  ["scan.stage", (s) => s.reverseComputeAt(s.stage("s"), s.stage("x"), at(s.axes(s.stage("x")), 0))],
];
it.each(refused.map(([rule, step], i) => [rule, i, step] as const))("%s (%i)", (rule, _, step) => {
  const schedule = createSchedule(subject.graph);
  const found = () => {
    step(schedule);
    const inferred = infer(schedule.state);
    if (!inferred.ok) throw inferred.error;
  };
  expect(found).toThrow(expect.objectContaining({ rule }));
});
