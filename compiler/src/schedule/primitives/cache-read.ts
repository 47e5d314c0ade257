import type { Buffer } from "../../ir/buffer.ts";
import { load, variable } from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { someExpr } from "../../ir/visit.ts";
import { formulasOf } from "../../te/access.ts";
import { refuse, scans } from "../checks.ts";
import { arg, definePrimitive, refList, scopeWord, stageRef, type TensorRef, tensorRef } from "../define-primitive.ts";
import {
  addLoops,
  freshName,
  insertStage,
  noAnnotations,
  readingMoved,
  replaceStage,
  root,
  type StageRef,
  type State,
  stageOf,
} from "../state.ts";

const bufferOf = (state: State, tensor: TensorRef): Buffer =>
  typeof tensor === "number" ? stageOf(state, tensor).buffer : (state.graph.inputs[tensor.input] as Buffer);

const reads = (body: Expr, buffer: Buffer): boolean => someExpr(body, (e) => e.kind === "Load" && e.buffer === buffer);

export const cacheRead = definePrimitive({
  name: "cacheRead",
  args: [arg("tensor", tensorRef), arg("scope", scopeWord), arg("readers", refList(stageRef))],
  returns: "stage",
  doc: `for j: c(p[j])   ->   for i: p.shared[i] = p[i]; for j: c(p.shared[j])`,
  check: (state, { tensor, readers }) => {
    const buffer = bufferOf(state, tensor);
    if (readers.length === 0) return refuse("cacheRead.readers", `cacheRead: no readers of "${buffer.name}"; name at least one`);
    const noReader = readers
      .map((ref) => stageOf(state, ref))
      .find((reader) => !formulasOf(reader).some((e) => reads(e, buffer)));
    if (noReader) return refuse("cacheRead.readers", `cacheRead: "${noReader.name}" does not read "${buffer.name}"`);
    const own = readers.find((ref) => stageOf(state, ref).buffer === buffer);
    return own === undefined ? undefined : scans("cacheRead", state, own);
  },
  apply: (state, { tensor, scope, readers }) => {
    const buffer = bufferOf(state, tensor);
    const name = freshName(state, `${buffer.name}.${scope}`);
    const cached: Buffer = { name, dtype: buffer.dtype, shape: buffer.shape, scope };
    const ref = state.stages.length as StageRef;
    const [withLoops, loops] = addLoops(
      state,
      ref,
      buffer.shape.map((extent, d) => ({ name: `ax${d}`, kind: "spatial", extent, exact: false })),
    );
    const axes = buffer.shape.map((_, d) => variable(`ax${d}`));
    const firstReader = state.order.find((stage) => readers.includes(stage)) as StageRef;
    let next = insertStage(
      withLoops,
      {
        ref,
        name,
        buffer: cached,
        scope,
        axes,
        reduce: [],
        combiner: undefined,
        body: load(buffer, axes),
        decay: undefined,
        isOutput: false,
        spatial: loops,
        reduction: [],
        relations: [],
        leaves: loops,
        placement: root,
        annotations: noAnnotations,
      },
      firstReader,
    );
    for (const reader of readers) {
      next = replaceStage(
        next,
        readingMoved(stageOf(next, reader), buffer, (indices) => load(cached, indices)),
      );
    }
    return { state: next, stages: [ref], loops };
  },
});
