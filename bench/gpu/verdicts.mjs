/**
 * Verdicts on a GPU: layer norm, softmax, gather and batch norm, of which right schedules must be called right and wrong kernels
 * wrong; and what a reference that holds NaN is told. `npm run build && node bench/gpu/verdicts.mjs`, about two minutes. Exit
 * code 1 when a verdict is not the one expected. --dry builds all and runs nothing.
 */
import {
  add,
  at,
  cast,
  compute,
  createSchedule,
  defaultSchedule,
  div,
  encodeProgram,
  exp,
  fills,
  graphOf,
  maxOf,
  mul,
  placeholder,
  reduceAxis,
  sqrt,
  sub,
  sum,
} from "../../compiler/dist/index.js";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { table } from "./shared/sections.mjs";

const rows = 512;
const columns = 1024;
/** @typedef {[name: string, extent: number]} Axis */
/** @type {Axis[]} */
const all = [
  ["i", rows],
  ["j", columns],
];
/** @type {Axis[]} */
const each = [["i", rows]];
const overRow = (name, body, reduce = sum, extent = columns) => {
  const k = reduceAxis(`k_${name}`, extent);
  return compute(name, each, (i) => reduce(body(i, k.loopVar), [k]));
};

/** Graphs by operator, each from a fault: undefined is the right one. Faults change the kernel and neither inputs nor outputs. */
const operators = {
  layer_norm: {
    faults: ["mean not subtracted", "variance without its last column", "epsilon of 0.1"],
    graph: (fault) => {
      const x = placeholder("x", [rows, columns], "float32", fills.range(-3, 5));
      const gamma = placeholder("gamma", [columns], "float32", fills.positive);
      const total = overRow("total", (i, k) => at(x, i, k));
      const mean = (i) => (fault === "mean not subtracted" ? div(at(total, i), 2 * columns) : div(at(total, i), columns));
      const centred = compute("centred", all, (i, j) => sub(at(x, i, j), mean(i)));
      const seen = fault === "variance without its last column" ? columns - 32 : columns;
      const square = overRow("square", (i, k) => mul(at(centred, i, k), at(centred, i, k)), sum, seen);
      const epsilon = fault === "epsilon of 0.1" ? 0.1 : 1e-5;
      const root = compute("root", each, (i) => sqrt(add(div(at(square, i), columns), epsilon)));
      return graphOf([x, gamma], [compute("out", all, (i, j) => mul(div(at(centred, i, j), at(root, i)), at(gamma, j)))]);
    },
  },
  softmax: {
    faults: ["sum without its last columns", "not divided", "columns one further"],
    graph: (fault) => {
      const x = placeholder("x", [rows, columns], "float16", fills.range(-6, 6));
      const top = overRow("top", (i, k) => cast("float32", at(x, i, k)), maxOf);
      const power = compute("power", all, (i, j) => exp(sub(cast("float32", at(x, i, j)), at(top, i))));
      const seen = fault === "sum without its last columns" ? columns - 64 : columns;
      const total = overRow("total", (i, k) => at(power, i, k), sum, seen);
      const share = (i, j) => (fault === "not divided" ? mul(at(power, i, j), at(total, i)) : div(at(power, i, j), at(total, i)));
      const place = (j) => (fault === "columns one further" ? sub(columns - 1, j) : j);
      return graphOf([x], [compute("out", all, (i, j) => share(i, place(j)))]);
    },
  },
  gather: {
    faults: ["the row before", "columns turned round", "twice"],
    graph: (fault) => {
      const data = placeholder("data", [50_000, columns], "float32");
      const index = placeholder("index", [rows], "int32", fills.range(1, 49_999));
      const row = (i) => (fault === "the row before" ? sub(at(index, i), 1) : at(index, i));
      const column = (j) => (fault === "columns turned round" ? sub(columns - 1, j) : j);
      const times = fault === "twice" ? 2 : 1.5;
      return graphOf([data, index], [compute("out", all, (i, j) => mul(at(data, row(i), column(j)), times))]);
    },
  },
  batch_norm: {
    faults: ["no root", "no shift", "the mean of the next channel"],
    graph: (fault, variance = fills.positive) => {
      const x = placeholder("x", [rows, columns], "float32");
      const [mean, scale, shift] = ["mean", "scale", "shift"].map((name) => placeholder(name, [columns]));
      const spread = placeholder("spread", [columns], "float32", variance);
      const safe = (j) => add(at(spread, j), 1e-3);
      const under = (j) => (fault === "no root" ? safe(j) : sqrt(safe(j)));
      const of = (j) => (fault === "the mean of the next channel" ? sub(columns - 1, j) : j);
      const last = (j) => (fault === "no shift" ? mul(at(shift, j), 0.5) : at(shift, j));
      const body = (i, j) => add(mul(div(sub(at(x, i, j), at(mean, of(j))), under(j)), at(scale, j)), last(j));
      return graphOf([x, mean, scale, shift, spread], [compute("out", all, body)]);
    },
  },
};

