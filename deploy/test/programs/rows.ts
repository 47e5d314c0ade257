/**
 * Programs that together use every primitive, every element type, every template and every kind of intrinsic. The kinds that a
 * program uses are read from the program, so the test finds a new kind that no program uses.
 */

import { type DType, dtypes, type Json, type ProgramBytes, Random } from "@warpfarm/common";
import {
  at,
  type Buffer,
  compileProgram,
  compute,
  defaultSchedule,
  encodeProgram,
  type Graph,
  gpuLimits,
  graphOf,
  placeholder,
  type Schedule,
} from "@warpfarm/compiler";
import { createTask, defineTemplate, fittingTarget, templates } from "@warpfarm/templates";
import { drawBoxes } from "../../../test-support/programs/boxes.ts";
import { Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { laterMoves } from "../../../test-support/programs/moves.ts";
import { randomGraph } from "../../../test-support/programs/random-computation.ts";
import { drawTensorCoreProduct } from "../../../test-support/programs/tensor-cores.ts";

export type Backend = "cpu" | "cuda";
export const targetOf = { cpu: "cpu/x86-64-v1", cuda: "cuda/sm_90" } as const;

export interface Row {
  readonly name: string;
  readonly program: ProgramBytes;
  readonly reference: ProgramBytes;
  /** Words of the trace's steps. */
  readonly primitives: ReadonlySet<string>;
  readonly dtypes: ReadonlySet<DType>;
  /** Kinds of intrinsics. */
  readonly intrinsics: ReadonlySet<string>;
}

/** `wmma_mma_row_col_m16n16k16_f16` -> `wmma_mma f16`: the operation and the type, whatever shape and layout. */
export const kindOf = (intrinsic: string): string =>
  intrinsic.replace(/^(ldmatrix|mma_sync|wmma_[a-z]+).*_([a-z]+\d+)$/, "$1 $2");

function rowOf(name: string, graph: Graph, schedule: Pick<Schedule, "trace" | "intrinsics">, target: string): Row {
  const buffers: readonly Buffer[] = [...graph.inputs, ...graph.ops.map((op) => op.output)];
  return {
    name,
    program: encodeProgram(graph, schedule.trace, target, schedule.intrinsics),
    reference: encodeProgram(graph, defaultSchedule(graph, target).trace, target),
    primitives: new Set(schedule.trace.map(({ op }) => op)),
    dtypes: new Set(buffers.map(({ dtype }) => dtype)),
    intrinsics: new Set(schedule.intrinsics.map(({ name: intrinsic }) => kindOf(intrinsic))),
  };
}

/** A copy of an array of each element type. */
export function dtypeRow(backend: Backend): Row {
  const inputs = dtypes.map((dtype) => placeholder(`x_${dtype}`, [64], dtype));
  const outputs = inputs.map((x) => compute(x.name.replace("x_", "y_"), [["i", 64]], (i) => at(x, i)));
  const graph = graphOf(inputs, outputs);
  return rowOf("copies of every type", graph, defaultSchedule(graph, targetOf[backend]), targetOf[backend]);
}

/** Each template for the backend, with its published config or the first one that can be launched. */
export function* templateRows(backend: Backend): Generator<Row & { readonly template: string }> {
  for (const { name, targets } of templates) {
    if (!targets.some(({ kind }) => kind === backend)) continue;
    const task = createTask(name, small[name], fittingTarget(targets, targetOf[backend]));
    const limits = gpuLimits(task.target);
    let index = task.space.toIndex(0);
    const isFit = () => task.validate(index, limits).length === 0;
    const published = small[name] === undefined ? task.published : undefined;
    if (published !== undefined) index = published;
    for (let next = 1; !isFit() && next < task.space.size; next++) index = task.space.toIndex(next);
    const instance = task.instantiate(index);
    if (!instance.ok) throw new Error(`${name} ${index}: ${instance.error.message}`);
    const { program, schedule } = instance.value;
    yield { ...rowOf(name, task.graph, schedule, targetOf[backend]), program, reference: task.reference, template: name };
  }
}
/** Of the templates that take their time on a processor. */
const layoutConv = { N: 8, H: 8, W: 8, CI: 16, CO: 16 };
const small: Readonly<Record<string, Json>> = {
  conv2d_nchw_cpu: [1, 8, 8, 16, 16, 3, 3, 1, 1],
  conv2d_hwcn_cpu: layoutConv,
  matmul_derived: { M: 32, N: 32, K: 32 },
  conv2d_derived: { N: 1, H: 8, W: 8, CO: 16, CI: 16 },
  depthwise_derived: { N: 1, H: 8, W: 8, C: 16 },
  elementwise_derived: { rows: 64, columns: 64 },
  subgraph_derived: {
    inputs: [{ name: "x0", dtype: "float32", shape: [32, 32] }],
    nodes: [{ op: "Softmax", inputs: ["x0"], outputs: ["t0"] }],
    outputs: ["t0"],
  },
};

/** A product whose residual comes in slots of the operands' ring. */
export function layerRow(): Row {
  const args = { M: 256, N: 256, K: 256, epilogue: ["residual"] };
  const { starts = [], ...task } = createTask("matmul_tma", args, "cuda/sm_90a");
  const made = starts.flatMap((index) => {
    const instance = task.instantiate(index);
    return instance.ok ? rowOf("a product with a residual", task.graph, instance.value.schedule, task.target) : [];
  });
  const joined = made.find(({ primitives }) => primitives.has("join_ring"));
  if (!joined) throw new Error("no start of matmul_tma joins a ring");
  return joined;
}

/** Random schedules that compile, of the fuzz's graphs; on a GPU also products on tensor cores and copies of boxes. */
export function* randomRows(backend: Backend, from: number): Generator<Row> {
  const makers = Object.entries(graphs);
  for (let seed = from; ; seed++) {
    const random = new Random(seed);
    const product = backend === "cuda" ? drawForGpu(seed, random) : undefined;
    const [name, make] = makers[seed % makers.length] as (typeof makers)[number];
    const graph = product?.graph ?? make();
    const schedule = product?.schedule ?? new Walk(graph, random, backend, new Map(), laterMoves).run(6 + random.below(7));
    if (schedule === undefined) continue;
    const { trace, intrinsics } = schedule;
    // Roles are for sm_90a, whose code a device of 9.0 runs.
    const target = trace.some(({ op }) => op === "specialize") ? "cuda/sm_90a" : targetOf[backend];
    const text = compileProgram({ version: 1, kind: "schedule", target, graph, trace, intrinsics });
    if (text.ok) yield rowOf(`${product?.name ?? name}, seed ${seed}`, graph, schedule, target);
  }
}

function drawForGpu(seed: number, random: Random) {
  if (seed % 2 === 0) return drawTensorCoreProduct(random);
  return seed % 3 === 0 ? drawBoxes(random) : undefined;
}

/** Random computations with configs of the spaces that are derived for them, every second time the start. */
export function* derivedRows(backend: Backend, from: number): Generator<Row> {
  for (let seed = from; ; seed++) {
    const graph = randomGraph(new Random(seed));
    const name = `derived, seed ${seed}`;
    const template = defineTemplate({
      name: `computation_${seed}`,
      summary: name,
      targets: [backend],
      args: {},
      graph: () => graph,
    });
    const { space, starts = [], ...task } = createTask(template, undefined, targetOf[backend]);
    const index = (seed % 2 === 0 ? starts[0] : undefined) ?? space.random(new Random(seed));
    const instance = task.instantiate(index);
    if (!instance.ok) continue;
    const { program, schedule } = instance.value;
    yield { ...rowOf(name, task.graph, schedule, targetOf[backend]), program, reference: task.reference };
  }
}

/** What a program uses, by its names. */
export const wordsOf = ({ primitives, intrinsics, dtypes }: Row): readonly string[] => [...primitives, ...intrinsics, ...dtypes];

/** Fewer rows that use the same: without each that uses nothing of its own, the last ones first. */
export function lean(rows: readonly Row[]): readonly Row[] {
  const times = new Map<string, number>();
  for (const word of rows.flatMap(wordsOf)) times.set(word, (times.get(word) ?? 0) + 1);
  return rows.filter((row) => {
    const words = wordsOf(row);
    if (words.some((word) => times.get(word) === 1)) return true;
    for (const word of words) times.set(word, (times.get(word) as number) - 1);
    return false;
  });
}

/** The rows, and of so many others at most each that uses a wanted word that no earlier row uses, until all are used. */
export function covered(rows: readonly Row[], others: Iterator<Row>, most: number, wanted: readonly string[]): readonly Row[] {
  const missing = new Set(wanted);
  const all = [...rows];
  const take = (row: Row) => wordsOf(row).filter((word) => missing.delete(word)).length > 0;
  rows.forEach(take);
  for (let i = 0; i < most && missing.size > 0; i++) {
    const row = others.next().value as Row;
    if (take(row)) all.push(row);
  }
  return all;
}
