/**
 * Races, planted by taking away what orders accesses: barriers, waits, fences, and places of them. The direct interpreter finds
 * each in one run in the order of the program, without a draw, and says who did what where, and what would order the two.
 */
import { parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { drawBoxes } from "../../../test-support/programs/boxes.ts";
import { drawTensorCoreProduct } from "../../../test-support/programs/tensor-cores.ts";
import { type Product, scheduleOf } from "../../../test-support/programs/warpgroups.ts";
import { findRaces, interpretDirectly } from "../../src/interp/direct/index.ts";
import { InterpError } from "../../src/interp/error.ts";
import { thread } from "../../src/interp/interpret.testing.ts";
import * as b from "../../src/ir/build.ts";
import type { Var } from "../../src/ir/expr.ts";
import type { PrimFunc } from "../../src/ir/prim-func.ts";
import type { For, Stmt } from "../../src/ir/stmt.ts";
import { mapStmt, walkStmt } from "../../src/ir/visit.ts";
import { buffer, func } from "../../src/lower/ir.testing.ts";
import { blockedProduct, nestOf, sampleGraph } from "../../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../../src/schedule/schedule.ts";
import type { LoopRef } from "../../src/schedule/state.ts";
import { lowerVerified } from "../../src/target/index.ts";
import { difference, subjectOf } from "../subject.ts";
import { type Case, gpu, rows } from "./cases.testing.ts";

const target = parseTarget("cuda/sm_90a");

function caseOf(schedule: Schedule, range: readonly [number?, number?] = []): Case {
  const made = lowerVerified(nestOf(schedule), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return { subject: subjectOf(schedule.graph, ...range), funcs: made.value.map(({ func }) => func) };
}

function pipelined(k: number, arrays: number): Case {
  const s = blockedProduct(k, "float32");
  for (const operand of ["A.shared", "B.shared"]) s.pipeline(s.stage(operand), arrays);
  return caseOf(s);
}

const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [64, 8, 96], n: 8, groups: 1, chunk: 32, slots: 2, span: 64 },
};
const byWarpgroups = (change: Partial<Product>): Case => caseOf(scheduleOf({ ...product, ...change }), [-2, 2]);

/** The second starts before the first ends. */
function dependentKernels(): Case {
  const s = createSchedule(sampleGraph());
  for (const name of ["b", "c"]) s.bind(s.axes(s.stage(name))[0] as LoopRef, "threadIdx.x");
  s.dependent(s.stage("c"));
  return caseOf(s);
}

function drawn(seed: number): Case {
  const program = drawBoxes(new Random(seed));
  if (!program) throw new Error(`seed ${seed} has no program`);
  return caseOf(program.schedule);
}
function tensorCores(seed: number): Case {
  const program = drawTensorCoreProduct(new Random(seed), false);
  if (!program) throw new Error(`seed ${seed} has no program`);
  return caseOf(program.schedule, program.range);
}

const gone = b.seq([]);
const isOrder = (s: Stmt): boolean => ["Barrier", "Wait", "Fence", "Release"].includes(s.kind);

function threadsOf(func: PrimFunc): number {
  let count = 1;
  walkStmt(func.body, (s) => {
    if (s.kind === "For" && s.thread?.startsWith("threadIdx")) count *= (s as For).extent;
  });
  return count;
}

/** What takes an order away, and what moves one past its neighbour. */
function weaker(s: Stmt, threads: number): readonly (readonly [what: string, isMove: boolean, other: Stmt])[] {
  switch (s.kind) {
    case "Barrier": {
      const ofWarps = s.agent !== "warp" && threads > 32;
      return [["a barrier gone", false, gone], ...(ofWarps ? [["a barrier of warps", false, b.barrierOf("warp")] as const] : [])];
    }
    case "Wait":
      return [
        ["a wait gone", false, gone],
        ["a wait for one group less", false, { ...s, pending: s.pending + 1 }],
      ];
    case "Fence":
      return [["a fence gone", false, gone]];
    case "Handover":
      return s.what === "wait" ? [["no wait for the kernel before", false, gone]] : [];
    case "Seq":
      return s.stmts.flatMap((part, i) =>
        [-1, 1].flatMap((by) => {
          if (!isOrder(part) || !s.stmts[i + by]) return [];
          const stmts = s.stmts.toSpliced(i, 1).toSpliced(i + by, 0, part);
          return [[`${part.kind} past its neighbour, ${by}`, true, { ...s, stmts }] as const];
        }),
      );
    default:
      return [];
  }
}

