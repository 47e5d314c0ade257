/**
 * A part of a network, given as data in ONNX's words (onnx/subgraph.ts), with a derived space. `suite from-onnx` makes tasks of
 * its operator.
 */
import type { Json } from "@warpfarm/common";
import { defineTemplate } from "../define-template.ts";
import { readSubgraph, subgraphGraph } from "../onnx/subgraph.ts";
import { list } from "../template-args.ts";

const inputs: readonly Json[] = [
  { name: "x0", dtype: "float32", shape: [1, 64, 56, 56] },
  { name: "x1", dtype: "float32", shape: [64, 64, 3, 3] },
  { name: "x2", dtype: "float32", shape: [64] },
  { name: "x3", dtype: "float32", shape: [1, 64, 56, 56] },
];
const nodes: readonly Json[] = [
  { op: "Conv", inputs: ["x0", "x1", "x2"], outputs: ["t0"], attributes: { pads: [1, 1, 1, 1] } },
  { op: "Add", inputs: ["t0", "x3"], outputs: ["t1"] },
];

export const subgraphArgs = { inputs: list(inputs), nodes: list(nodes), outputs: list(["t1"]) };

export const subgraphDerived = defineTemplate({
  name: "subgraph_derived",
  summary: "nodes of ONNX's operators, given as data; their schedules are derived",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args: subgraphArgs,
  graph: ({ args }) => subgraphGraph(readSubgraph(args.inputs, args.nodes, args.outputs)),
});
