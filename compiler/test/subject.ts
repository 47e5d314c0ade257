/** A graph with inputs and the outputs its definition gives: what schedules and kernels are compared with. */
import { Random } from "@warpfarm/common";
import { evaluate } from "../src/interp/evaluate.ts";
import type { Interpreted } from "../src/interp/interpret.ts";
import { type Buffer, bufferSize } from "../src/ir/buffer.ts";
import { createData, type TensorData } from "../src/ir/numeric.ts";
import type { Graph } from "../src/te/graph.ts";

export interface Subject {
  readonly graph: Graph;
  readonly inputs: ReadonlyMap<string, TensorData>;
  readonly expected: ReadonlyMap<string, TensorData>;
}

/** Whole numbers from `least` to `most`: small ones make every order of a sum give the same bits. */
export function subjectOf(graph: Graph, least = -4, most = 4): Subject {
  const random = new Random(7);
  const fill = (buffer: Buffer): TensorData =>
    createData(buffer.dtype, bufferSize(buffer)).map(() => least + random.below(most - least + 1)) as TensorData;
  const inputs = new Map(graph.inputs.map((b) => [b.name, fill(b)]));
  return { graph, inputs, expected: evaluate(graph, inputs) };
}

/** Undefined when every element of every output is written and right. */
export function difference({ graph, expected }: Subject, run: Pick<Interpreted, "data" | "unwritten">): string | undefined {
  for (const { name } of graph.outputs) {
    const hole = run.unwritten(name);
    if (hole !== undefined) return `"${name}"[${hole}] is not written`;
    const [want, got] = [expected.get(name), run.data.get(name)];
    const at = want?.findIndex((x, i) => x !== got?.[i]) ?? 0;
    if (at >= 0) return `"${name}"[${at}] is ${got?.[at]}, not ${want?.[at]}`;
  }
  return undefined;
}
