/** Schedules that longer runs of the fuzz found to be lowered wrongly, shrunk, against the definition of their graphs. */

import { parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { runCudaOnHost } from "../../../test-support/run-c.ts";
import { compileProgram } from "../../src/compile.ts";
import { interpretKernels } from "../../src/interp/interpret.ts";
import { infer } from "../../src/schedule/infer.ts";
import { replay } from "../../src/schedule/schedule.ts";
import type { TraceStep } from "../../src/serial/program.ts";
import { lowerFunc } from "../../src/target/index.ts";
import type { Graph } from "../../src/te/graph.ts";
import { difference, subjectOf } from "../subject.ts";

const step = (op: string, into: string[], out: string[], args: TraceStep["args"] = {}): TraceStep => ({
  op,
  in: into,
  args,
  out,
});

const replayed = (name: string, trace: readonly TraceStep[]) => {
  const subject = subjectOf((graphs[name] as () => Graph)());
  const schedule = replay(subject.graph, trace, []);
  if (!schedule.ok) throw schedule.error;
  return { subject, schedule: schedule.value };
};

it.each<[string, string, readonly TraceStep[]]>([
  [
    "a sum's start values do not come again over what the iteration before added up",
    "matmul_tt",
    [
      step("bind", ["l1"], [], { thread: "vthread" }),
      step("cache_write", ["s0"], ["s1", "l3", "l4"], { scope: "shared" }),
      step("split", ["l4"], ["l5", "l6"], { factors: [null, 4] }),
      step("reorder", ["l3", "l5", "l2", "l6"], []),
      step("compute_at", ["s1", "s0", "l1"], []),
    ],
  ],
  [
    "the same in a convolution whose rows are computed at the batch",
    "conv_stride2",
    [
      step("cache_write", ["s1"], ["s2", "l11", "l12", "l13", "l14"], { scope: "shared" }),
      step("split", ["l14"], ["l15", "l16"], { factors: [null, 2] }),
      step("cache_write", ["s1"], ["s3", "l17", "l18", "l19", "l20"], { scope: "global" }),
      step("reorder", ["l11", "l12", "l13", "l15", "l8", "l9", "l10", "l16"], []),
      step("compute_at", ["s2", "s3", "l17"], []),
    ],
  ],
  [
    "a pipeline in a repeated loop counts the groups that copy nothing any more",
    "row_reductions",
    [
      step("unroll", ["l5"], []),
      step("cache_read", ["s1", "s2"], ["s3", "l6", "l7"], { scope: "shared" }),
      step("compute_at", ["s3", "s2", "l5"], []),
      step("bind", ["l7"], [], { thread: "threadIdx.x" }),
      step("pipeline", ["s3"], [], { stages: 4 }),
    ],
  ],
  [
    "a copy at the root over loops of 1 and 2, fused and split past their end",
    "recurrences",
    [
      step("transform_layout", ["s0"], ["l13", "l14", "l15", "l16", "l17"], {
        map: {
          from: ["d0", "d1", "d2"],
          to: [["floor_div", "d0", 3], ["floor_div", "d1", 3], ["floor_mod", "d0", 3], "d2", ["floor_mod", "d1", 3]],
        },
      }),
      step("curve", ["l13", "l14"], ["l18"], { order: "group", group: 4 }),
      step("split", ["l18"], ["l19", "l20"], { factors: [4, null] }),
      step("copy_by", ["s0"], [], { engine: "tma" }),
    ],
  ],
])("%s", (_, name, trace) => {
  const { subject, schedule } = replayed(name, trace);
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  const kernels = lowerFunc(inferred.value.func(), parseTarget("cuda/sm_90"));
  expect(difference(subject, interpretKernels(kernels, subject.inputs))).toBeUndefined();
});

it("a copy's start has its name again where the loop around is repeated", (ctx) => {
  needs(ctx, "c++");
  const { subject, schedule } = replayed("matmul_tt", [
    step("cache_read", ["i1", "s0"], ["s1", "l3", "l4"], { scope: "shared" }),
    step("compute_at", ["s1", "s0", "l0"], []),
    step("fuse", ["l3", "l4"], ["l5"]),
    step("split", ["l5"], ["l6", "l7"], { factors: [null, 3] }),
    step("unroll", ["l0"], []),
  ]);
  const program = { version: 1, kind: "schedule", target: "cuda/sm_75", graph: subject.graph, trace: schedule.trace } as const;
  const text = compileProgram(program);
  if (!text.ok) throw new Error(text.error.message);
  expect(text.value.text.match(/const int start/g)).toHaveLength(7);
  expect(runCudaOnHost(text.value, subject.inputs).get("C")).toEqual(subject.expected.get("C"));
});

it("a pipeline's counters are declared once each where the loop around is repeated", (ctx) => {
  needs(ctx, "c++");
  const { subject, schedule } = replayed("matmul_nn", [
    step("unroll", ["l0"], []),
    step("cache_read", ["i0", "s0"], ["s1", "l3", "l4"], { scope: "shared" }),
    step("compute_at", ["s1", "s0", "l2"], []),
    step("pipeline", ["s1"], [], { stages: 3 }),
    step("bind", ["l1"], [], { thread: "blockIdx.x" }),
    step("reorder", ["l1", "l0"], []),
  ]);
  const program = { version: 1, kind: "schedule", target: "cuda/sm_75", graph: subject.graph, trace: schedule.trace } as const;
  const text = compileProgram(program);
  if (!text.ok) throw new Error(text.error.message);
  expect(text.value.text.match(/int k_mod_3/g)).toHaveLength(14);
  expect(runCudaOnHost(text.value, subject.inputs).get("C")).toEqual(subject.expected.get("C"));
});
