/**
 * The effect of each stage of a graph on rounding errors (common/rounding.ts), for the manifest of its reference: bodies as
 * postfix programs over values. Index arithmetic and conditions are left out, because an index has no rounding error.
 */
import { defined, isFloat, type Sharing, type StageModel, type StageStep } from "@warpfarm/common";
import { exprEqual } from "../ir/equal.ts";
import { binaryWords, type Expr, type Var } from "../ir/expr.ts";
import { walkExpr } from "../ir/visit.ts";
import { orderedAxis } from "./access.ts";
import type { Axis, ComputeOp, Graph } from "./graph.ts";

/** The most steps of all models; a larger graph has none. */
const maxSteps = 4096;

const floatText = (x: number): string => (Number.isNaN(x) ? "nan" : Number.isFinite(x) ? String(x) : x > 0 ? "inf" : "-inf");

/** Whether several elements of the result, or several terms of a sum, read one element here. */
function sharingOf(indices: readonly Expr[], op: ComputeOp): Sharing {
  const read = new Set<Var>();
  let gathers = false;
  for (const index of indices)
    walkExpr(index, (e) => {
      if (e.kind === "Var") read.add(e);
      if (e.kind === "Load") gathers = true;
    });
  const lacks = (axes: readonly Axis[]): boolean => axes.some((axis) => axis.extent > 1 && !read.has(axis.loopVar));
  if (op.combiner !== undefined && (gathers || lacks(op.reduce))) return "inside";
  return gathers || lacks(op.axes) ? "outside" : "own";
}

function stepsOf(op: ComputeOp, formula: Expr): readonly StageStep[] {
  const extents = new Map([...op.axes, ...op.reduce].map((axis) => [axis.loopVar, axis.extent]));
  const body: StageStep[] = [];
  const visit = (e: Expr): void => {
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
        body.push(["constant", e.dtype, floatText(e.value)]);
        break;
      case "Var":
        body.push(["index", extents.get(e) ?? 1]);
        break;
      case "Load":
        body.push(["load", e.buffer.name, sharingOf(e.indices, op)]);
        break;
      case "Cast":
        visit(e.value);
        body.push(["cast", e.dtype]);
        break;
      case "Select":
        visit(e.whenTrue);
        visit(e.whenFalse);
        body.push(["select"]);
        break;
      case "Call":
        for (const arg of e.args) visit(arg);
        body.push([e.name]);
        break;
      case "Add":
      case "Sub":
      case "Mul":
      case "Div":
      case "FloorDiv":
      case "FloorMod":
      case "Min":
      case "Max":
        visit(e.a);
        if (e.kind === "Mul" && exprEqual(e.a, e.b)) body.push(["square"]);
        else {
          visit(e.b);
          body.push([binaryWords[e.kind]]);
        }
        break;
      default:
        body.push(["truth"]);
    }
  };
  visit(formula);
  return body;
}

function stageModel(op: ComputeOp): StageModel {
  const { output, combiner, decay, reduce } = op;
  const ofStep = decay === undefined ? reduce : reduce.slice(1);
  return {
    name: output.name,
    dtype: output.dtype,
    ...defined({
      combine: combiner,
      steps: orderedAxis(op)?.extent,
      decay: decay && stepsOf(op, decay),
    }),
    terms: ofStep.reduce((product, axis) => product * axis.extent, 1),
    body: stepsOf(op, op.body),
  };
}

/** Empty when nothing is a float, so that all is exact, or the graph is too large. */
export function stageModels(graph: Graph): readonly StageModel[] {
  const tensors = [...graph.inputs, ...graph.ops.map(({ output }) => output)];
  if (!tensors.some(({ dtype }) => isFloat(dtype))) return [];
  const models = graph.ops.map(stageModel);
  return models.reduce((sum, { body, decay = [] }) => sum + body.length + decay.length, 0) > maxSteps ? [] : models;
}
