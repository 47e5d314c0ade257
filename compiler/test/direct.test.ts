/**
 * Compares the direct interpreter with evaluations of random graphs, bit for bit; and the two interpreters on random schedules,
 * lowered and not, correct and with one random fault. Either both give the same numbers and name the same first unwritten
 * element, or both refuse, or the direct one alone refuses the order of threads.
 */
import { parseTarget, Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { Walk } from "../../test-support/programs/generate.ts";
import { graphs } from "../../test-support/programs/graphs.ts";
import { laterMoves } from "../../test-support/programs/moves.ts";
import { tiledGraph, tiledProduct } from "../../test-support/programs/tiles.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { InterpError } from "../src/interp/error.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import { interpret } from "../src/interp/interpret.ts";
import { type Buffer, bufferSize } from "../src/ir/buffer.ts";
import * as b from "../src/ir/build.ts";
import { createData, roundTo, type TensorData } from "../src/ir/numeric.ts";
import type { PrimFunc } from "../src/ir/prim-func.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { rewriteStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule } from "../src/schedule/schedule.ts";
import { lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute } from "../src/te/compute.ts";
import * as te from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { columnsOfRows, rowsGraph, sharedRows } from "./fuzz/rows.ts";
import { randomGraph } from "./rounding/random-graphs.testing.ts";
import { type Subject, subjectOf } from "./subject.ts";

const programs = isFull ? 2000 : 24;
const targets = { cuda: parseTarget("cuda/sm_90"), cpu: parseTarget("cpu/x86-64-v3") } as const;
const subjects = Object.values(graphs).map((make) => subjectOf(make()));
const tiled = subjectOf(tiledGraph());
const rows = columnsOfRows.map((columns) => subjectOf(rowsGraph(columns)));

/** Of faults of order, which the direct interpreter alone looks for. */
const ofOrder = ["interp.race", "interp.on_its_way"];

interface Told {
  readonly rule?: string;
  readonly values?: readonly (readonly number[])[];
  readonly holes?: readonly (number | undefined)[];
}

/** An interpreter's result: the outputs with their unwritten elements, or the reason for a refusal. */
function told(run: typeof interpretDirectly, funcs: readonly PrimFunc[], { graph, inputs }: Subject): Told {
  try {
    const { data, unwritten } = run(funcs, inputs);
    const values = graph.outputs.map(({ name }) => [...(data.get(name) ?? [])]);
    return { values, holes: graph.outputs.map(({ name }) => unwritten(name)) };
  } catch (error) {
    if (error instanceof InterpError) return { rule: error.rule };
    throw error;
  }
}

/**
 * The function with one fault: a barrier or a fold removed, a block's barrier turned into a warp's, a guard removed, an index off
 * by one, a loop shorter by one.
 */
function spoilt(func: PrimFunc, random: Random): PrimFunc {
  let places = 0;
  const at = (nth: number): Stmt => {
    let seen = 0;
    return rewriteStmt(func.body, (s) => {
      const isPlace =
        s.kind === "Barrier" ||
        s.kind === "Fold" ||
        s.kind === "If" ||
        s.kind === "Store" ||
        (s.kind === "For" && s.forKind !== "bound");
      if (!isPlace || seen++ !== nth) {
        places = seen;
        return s;
      }
      if (s.kind === "Barrier" && s.agent === "block" && random.below(2) === 0) return b.barrierOf("warp");
      if (s.kind === "Barrier" || s.kind === "Fold") return { kind: "Seq", stmts: [] };
      if (s.kind === "If") return s.body;
      if (s.kind === "For") return s.extent > 1 ? { ...s, extent: s.extent - 1 } : s;
      if (s.kind === "Store" && s.indices.every((e) => e.kind !== "Ramp"))
        return { ...s, indices: s.indices.map((e, d) => (d === s.indices.length - 1 ? b.add(e, b.int(1)) : e)) };
      return s;
    });
  };
  at(-1);
  return { ...func, body: at(random.below(Math.max(1, places))) };
}

/** A random program as functions, and which of them its target runs. */
function drawn(seed: number): { readonly funcs: readonly PrimFunc[]; readonly subject: Subject } | undefined {
  const random = new Random(seed);
  const isTiled = seed % 15 === 0;
  const isRows = seed % 10 === 1;
  const subject = isTiled ? tiled : isRows ? random.pick(rows) : (subjects[seed % subjects.length] as Subject);
  const flavour = isTiled || isRows || random.below(5) < 3 ? "cuda" : "cpu";
  const schedule = isTiled
    ? tiledProduct(subject.graph, random)
    : isRows
      ? sharedRows(subject.graph, random)
      : new Walk(subject.graph, random, flavour, new Map(), laterMoves).run(6 + random.below(7));
  const inferred = schedule && infer(schedule.state);
  if (!inferred?.ok) return undefined;
  const func = inferred.value.func();
  if (seed % 3 === 0) return { funcs: [func], subject };
  const kernels = lowerFunc(func, targets[flavour]);
  if (verifyKernels(kernels, targets[flavour]).length > 0) return undefined;
  return { funcs: kernels.map((kernel) => kernel.func), subject };
}

it(`${programs} random programs, right and spoilt, mean the same to both interpreters`, () => {
  const counts = { right: 0, refused: 0, wrong: 0 };
  for (let seed = 1, done = 0; done < programs; seed++) {
    const program = drawn(seed);
    if (!program) continue;
    done++;
    const { funcs, subject } = program;
    const random = new Random(seed);
    const victim = random.below(funcs.length);
    const versions = [funcs, funcs.map((f, i) => (i === victim ? spoilt(f, random) : f))];
    for (const [v, version] of versions.entries()) {
      const [fast, direct] = [told(interpret, version, subject), told(interpretDirectly, version, subject)];
      if (v === 0 || !ofOrder.includes(direct.rule ?? ""))
        expect(direct, `seed ${seed}${v === 1 ? ", spoilt" : ""}`).toEqual(fast);
      if (v === 0) counts.right++;
      else if (direct.rule !== undefined) counts.refused++;
      else counts.wrong++;
    }
  }
  console.log(`direct: ${JSON.stringify(counts)}`);
  expect(counts.refused).toBeGreaterThan(programs / 6);
});

/** A random graph, and of its result what casts, divisions and conditions make of numbers of both signs. */
function withWholes(random: Random): Graph {
  const graph = randomGraph(random);
  const [x] = graph.outputs as [Buffer];
  const axes = x.shape.map((extent, d) => [`i${d}`, extent] as const);
  const n = compute("n", axes, (...i) => te.cast("int32", te.mul(te.at(x, ...i), 37)));
  const by = random.pick([-7, 5]);
  const parts = compute("parts", axes, (...i) =>
    te.select(te.less(te.at(n, ...i), 9), te.floorMod(te.at(n, ...i), by), te.floorDiv(te.at(n, ...i), by)),
  );
  const narrow = (["int8", "uint8", "int4", "float8_e4m3fn"] as const).map((dtype) =>
    compute(dtype, axes, (...i) => te.cast(dtype, te.at(n, ...i))),
  );
  return graphOf(graph.inputs, [x, parts, ...narrow]);
}

it("definitions of random graphs mean the same, evaluated and run statement by statement", () => {
  for (let seed = 1; seed <= (isFull ? 200 : 8); seed++) {
    const random = new Random(seed);
    const graph = withWholes(random);
    const inputs = new Map(
      graph.inputs.map((input): [string, TensorData] => {
        const fraction = () => roundTo(input.dtype)(2 * random.float() - 1);
        return [input.name, createData(input.dtype, bufferSize(input)).map(fraction) as TensorData];
      }),
    );
    const inferred = infer(createSchedule(graph).state);
    if (!inferred.ok) throw inferred.error;
    const { data } = interpretDirectly([inferred.value.func()], inputs);
    const evaluated = evaluate(graph, inputs);
    for (const { name } of graph.outputs) expect(data.get(name), `seed ${seed}, ${name}`).toEqual(evaluated.get(name));
  }
});
