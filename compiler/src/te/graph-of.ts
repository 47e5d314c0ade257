/** Collects what the outputs need into a Graph: producers first, names unique, nothing undeclared. */
import type { Buffer } from "../ir/buffer.ts";
import type { Expr } from "../ir/expr.ts";
import { walkExpr } from "../ir/visit.ts";
import { formulasOf } from "./access.ts";
import { checkStored, computeOpOf } from "./compute.ts";
import { statedTolerance, type ToleranceOptions } from "./fill.ts";
import type { ComputeOp, Graph } from "./graph.ts";
import { optionsOf, refuse } from "./graph-error.ts";

/** Distinct tensors a body reads, in order of first use. */
export function tensorsRead(body: Expr): Buffer[] {
  const read = new Set<Buffer>();
  walkExpr(body, (e) => {
    if (e.kind === "Load") read.add(e.buffer);
  });
  return [...read];
}

const list = (tensors: readonly Buffer[]): string => tensors.map((t) => `"${t.name}"`).join(", ");

export interface GraphOptions {
  /** The allowed difference of an output from the reference, in place of the computed tolerance. */
  readonly tolerance?: { readonly [output: string]: ToleranceOptions };
}

/** The graph of `outputs` over `inputs`, both in argument order. Throws GraphError that names the faulty tensor. */
export function graphOf(inputs: readonly Buffer[], outputs: readonly Buffer[], options: GraphOptions = {}): Graph {
  const { tolerance = {} } = optionsOf("graphOf", options, ["tolerance"]);
  if (![inputs, outputs].every(Array.isArray)) refuse("graphOf takes a list of inputs, and then a list of outputs");
  if (outputs.length === 0) refuse("a graph has at least one output");
  for (const [what, tensors] of [
    ["inputs", inputs],
    ["outputs", outputs],
  ] as const) {
    const twice = tensors.find((t, i) => tensors.indexOf(t) !== i);
    if (twice) refuse(`"${twice.name}" is listed twice among the ${what}`);
  }
  for (const t of inputs) if (computeOpOf(t)) refuse(`input "${t.name}" is computed; inputs are placeholders`);
  for (const t of outputs) if (!computeOpOf(t)) refuse(`output "${t.name}" is not computed by anything`);
  outputs.forEach(checkStored);

  const ops: ComputeOp[] = [];
  const done = new Set<Buffer>(inputs);
  const visit = (tensor: Buffer, reader: string): void => {
    if (done.has(tensor)) return;
    done.add(tensor);
    const op =
      computeOpOf(tensor) ??
      refuse(`"${reader}" reads "${tensor.name}", which is neither computed nor among the inputs ${list(inputs)}`);
    for (const read of formulasOf(op).flatMap(tensorsRead)) visit(read, tensor.name);
    ops.push(op);
  };
  for (const output of outputs) visit(output, output.name);

  const byName = new Set<string>();
  for (const { name } of [...inputs, ...ops.map((op) => op.output)]) {
    if (byName.has(name)) refuse(`two tensors are named "${name}"; names are unique over inputs and computed tensors`);
    byName.add(name);
  }
  const tolerances = Object.fromEntries(
    Object.entries(tolerance).map(([name, options]) => {
      const output = outputs.find((t) => t.name === name);
      if (output === undefined)
        return refuse(`a tolerance is stated for "${name}", which is none of the outputs ${list(outputs)}`);
      return [name, statedTolerance(output, options)];
    }),
  );
  const graph = { inputs: [...inputs], ops, outputs: [...outputs] };
  return Object.keys(tolerances).length === 0 ? graph : { ...graph, tolerances };
}
