/**
 * Steps of a recurrence that change nothing are not done (ADR 111): under every form of the loop, held to the definition;
 * when they are done all the same; and with planted faults of the end that a rule or both interpreters notice.
 */
import { parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import type { Draft } from "../../test-support/programs/draft.ts";
import { lowerWatched } from "../../test-support/programs/every-pass.ts";
import { Walk } from "../../test-support/programs/generate.ts";
import { compileProgram } from "../src/compile.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { InterpError } from "../src/interp/error.ts";
import { interpret, interpretKernels } from "../src/interp/interpret.ts";
import * as b from "../src/ir/build.ts";
import type { Expr } from "../src/ir/expr.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import { printExpr, printStmt } from "../src/ir/print.ts";
import type { If, Stmt } from "../src/ir/stmt.ts";
import { mapChildren, mapStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, scan, sum } from "../src/te/compute.ts";
import { add, at, floorDiv, greater, less, maximum, mul, select, sub } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";
import { difference, type Subject, subjectOf } from "./subject.ts";

const target = parseTarget("cuda/sm_90a");
/** Elements of a row that a step takes, and rows of a tile. */
const sizes = { chunk: 32, tile: 128 };
const { tile } = sizes;

interface Shape {
  readonly rows: number;
  readonly columns: number;
  /** How far beyond the tile's last row its steps go. */
  readonly offset: number;
  /** Rows that end together; 1: each row ends for itself. */
  readonly together: number;
  /** Of the sum beside that of the scan. */
  readonly other: number;
}
const usual: Shape = { rows: 200, columns: 168, offset: 0, together: tile, other: 0 };

/** The greatest sum of a chunk so far, and sums of chunks that are halved where there is a greater one; both up to an end. */
function subject({ rows, columns, offset, together, other }: Shape, { chunk, tile } = sizes): Subject {
  const A = placeholder("A", [rows, columns], "float32");
  const steps = Math.ceil(columns / chunk);
  const all = Math.ceil(rows / tile) * tile;
  const padded = compute(
    "padded",
    [
      ["i", all],
      ["j", steps * chunk],
    ],
    (i, j) => select(b.and(b.lt(i, b.int(rows)), b.lt(j, b.int(columns))), at(A, i, j), 0),
  );
  const axes = [
    ["i", all],
    ["b", steps],
  ] as const;
  const inReach = (i: Expr, step: Expr, more = 0) =>
    less(mul(step, chunk), add(mul(add(floorDiv(i, together), 1), together), offset + more));
  const k = reduceAxis("k", chunk);
  const part = compute("part", axes, (i, s) => sum(at(padded, i, add(mul(s, chunk), k.loopVar)), [k]));
  const m = scan(
    "m",
    axes,
    "b",
    () => b.constant(-1000, "float32"),
    (before, i, s) => select(inReach(i, s), maximum(before, at(part, i, s)), before),
  );
  const decay = compute("decay", axes, (i, s) =>
    select(greater(s, 0), select(greater(at(m, i, s), at(m, i, sub(s, 1))), b.float(0.5), b.float(1)), 0),
  );
  const step = reduceAxis("step", steps);
  const reaches = (i: Expr) => inReach(i, step.loopVar, other);
  const sums = compute("sums", [["i", all]], (i) =>
    sum(select(reaches(i), at(part, i, step.loopVar), 0), [step], {
      decay: select(reaches(i), at(decay, i, step.loopVar), 1),
    }),
  );
  const z = compute("z", [["i", rows]], (i) => add(at(sums, i), mul(at(m, i, steps - 1), 0.25)));
  return subjectOf(graphOf([A], [z]));
}

type How = "plain" | "shared" | "cp.async" | "ring" | "producer";
/** `blocks`: each goes on to the tile so many further. */
function schedule({ graph }: Subject, how: How, blocks?: number): Schedule {
  const s = createSchedule(graph);
  const [z, sums, padded] = [s.stage("z"), s.stage("sums"), s.stage("padded")];
  const [tiles, group, thread] = s.split(s.axes(z)[0] as LoopRef, [null, 1, tile]) as [LoopRef, LoopRef, LoopRef];
  let at = thread;
  if (blocks === undefined) s.bind(tiles, "blockIdx.x");
  else {
    const [turn, block] = s.split(tiles, [null, blocks]) as [LoopRef, LoopRef];
    s.reorder([block, turn, group, thread]);
    s.bind(block, "blockIdx.x");
  }
  s.bind(group, "threadIdx.y");
  s.bind(thread, "threadIdx.x");
  s.setScope(sums, "local");
  s.computeAt(sums, z, at);
  at = s.reduceAxes(sums)[0] as LoopRef;
  s.computeInline(padded);
  if (how !== "plain") {
    const copy = s.cacheRead(padded, "shared", [s.stage("part")]);
    s.computeAt(copy, sums, at);
    if (how === "shared" || how === "cp.async") {
      const [, lane] = s.split(s.fuse(s.axes(copy)), [null, tile]) as [LoopRef, LoopRef];
      s.bind(lane, "threadIdx.x");
    } else s.copyBy(copy, "tma");
    if (how !== "shared") s.pipeline(copy, 3);
    if (how === "producer") s.specialize(z, 0, 0);
  }
  for (const name of ["part", "m", "decay"]) s.computeAt(s.stage(name), sums, at);
  return s;
}

function lowered(s: Schedule): readonly Kernel[] {
  const inferred = infer(s.state);
  if (!inferred.ok) throw inferred.error;
  const kernels = lowerFunc(inferred.value.func(), target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  return kernels;
}

function seen(of: Subject, kernels: readonly Kernel[]): readonly (string | undefined)[] {
  const funcs = kernels.map(({ func }) => func);
  return [() => interpretKernels(kernels, of.inputs), () => interpretDirectly(funcs, of.inputs)].map((run) => {
    try {
      return difference(of, run());
    } catch (error) {
      if (error instanceof InterpError) return error.rule;
      throw error;
    }
  });
}

const textOf = (kernels: readonly Kernel[]): string => kernels.map(({ func }) => printStmt(func.body)).join("\n");

type Case = [what: string, shape: Partial<Shape>, how: How, blocks?: number];
const cases: readonly Case[] = [
  ["by threads alone", {}, "plain"],
  ["copies by threads, with barriers", {}, "shared"],
  ["copies that run ahead", {}, "cp.async"],
  ["a ring", {}, "ring"],
  ["a producer, more rows than columns", { rows: 301, columns: 161 }, "producer"],
  ["a producer, more columns than rows", { rows: 131, columns: 330 }, "producer"],
  ["first tiles of one step, and no end that a step divides", { offset: -(tile - 7) }, "ring"],
  ["the same with a producer", { offset: -(tile - 7) }, "producer"],
  ["an end beyond all columns", { offset: 999 }, "producer"],
  ["tiles one after the other, which fill every turn", { rows: 400 }, "ring", 2],
  ["the same with a producer", {}, "producer", 1],
];

/** A condition of all that a step does, in a nest, and in a kernel for a whole block. */
const allOfStep = /if step[^\n]*:\n\s*(alloc|stage)/;
const ends = /for step in \d+:\n[\s\S]*if step <[^\n]*i\.0[\s\S]*stage part/;

describe("steps that change nothing are left out", () => {
  it.each<Case>(cases)("%s: %j", (_, shape, how, blocks) => {
    const of = subject({ ...usual, ...shape });
    const s = schedule(of, how, blocks);
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    expect(difference(of, interpret([inferred.value.func()], of.inputs))).toBeUndefined();
    const kernels = lowered(s);
    expect(ends.test(textOf(kernels))).toBe(shape.offset !== 999);
    expect(seen(of, kernels)).toEqual([undefined, undefined]);
  });

  it.each<[what: string, shape: Partial<Shape>]>([
    ["each row ends for itself", { together: 1 }],
    ["no step is sure to be the first of a scan", { offset: -tile }],
    ["the scan ends elsewhere than the sum", { other: 1 }],
  ])("but not where %s", (_, shape) => {
    const nestOf = (changed: Partial<Shape>): string => {
      const inferred = infer(schedule(subject({ ...usual, ...changed }), "ring").state);
      if (!inferred.ok) throw inferred.error;
      return printStmt(inferred.value.func().body);
    };
    expect(nestOf({})).toMatch(allOfStep);
    expect(nestOf(shape)).not.toMatch(allOfStep);
    const of = subject({ ...usual, ...shape });
    const kernels = lowered(schedule(of, "ring"));
    expect(textOf(kernels)).not.toMatch(ends);
    expect(seen(of, kernels)).toEqual([undefined, undefined]);
  });
});

/** The stages of a step at its loop, in nests that random moves have made, or make later. */
const atStep = ({ sch }: Draft): void => {
  for (const name of ["m", "decay", "part"])
    sch.computeAt(sch.stage(name), sch.stage("sums"), sch.reduceAxes(sch.stage("sums"))[0] as LoopRef);
};
const atRows = ({ sch, random }: Draft): void => {
  const rows = sch.split(sch.axes(sch.stage("z"))[0] as LoopRef, [null, 3]);
  sch.computeAt(sch.stage("sums"), sch.stage("z"), rows[random.below(2)] as LoopRef);
};

it("random schedules agree with the definition", () => {
  const counts = { ends: 0, wholes: 0 };
  for (let seed = 0; seed < (isFull ? 5000 : 60); seed++) {
    const random = new Random(seed);
    const shape = { rows: 6 + random.below(2), columns: 9, offset: random.below(5) - 2, together: 3, other: 0 };
    const of = subject(shape, { chunk: 2, tile: 3 });
    const flavour = random.pick(["cuda", "cpu"] as const);
    const drawn = new Walk(of.graph, random, flavour, new Map(), [atStep, atRows, atStep, atRows]).run(2 + random.below(8));
    const inferred = drawn && infer(drawn.state);
    if (!inferred?.ok) continue;
    const func = inferred.value.func();
    expect(difference(of, interpret([func], of.inputs)), `seed ${seed}`).toBeUndefined();
    const goal = flavour === "cuda" ? target : parseTarget("cpu/x86-64-v3");
    const kernels = lowerWatched(func, goal);
    if (verifyKernels(kernels, goal).length > 0) continue;
    for (const found of seen(of, kernels)) expect(found, `seed ${seed}`).toBeUndefined();
    counts[allOfStep.test(printStmt(func.body)) ? "ends" : "wholes"]++;
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(5);
});

it.each<[what: string, how: How, blocks?: number]>([
  ["a ring", "ring"],
  ["a producer", "producer"],
  ["a producer of several tiles", "producer", 1],
])("the text keeps its phases on a machine made after the PTX ISA: %s", (_, how, blocks) => {
  const of = subject({ ...usual, rows: 301, offset: -(tile - 7) });
  const { graph, trace } = schedule(of, how, blocks);
  const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph, trace });
  if (!made.ok) throw new Error(made.error.message);
  expect(runEngineOnHost(made.value, of.inputs).get("z")).toEqual(of.expected.get("z"));
});

describe("planted faults of the end", () => {
  const hasStep = (cond: Expr): boolean => printExpr(cond).includes("step <");
  const isStep = (s: Stmt): s is If => s.kind === "If" && hasStep(s.cond);
  const change = (s: Stmt, on: (s: If) => Stmt): Stmt => {
    const made = mapStmt(
      s,
      (child) => change(child, on),
      (e) => e,
    );
    return isStep(made) ? on(made) : made;
  };
  const inRole = (s: Stmt, role: "producer" | "consumers", on: (s: If) => Stmt): Stmt =>
    s.kind === "Roles"
      ? { ...s, [role]: change(s[role], on) }
      : mapStmt(
          s,
          (child) => inRole(child, role, on),
          (e) => e,
        );
  /** `more` steps than there are. */
  const ended =
    (more: number) =>
    (s: If): Stmt => {
      const later = (e: Expr): Expr =>
        e.kind === "LT" && printExpr(e.a).includes("step") ? b.lt(e.a, b.add(e.b, b.int(more))) : mapChildren(e, later);
      return { ...s, cond: later(s.cond) };
    };
  const fills = (s: If) => s.body.kind === "Fill";

  const firstFillsAlways = (s: Stmt): Stmt =>
    s.kind === "If" && s.body.kind === "Fill" && !hasStep(s.cond) ? s.body : mapStmt(s, firstFillsAlways, (e) => e);

  /** First tiles of one step in a ring of three slots. */
  const shape = { ...usual, offset: -(tile - 7) };
  type Fault = [what: string, how: How, plant: (s: Stmt) => Stmt, rule?: string];
  const faults: readonly Fault[] = [
    ["a step too few", "producer", (s) => change(s, ended(-1))],
    ["a step too many", "producer", (s) => change(s, ended(1))],
    ["the producer ends early", "producer", (s) => inRole(s, "producer", ended(-1)), "device.channel"],
    ["the producer ends late", "producer", (s) => inRole(s, "producer", ended(1)), "device.channel"],
    ["the producer goes to the end", "producer", (s) => inRole(s, "producer", (at) => at.body), "device.channel"],
    ["the consumers end early", "producer", (s) => inRole(s, "consumers", ended(-1)), "device.channel"],
    ["the first fills have no end", "ring", firstFillsAlways, "device.channel"],
    ["fills end early", "ring", (s) => change(s, (at) => (fills(at) ? ended(-1)(at) : at)), "device.channel"],
    ["fills end late", "ring", (s) => change(s, (at) => (fills(at) ? ended(1)(at) : at)), "device.channel"],
  ];
  it.each<Fault>(faults)("%s", (_, how, plant, rule) => {
    const of = subject(shape);
    const kernels = lowered(schedule(of, how));
    const bad = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: plant(kernel.func.body) } }));
    expect(verifyKernels(bad, target).map(({ rule: found }) => found)).toEqual(rule ? [rule] : []);
    for (const noticed of seen(of, bad)) expect(noticed).toBeDefined();
  });

  it("turns are left out where a block goes on to another tile", () => {
    const of = subject(usual);
    const kernels = lowered(schedule(of, "producer", 1));
    const skip = (s: Stmt): Stmt => {
      const made = mapStmt(s, skip, (e) => e);
      const use = made.kind === "For" && made.body.kind === "Seq" && made.body.stmts.find(isStep);
      return use && made.kind === "For" ? { ...made, body: b.ifThen(use.cond, made.body) } : made;
    };
    const bad = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: skip(kernel.func.body) } }));
    expect(verifyKernels(bad, target)).toMatchObject([{ rule: "device.channel" }, { rule: "device.channel" }]);
    for (const noticed of seen(of, bad)) expect(noticed).toBeDefined();
  });
});
