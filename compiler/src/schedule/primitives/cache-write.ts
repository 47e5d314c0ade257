import type { Buffer } from "../../ir/buffer.ts";
import { load } from "../../ir/build.ts";
import { refuse, scans } from "../checks.ts";
import { arg, definePrimitive, scopeWord, stageRef } from "../define-primitive.ts";
import {
  addLoops,
  freshName,
  insertStage,
  isReduction,
  type Loop,
  loopOf,
  type NewLoop,
  noAnnotations,
  replaceStage,
  root,
  type StageRef,
  stageOf,
} from "../state.ts";

/**
 * The reduction moves to the new stage with its loops and their splits; spatial loops stay with the copy
 * (docs/reference/source-programs.md 6.2).
 */
export const cacheWrite = definePrimitive({
  name: "cacheWrite",
  args: [arg("stage", stageRef), arg("scope", scopeWord)],
  returns: "stage",
  doc: `for i: for k: c[i] += f(i, k)   ->   for i': for k: c.local[i'] += f(i', k); for i: c[i] = c.local[i]`,
  check: (state, { stage }) => {
    const { name, placement, annotations } = stageOf(state, stage);
    if (annotations.start)
      return refuse(
        "cacheWrite.start",
        `cacheWrite: the start of "${name}" was placed by decomposeReduction; place that of the cache, after it`,
      );
    return placement.kind === "inline"
      ? refuse("cacheWrite.inlined", `cacheWrite: "${name}" is inlined and writes nothing`)
      : scans("cacheWrite", state, stage);
  },
  apply: (state, { stage: ref, scope }) => {
    const stage = stageOf(state, ref);
    const name = freshName(state, `${stage.name}.${scope}`);
    const cached: Buffer = { name, dtype: stage.buffer.dtype, shape: stage.buffer.shape, scope };
    const made = state.stages.length as StageRef;
    const [withLoops, spatial] = addLoops(
      state,
      made,
      stage.spatial.map((s): NewLoop => {
        const loop = loopOf(state, s);
        return { name: `${loop.name}.c`, kind: "spatial", extent: loop.extent, exact: false };
      }),
    );
    const loops = withLoops.loops.map(
      (loop): Loop => (loop.stage === ref && loop.kind === "reduce" ? { ...loop, stage: made } : loop),
    );
    const isReduce = (leaf: (typeof stage.leaves)[number]) => loopOf(state, leaf).kind === "reduce";
    const next = insertStage(
      { ...withLoops, loops },
      {
        ...stage,
        ref: made,
        name,
        buffer: cached,
        scope,
        isOutput: false,
        spatial,
        relations: stage.relations.filter((r) => isReduction(state, r)),
        leaves: [...spatial, ...stage.leaves.filter(isReduce)],
        placement: root,
        annotations: noAnnotations,
      },
      ref,
    );
    return {
      state: replaceStage(next, {
        ...stage,
        reduce: [],
        combiner: undefined,
        body: load(cached, stage.axes),
        decay: undefined,
        reduction: [],
        relations: stage.relations.filter((r) => !isReduction(state, r)),
        leaves: stage.leaves.filter((leaf) => !isReduce(leaf)),
      }),
      stages: [made],
      loops: spatial,
    };
  },
});