interface Planted {
  readonly name: string;
  readonly isMove: boolean;
  readonly funcs: readonly PrimFunc[];
}

function* planted({ funcs }: Case): Generator<Planted> {
  for (const [f, func] of funcs.entries()) {
    const all: Stmt[] = [];
    walkStmt(func.body, (s) => all.push(s));
    for (const [nth, s] of all.entries())
      for (const [what, isMove, other] of weaker(s, threadsOf(func))) {
        // Barriers are one object, so places are counted.
        let place = 0;
        const put = (part: Stmt): Stmt => (place++ === nth ? other : mapStmt(part, put, (e) => e));
        const bad = { ...func, body: put(func.body) };
        yield { name: `${what} at ${f}.${nth}`, isMove, funcs: funcs.with(f, bad) };
      }
  }
}

function refused(run: () => unknown): InterpError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof InterpError) return error;
    throw error;
  }
}

/** An element that nobody has written yet is the same race, with the other access still to come. */
const noticed = (rule: string): boolean => races.includes(rule) || rule === "interp.uninitialised";
const races = ["interp.race", "interp.block_race", "interp.on_its_way", "interp.in_flight", "interp.proxy"];
const told =
  /^".+"\[\d+\] is (written|read) by .*(thread \d+|producer).* in `.+` and (written|read) by .*(thread \d+|producer).* in `.+`, (and nothing orders the two|which does not see it): it takes .+ \[/;
const slotTold = /^".+"\[\d+\] is read by .* in `.+`, and its slot is released meanwhile: it takes .+ \[/;
const leftTold = /^the block ends and \w+ is in flight \[/;

describe("what orders accesses is taken away", () => {
  let found = 0;
  const cases: readonly [what: string, make: () => Case, harmless: readonly string[]][] = [
    ["copies that threads share", () => gpu, []],
    ["sums of rows", () => rows, []],
    ["asynchronous copies, 3 arrays", () => pipelined(20, 3), []],
    ["asynchronous copies, 4 arrays", () => pipelined(16, 4), []],
    ["fragments of shared tiles", () => tensorCores(1), []],
    ["asynchronous copies of tiles", () => tensorCores(3), []],
    ["products in flight", () => byWarpgroups({}), []],
    ["products in flight, 3 slots", () => byWarpgroups({ slots: 3, blocks: 1 }), []],
    ["products in flight, 1 slot", () => byWarpgroups({ layout: "NN", slots: 1, size: [64, 32, 64], n: 32, span: 64 }), []],
    ["two warpgroups", () => byWarpgroups({ size: [128, 16, 64], n: 16, groups: 2 }), []],
    ["a producer", () => byWarpgroups({ size: [128, 8, 64], blocks: 1, roles: [0, 0] }), []],
    [
      "results stored by the engine",
      () => byWarpgroups({ size: [128, 32, 32], n: 32, blocks: 1, roles: [0, 0], stored: true }),
      [],
    ],
    [
      "two parts through one panel",
      () => byWarpgroups({ size: [64, 64, 32], n: 64, stored: true, parts: 2, roles: [0, 0], blocks: 1 }),
      // Of one tile, nothing has been stored before the first part.
      ["a barrier gone at 0.24: accepted", "a barrier of warps at 0.24: accepted"],
    ],
    [
      "a residual in slots of a ring",
      () =>
        byWarpgroups({ size: [64, 64, 64], n: 64, stored: true, parts: 2, roles: [0, 0], blocks: 1, fused: true, joined: "B" }),
      [],
    ],
    ["pairs of blocks", () => byWarpgroups({ size: [128, 16, 64], n: 16, blocks: 1, pairs: "m" }), []],
    ["boxes in, changed, and out", () => drawn(9), []],
    ["a kernel that starts early", dependentKernels, []],
  ];

  const heavy = [
    "a residual in slots of a ring",
    "two parts through one panel",
    "pairs of blocks",
    "asynchronous copies of tiles",
  ];
  it.each(cases.filter(([what]) => isFull || !heavy.includes(what)))("%s", (_, make, harmless) => {
    const made = make();
    expect(difference(made.subject, interpretDirectly(made.funcs, made.subject.inputs))).toBeUndefined();
    const accepted: string[] = [];
    for (const { name, isMove, funcs } of planted(made)) {
      const error = refused(() => interpretDirectly(funcs, made.subject.inputs));
      if (error && noticed(error.rule)) {
        found++;
        if (error.rule === "interp.uninitialised") continue;
        expect(
          [told, slotTold, leftTold].some((words) => words.test(error.message)),
          error.message,
        ).toBe(true);
      } else if (!isMove) accepted.push(`${name}: ${error?.message ?? "accepted"}`);
    }
    expect(accepted).toEqual(harmless);
  });
  it("in more than 60 places", () => {
    console.log(`races found in one run: ${found}`);
    expect(found).toBeGreaterThan(60);
  });
});

it("whatever order the threads run in, the same programs are refused; the first and the last blocks are enough", () => {
  for (const make of [() => gpu, () => rows, () => tensorCores(1), () => drawn(9)]) {
    const made = make();
    const { data } = interpretDirectly(made.funcs, made.subject.inputs);
    for (const { name, funcs } of planted(made)) {
      const one = refused(() => interpretDirectly(funcs, made.subject.inputs));
      const others = [
        refused(() => interpretDirectly(funcs, made.subject.inputs, new Random(1))),
        refused(() => interpretDirectly(funcs, made.subject.inputs, new Random(2))),
        refused(() => findRaces(funcs, data)),
      ];
      for (const other of others)
        expect(other === undefined, `${name}: ${one?.message} ${other?.message}`).toBe(one === undefined);
    }
    expect(() => findRaces(made.funcs, data)).not.toThrow();
  }
});

it("every reader counts, not only the last", () => {
  const [given, shared, output] = [buffer("a", [64]), buffer("s", [1], "shared"), buffer("out", [64])];
  const zero = b.int(0);
  /** All threads read what the first has written; thread `writer` then writes it anew. */
  const kernel = (writer: number, between: Stmt): PrimFunc => {
    const body = (t: Var): Stmt =>
      b.seq([
        b.ifThen(b.eq(t, zero), b.store(shared, [zero], b.load(given, [zero]))),
        b.barrier,
        b.store(output, [t], b.load(shared, [zero])),
        between,
        b.ifThen(b.eq(t, b.int(writer)), b.store(shared, [zero], b.float(9))),
      ]);
    return func(
      "device",
      [given, output],
      thread("threadIdx.x", 64, (t) => b.allocate(shared, body(t))),
    );
  };
  const run = (f: PrimFunc) => refused(() => interpretDirectly([f], new Map([["a", new Float32Array(64).fill(1)]])));
  for (const writer of [0, 40, 63]) {
    expect(run(kernel(writer, b.barrier))).toBeUndefined();
    for (const between of [gone, b.barrierOf("warp")]) expect(run(kernel(writer, between))?.rule).toBe("interp.race");
  }
  expect(run(kernel(63, b.barrierOf("warp")))?.message).toBe(
    '"s"[0] is read by thread 0 (warp 0) of block of f in `out[t] = s[0]` and written by thread 63 (warp 1) of block of f in `s[0] = 9.0`, and nothing orders the two: it takes a barrier of the block between them [interp.race]',
  );
});
