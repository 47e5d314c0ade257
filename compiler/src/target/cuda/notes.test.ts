/** Notes of `lower` on correct kernels: each where it belongs, and nowhere else. */
import { describe, expect, it } from "vitest";
import { compileProgram, lowerProgram } from "../../compile.ts";
import { createSchedule, type Schedule } from "../../schedule/schedule.ts";
import type { LoopRef } from "../../schedule/state.ts";
import type { ScheduleProgram } from "../../serial/program.ts";
import { compute, placeholder } from "../../te/compute.ts";
import { add, at } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { matmul } from "../../te/ops/matmul.ts";

const program = ({ graph, trace }: Schedule, target: string): ScheduleProgram => ({
  version: 1,
  kind: "schedule",
  target,
  graph,
  trace,
});
function notesOf(schedule: Schedule, target = "cuda/sm_90") {
  const made = compileProgram(program(schedule, target));
  if (!made.ok) throw new Error(made.error.message);
  return made.value.notes;
}

/** Sums of `rows` x `columns` a thread; with `apart` in two halves 64 rows from each other. */
function product(rows: number, columns: number, apart = false): Schedule {
  const [a, w] = [placeholder("A", [128, 16]), placeholder("B", [16, 128])];
  const s = createSchedule(graphOf([a, w], [matmul(a, w)]));
  const c = s.stage("C");
  const sums = s.cacheWrite(c, "local");
  const [i, j] = s.axes(c) as [LoopRef, LoopRef];
  const [half, ti, ii] = s.split(i, apart ? [2, null, rows] : [1, null, rows]) as [LoopRef, LoopRef, LoopRef];
  const [tj, ji] = s.split(j, [null, columns]) as [LoopRef, LoopRef];
  s.reorder([ti, tj, half, ii, ji]);
  s.bind(ti, "threadIdx.y");
  s.bind(tj, "threadIdx.x");
  s.computeAt(sums, c, tj);
  return s;
}

function copy(threads: number): Schedule {
  const a = placeholder("a", [4096]);
  const s = createSchedule(graphOf([a], [compute("b", [["i", 4096]], (i) => add(at(a, i), 1))]));
  const [block, thread] = s.split(s.axes(s.stage("b"))[0] as LoopRef, [null, threads]) as [LoopRef, LoopRef];
  s.bind(block, "blockIdx.x");
  s.bind(thread, "threadIdx.x");
  return s;
}

const rulesOf = (schedule: Schedule, target?: string) => notesOf(schedule, target).map(({ rule }) => rule);

describe("notes", () => {
  it("tell of an array that no registers hold, on a GPU", () => {
    expect(rulesOf(product(128, 8))).toEqual([]);
    expect(notesOf(product(128, 16))).toEqual([
      { rule: "local.large", message: expect.stringContaining('"C.local" of C_kernel is an array of 2048 float32 (8192 bytes)') },
    ]);
  });

  it("tell of an array of which most is never used", () => {
    expect(notesOf(product(4, 8, true))).toEqual([
      { rule: "local.sparse", message: expect.stringContaining("an array of 544 float32") },
    ]);
    expect(rulesOf(product(4, 8))).toEqual([]);
  });

  it("tell of a launch bound that the compiler ignores, where it does", () => {
    for (const [threads, blocks, target, rules] of [
      [1024, 3, "cuda/sm_90", ["minBlocks.ignored"]],
      [1024, 2, "cuda/sm_90", []],
      [1024, 2, "cuda/sm_75", ["minBlocks.ignored"]],
      // 1536 threads on these, 2048 on those.
      ...[86, 87, 89, 120].map((level) => [512, 4, `cuda/sm_${level}`, ["minBlocks.ignored"]] as const),
      ...[86, 87, 89, 120].map((level) => [512, 3, `cuda/sm_${level}`, []] as const),
      ...[80, 90, 100].map((level) => [512, 4, `cuda/sm_${level}`, []] as const),
    ] as const) {
      const s = copy(threads);
      s.minBlocks(s.stage("b"), blocks);
      expect(rulesOf(s, target), `${blocks} blocks of ${threads} on ${target}`).toEqual(rules);
    }
    const cpu = createSchedule(copy(32).graph);
    cpu.minBlocks(cpu.stage("b"), 2);
    expect(rulesOf(cpu, "cpu/x86-64-v3")).toEqual(["minBlocks.ignored"]);
  });

  it("reach who lowers: for a text or its launches, and not for what is made of no kernels", () => {
    const found: string[] = [];
    const lower = (emit: string) =>
      lowerProgram(program(product(128, 16), "cuda/sm_90"), {
        emit,
        onNotes: (notes) => found.push(emit, ...notes.map(({ rule }) => rule)),
      });
    for (const emit of ["cuda", "launch", "ir", "trace"]) expect(lower(emit).ok).toBe(true);
    expect(found).toEqual(["cuda", "local.large", "launch", "local.large"]);
  });
});
