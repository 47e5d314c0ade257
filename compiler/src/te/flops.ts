/**
 * Operations of a graph by AutoTVM's counting rules (docs/reference/autotvm.md 2.4, tvm/autotvm/task/task.py compute_flop), so
 * that our GFLOPS are the tutorials'. Per op: elements times the cost of the body; a reduction adds its combiner and multiplies
 * by its iterations. Comparisons of a padding test count, index arithmetic does not. A tensor read by two ops is counted once per
 * reader, as AutoTVM does. What a roofline compares with a device's arithmetic is the same without the tests.
 */

import type { Buffer } from "../ir/buffer.ts";
import { bufferSize } from "../ir/buffer.ts";
import type { Expr } from "../ir/expr.ts";
import { children } from "../ir/visit.ts";
import { formulasOf } from "./access.ts";
import type { ComputeOp, Graph } from "./graph.ts";
import { tensorsRead } from "./graph-of.ts";

function cost(e: Expr, tests: boolean): number {
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
    case "Var":
    case "Load":
      return 0;
    case "Select":
      return (tests ? cost(e.cond, tests) : 0) + Math.max(cost(e.whenTrue, tests), cost(e.whenFalse, tests));
    case "Cast":
    case "Call":
    case "Lookup":
    case "Ramp":
    case "Broadcast":
      return children(e).reduce((total, child) => total + cost(child, tests), 0);
    case "Not":
      return 1 + cost(e.value, tests);
    default:
      return 1 + cost(e.a, tests) + cost(e.b, tests);
  }
}

function opFlops(op: ComputeOp, tests: boolean): number {
  const iterations = op.reduce.reduce((n, axis) => n * axis.extent, 1);
  const decays = op.decay === undefined ? 0 : (op.reduce[0]?.extent ?? 0) * (cost(op.decay, tests) + 1);
  return bufferSize(op.output) * (iterations * (cost(op.body, tests) + (op.combiner ? 1 : 0)) + decays);
}

export const flops = (graph: Graph): number => counted(graph, true);
/** Without comparisons of a padding test, which a device does beside its arithmetic. */
export const arithmetic = (graph: Graph): number => counted(graph, false);

function counted(graph: Graph, tests: boolean): number {
  const times = new Map<Buffer, number>(graph.outputs.map((output) => [output, 1]));
  let total = 0;
  for (const op of graph.ops.toReversed()) {
    const count = times.get(op.output) ?? 0;
    total += count * opFlops(op, tests);
    for (const read of formulasOf(op).flatMap(tensorsRead)) times.set(read, (times.get(read) ?? 0) + count);
  }
  return total;
}
