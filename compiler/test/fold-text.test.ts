/** What blocks of a cluster fold, as text: it runs on a machine made after the PTX ISA, but for the instructions that send. */
import { describe, expect, it } from "vitest";
import type { Var } from "../src/ir/expr.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { cudaPrelude } from "../src/target/cuda/codegen.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { at, sub } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { textOf } from "./clusters.testing.ts";
import { byClusters, rows, twoFolds } from "./fold.testing.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";
import { subjectOf } from "./subject.ts";

/** Runs a schedule's text, in which values are sent or, with meetings, written to the other blocks. */
function expectRun(sch: Schedule, how: "sent" | "written"): void {
  const made = textOf(sch);
  expect(/ send_\w+\(/.test(made.text) ? "sent" : "written").toBe(how);
  const subject = subjectOf(sch.graph);
  const got = runEngineOnHost(made, subject.inputs);
  for (const [name, data] of subject.expected)
    if (sch.graph.outputs.some((of) => of.name === name)) expect(got.get(name)).toEqual(data);
}

describe("runs", () => {
  it.each([
    { blocks: 2, threads: 32, combiner: sum },
    { blocks: 4, threads: 4, inBlock: 3, combiner: maxOf },
    { blocks: 8, threads: 2, inBlock: 2, combiner: sum },
    { blocks: 4, threads: 8, inBlock: 2, along: "threadIdx.z", combiner: minOf },
  ] as const)("$blocks blocks of $threads threads", ({ combiner, ...shape }) =>
    expectRun(byClusters(rows(7, 301, combiner), shape), "sent"));

  it.each(["float64", "int32"] as const)("values of %s", (dtype) =>
    expectRun(byClusters(rows(5, 130, sum, dtype), { blocks: 4, threads: 4, inBlock: 2 }), "sent"));

  it("two folds, each reached once", () => expectRun(twoFolds({ blocks: 2, parts: 2 }), "sent"));
  it.each(["loop", "unrolled"] as const)("two folds of each of a block's rows: %s", (how) =>
    expectRun(twoFolds({ blocks: 2, parts: 2, rows: how }), "written"));

  it("a fold beside boxes that blocks bring each other, for which all blocks meet", () => {
    const [a, p] = [placeholder("a", [4, 256]), placeholder("p", [32, 32])];
    const k = reduceAxis("k", 256);
    const top = compute("top", [["i", 4]], (i) => maxOf(at(a, i, k.loopVar), [k]));
    const axes = [
      ["i", 4],
      ["copy", 2],
      ["r", 32],
      ["j", 32],
    ] as const;
    const out = compute("out", axes, (i: Var, _: Var, r: Var, j: Var) => sub(at(p, r, j), at(top, i)));
    const s = createSchedule(graphOf([a, p], [out]));
    const [to, stage] = [s.stage("out"), s.stage("top")];
    const copy = s.cacheRead(p, "shared", [to]);
    const [i, rank, r, j] = s.axes(to) as [LoopRef, LoopRef, LoopRef, LoopRef];
    const [turn, row] = s.split(r, [null, 16]) as [LoopRef, LoopRef];
    s.reorder([i, rank, turn, j, row]);
    s.bind(i, "blockIdx.x");
    s.bind(rank, "clusterIdx.x");
    s.bind(j, "threadIdx.x");
    s.setScope(stage, "local");
    s.computeAt(stage, to, rank);
    const [, part, lane] = s.split(s.reduceAxes(stage)[0] as LoopRef, [null, 2, 32]) as LoopRef[];
    s.bind(part as LoopRef, "clusterIdx.x");
    s.bind(lane as LoopRef, "threadIdx.x");
    s.computeAt(copy, to, turn);
    s.copyBy(copy, "tma");
    s.bind(s.split(s.axes(copy)[0] as LoopRef, [2, null])[0] as LoopRef, "clusterIdx.x");
    expectRun(s, "written");
  });
});

it.each([
  ["f32", "f", 32],
  ["i32", "r", 32],
  ["f64", "d", 64],
  ["i64", "l", 64],
])("%s is stored at the place in the other block, and its bytes count at the barrier there", (type, register, bits) => {
  const prelude = cudaPrelude();
  prelude.use(`send_${type}`);
  expect(prelude.text.split("\n").filter((line) => /mapa|st\.async|: :/.test(line))).toEqual([
    '    "mapa.shared::cluster.u32 there, %0, %2;\\n\\t"',
    '    "mapa.shared::cluster.u32 counts, %1, %2;\\n\\t"',
    `    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b${bits} [there], %3, [counts];\\n\\t"`,
    `    "}" : : ${["to", "barrier"].map((p) => `"r"((unsigned int)__cvta_generic_to_shared(${p}))`).join(", ")}, "r"(block), "${register}"(value) : "memory");`,
  ]);
});