/** Every stage with a given number of threads per block; one thread per row sum. */
function traceOf(graph, threads) {
  const schedule = createSchedule(graph);
  for (const op of graph.ops) {
    const axes = schedule.axes(schedule.stage(op.output.name));
    const [block, thread] = schedule.split(axes.length > 1 ? schedule.fuse(axes) : axes[0], [null, threads]);
    schedule.bind(block, "blockIdx.x");
    schedule.bind(thread, "threadIdx.x");
  }
  return schedule.trace;
}

const target = targetHere();
const builds = await openBuilds(cores);
const host = await openHost();
const lines = [];
let unexpected = 0;

async function built(graph, trace) {
  const one = await builds.build(encodeProgram(graph, trace, target));
  if (one.refused) throw new Error(one.refused.message);
  return one.artifact;
}

async function judge(operator, what, expected, artifact, reference) {
  if (dry) {
    lines.push([operator, what, expected, "(built)", "-"]);
    return;
  }
  const result = await host.run(artifact, reference, { minRepeatMs: 20 });
  const got =
    result.kind === "timed" ? "right" : result.errorNo === 5 ? (result.rule === "reference_nan" ? "NaN" : "wrong") : result.kind;
  if (got !== expected) {
    unexpected++;
    console.log(`${operator}, ${what}: ${result.message ?? got}`);
  }
  lines.push([operator, what, expected, got, result.kind === "timed" ? `${(result.costs[0] * 1e6).toFixed(1)} us` : "-"]);
}

try {
  for (const [operator, { faults, graph }] of Object.entries(operators)) {
    const right = graph();
    const reference = await built(right, defaultSchedule(right, target).trace);
    if (reference.manifest.stages === undefined) throw new Error(`the reference of ${operator} says nothing of its stages`);
    for (const threads of [32, 64, 128, 512])
      await judge(operator, `${threads} threads`, "right", await built(right, traceOf(right, threads)), reference);
    for (const fault of faults) {
      const wrong = graph(fault);
      await judge(operator, fault, "wrong", await built(wrong, defaultSchedule(wrong, target).trace), reference);
    }
  }
  const negative = operators.batch_norm.graph(undefined, fills.range(-1, -0.5));
  const artifact = await built(negative, defaultSchedule(negative, target).trace);
  await judge("batch_norm", "variances below 0", "NaN", artifact, artifact);
} finally {
  await host.close();
  await builds.close();
}
table(["operator", "kernel", "expected", "got", "time"], lines);
if (dry) console.log(`${lines.length} kernels built, none run`);
else if (unexpected === 0) console.log(`all ${lines.length} verdicts as expected`);
else console.log(`${unexpected} of ${lines.length} verdicts are not as expected`);
process.exitCode = unexpected === 0 ? 0 : 1;
