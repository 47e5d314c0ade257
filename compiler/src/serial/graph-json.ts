/**
 * A graph as JSON. Ops come after the ops that they read, in graphOf's order, in which the trace counts stages and loops.
 */
import { type DType, defined, dtypes, type Fill, type Json, type StatedTolerance } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { combiners } from "../ir/stmt.ts";
import { decodeExpr, encodeExpr, type Names } from "../json/expr-json.ts";
import { fail, readFields, readInt, readList, readName, readObject, readOneOf, readString } from "../json/read-json.ts";
import { formulasOf } from "../te/access.ts";
import { axis, defineOp, placeholder } from "../te/compute.ts";
import { fillOf, toleranceFault } from "../te/fill.ts";
import type { Axis, ComputeOp, Graph } from "../te/graph.ts";
import { GraphError } from "../te/graph-error.ts";
import { graphOf } from "../te/graph-of.ts";

const maxExtent = 2 ** 31 - 1;
const maxDimensions = 16;

const encodeAxes = (axes: readonly Axis[]): Json => axes.map((a) => ({ name: a.loopVar.name, extent: a.extent }));

const encodeOp = (op: ComputeOp): Json => ({
  name: op.output.name,
  axes: encodeAxes(op.axes),
  reduce: encodeAxes(op.reduce),
  dtype: op.output.dtype,
  ...(op.scan === undefined ? {} : { scan: op.scan.loopVar.name }),
  body: op.combiner ? [op.combiner, ...formulasOf(op).map(encodeExpr)] : encodeExpr(op.body),
});

export const encodeGraph = (graph: Graph): Json => ({
  inputs: graph.inputs.map((t): Json => {
    const fill = fillOf(t);
    return { name: t.name, dtype: t.dtype, shape: [...t.shape], ...(fill === undefined ? {} : { fill: { ...fill } }) };
  }),
  ops: graph.ops.map(encodeOp),
  outputs: graph.outputs.map((t) => t.name),
  ...(graph.tolerances === undefined ? {} : { tolerances: graph.tolerances as unknown as Json }),
});

/** The te constructors check what JSON cannot express. Their refusals are reported for the path. */
function charge<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof GraphError) return fail(path, error.message);
    throw error;
  }
}

export const readShape = (value: Json, path: string): number[] =>
  readList(value, path, (item, at) => readInt(item, at, 1, maxExtent), maxDimensions);

export function readFill(json: Json, path: string): Fill {
  switch (readOneOf(readObject(json, path).kind, `${path}.kind`, ["range", "permutation", "constant", "normal"])) {
    case "range": {
      const { from, to } = readFields(json, path, ["kind", "from", "to"]);
      return { kind: "range", from: readString(from, `${path}.from`), to: readString(to, `${path}.to`) };
    }
    case "permutation":
      readFields(json, path, ["kind"]);
      return { kind: "permutation" };
    case "constant": {
      const { value } = readFields(json, path, ["kind", "value"]);
      return { kind: "constant", value: readString(value, `${path}.value`) };
    }
    case "normal": {
      const { mean, deviation } = readFields(json, path, ["kind", "mean", "deviation"]);
      return { kind: "normal", mean: readString(mean, `${path}.mean`), deviation: readString(deviation, `${path}.deviation`) };
    }
  }
}

export function readTolerance(json: Json, path: string, dtype: DType): StatedTolerance {
  const { atol, rtol } = readFields(json, path, ["atol", "rtol"]);
  const stated = { atol: readString(atol, `${path}.atol`), rtol: readString(rtol, `${path}.rtol`) };
  const fault = toleranceFault(dtype, stated);
  return fault === undefined ? stated : fail(path, fault);
}

function decodeInput(json: Json, path: string): Buffer {
  const { name, dtype, shape, fill } = readFields(json, path, ["name", "dtype", "shape"], ["fill"]);
  const checked = [
    readName(name, `${path}.name`),
    readShape(shape, `${path}.shape`),
    readOneOf(dtype, `${path}.dtype`, dtypes),
    fill === undefined ? undefined : readFill(fill, `${path}.fill`),
  ] as const;
  return charge(path, () => placeholder(...checked));
}

function decodeAxis(json: Json, path: string): Axis {
  const { name, extent } = readFields(json, path, ["name", "extent"]);
  return axis(readName(name, `${path}.name`), readInt(extent, `${path}.extent`, 1, maxExtent));
}

function decodeOp(json: Json, path: string, tensors: ReadonlyMap<string, Buffer>): Buffer {
  const op = readFields(json, path, ["name", "axes", "reduce", "dtype", "body"], ["scan"]);
  const name = readName(op.name, `${path}.name`);
  const axes = readList(op.axes, `${path}.axes`, decodeAxis, maxDimensions);
  const reduce = readList(op.reduce, `${path}.reduce`, decodeAxis, maxDimensions);
  const names: Names = { tensors, vars: new Map([...axes, ...reduce].map((a) => [a.loopVar.name, a.loopVar])) };
  const dtype = readOneOf(op.dtype, `${path}.dtype`, dtypes);
  if (op.scan !== undefined && reduce.length > 0)
    fail(`${path}.scan`, "stands beside reduce axes; an op is a scan or a reduction");
  const body =
    op.scan === undefined
      ? decodeBody(op.body, `${path}.body`, reduce, names)
      : {
          kind: "Scan" as const,
          along: readAlong(op.scan, `${path}.scan`, axes),
          dtype,
          body: (own: Buffer) =>
            decodeExpr(op.body as Json, `${path}.body`, { ...names, tensors: new Map(tensors).set(name, own) }),
        };
  const output = charge(path, () => defineOp(name, axes, body));
  if (dtype !== output.dtype) fail(`${path}.dtype`, `is ${dtype}, but the body gives ${output.dtype}`);
  return output;
}

function readAlong(json: Json, path: string, axes: readonly Axis[]): Axis {
  const names = axes.map(({ loopVar }) => loopVar.name);
  return axes[names.indexOf(readOneOf(json, path, names))] as Axis;
}

function decodeBody(json: Json, path: string, reduce: readonly Axis[], names: Names): Parameters<typeof defineOp>[2] {
  if (reduce.length === 0) return decodeExpr(json, path, names);
  const [word, source, factor, ...rest] = readList(json, path, (item) => item);
  const combiner = readOneOf(word, `${path}[0]`, combiners);
  if (source === undefined || rest.length > 0)
    return fail(
      path,
      `the body of an op with reduce axes is ["${combiner}", expression], of a sum also ["sum", expression, decay]`,
    );
  const decay = factor === undefined ? undefined : decodeExpr(factor, `${path}[2]`, names);
  return { kind: "Reduction", combiner, axes: reduce, body: decodeExpr(source, `${path}[1]`, names), ...defined({ decay }) };
}

export function decodeGraph(json: Json, path: string): Graph {
  const doc = readFields(json, path, ["inputs", "ops", "outputs"], ["tolerances"]);
  const tensors = new Map<string, Buffer>();
  const declare = (tensor: Buffer, at: string): Buffer => {
    if (tensors.has(tensor.name)) fail(at, `a second tensor is named "${tensor.name}"`);
    tensors.set(tensor.name, tensor);
    return tensor;
  };
  const inputs = readList(doc.inputs, `${path}.inputs`, (item, at) => declare(decodeInput(item, at), at));
  const ops = readList(doc.ops, `${path}.ops`, (item, at) => declare(decodeOp(item, at, tensors), at));
  const outputs = readList(doc.outputs, `${path}.outputs`, (item, at) => {
    const name = readName(item, at);
    return tensors.get(name) ?? fail(at, `no op is named "${name}"`);
  });
  const stated = doc.tolerances === undefined ? {} : readObject(doc.tolerances, `${path}.tolerances`);
  const tolerance = Object.entries(stated).map(([name, value]) => {
    const at = `${path}.tolerances.${readName(name, `${path}.tolerances`)}`;
    const output = outputs.find((t) => t.name === name) ?? fail(at, `no output is named "${name}"`);
    return [name, readTolerance(value, at, output.dtype)] as const;
  });
  if (doc.tolerances !== undefined && tolerance.length === 0) fail(`${path}.tolerances`, "is empty; leave it out");
  const plain = charge(path, () => graphOf(inputs, outputs));
  const graph: Graph = tolerance.length === 0 ? plain : { ...plain, tolerances: Object.fromEntries(tolerance) };
  const order = (buffers: readonly Buffer[]): string => buffers.map((t) => t.name).join(", ");
  const wanted = order(graph.ops.map((op) => op.output));
  if (order(ops) !== wanted)
    fail(`${path}.ops`, `are ${order(ops)}; the ops that the outputs need, producers first, are ${wanted}`);
  return graph;
}
