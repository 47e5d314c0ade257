import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { identityOf } from "../../ir/combiner.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { substitute } from "../../ir/visit.ts";
import { nameLoop, notFree, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, wholeNumber } from "../define-primitive.ts";
import {
  addLoops,
  freshName,
  insertStage,
  isReduction,
  type Loop,
  type LoopRef,
  loopOf,
  type NewLoop,
  noAnnotations,
  replaceStage,
  root,
  type Stage,
  type StageRef,
  type State,
  stageOf,
} from "../state.ts";

/** A stage's reduce axes over variables for the leaves, and where splits do not run past their end. */
function valuesOf(state: State, stage: Stage, leaves: ReadonlyMap<LoopRef, Var>): { values: Map<Var, Expr>; inside: Expr[] } {
  const known = new Map<LoopRef, Expr>(leaves);
  const extent = (ref: LoopRef) => loopOf(state, ref).extent;
  const inside: Expr[] = [];
  for (const relation of stage.relations.filter((r) => isReduction(state, r)).reverse()) {
    let stride = 1;
    let sum: Expr = b.int(0);
    for (const part of [...relation.parts].reverse()) {
      const next = stride * extent(part);
      if (relation.kind === "split") sum = b.add(b.mul(known.get(part) as Expr, b.int(stride)), sum);
      else {
        const digit = b.floorDiv(known.get(relation.fused) as Expr, b.int(stride));
        known.set(part, next === extent(relation.fused) ? digit : b.floorModulo(digit, b.int(extent(part))));
      }
      stride = next;
    }
    if (relation.kind === "fuse") continue;
    known.set(relation.parent, sum);
    if (stride > extent(relation.parent)) inside.push(b.lt(sum, b.int(extent(relation.parent))));
  }
  return { values: new Map(stage.reduce.map((v, d) => [v, known.get(stage.reduction[d] as LoopRef) as Expr])), inside };
}

/**
 * As in te, this rewrites the description: the loop becomes an axis of a stage of partial sums, and the old stage sums over this
 * axis.
 */
export const rfactor = definePrimitive({
  name: "rfactor",
  args: [arg("loop", loopRef), arg("axis", wholeNumber)],
  returns: "stage",
  doc: `for i: for ko: for ki: c[i] += f(i, ko*4 + ki)   ->   for ki: for i: for ko: c.rf[ki, i] += f(i, ko*4 + ki); for i: for ki: c[i] += c.rf[ki, i]`,
  check: (state, { loop: ref, axis }) => {
    const loop = loopOf(state, ref);
    const stage = stageOf(state, loop.stage);
    if (loop.kind !== "reduce")
      return refuse(
        "rfactor.spatial",
        `rfactor: ${nameLoop(state, loop)} is spatial; partial sums are made over a reduction loop`,
      );
    const fault = notLeaf("rfactor", state, ref) ?? notFree("rfactor", state, ref);
    if (fault) return fault;
    if (stage.decay) return refuse("rfactor.decay", `rfactor: "${stage.name}" is a sum with a decay; it is made by one stage`);
    if (stage.annotations.start)
      return refuse(
        "rfactor.start",
        `rfactor: the start of "${stage.name}" was placed by decomposeReduction; place it after rfactor`,
      );
    return axis > stage.axes.length
      ? refuse("rfactor.axis", `rfactor: axis ${axis} of the partial sums of "${stage.name}"; it takes 0 to ${stage.axes.length}`)
      : undefined;
  },
  apply: (state, { loop: ref, axis }) => {
    const loop = loopOf(state, ref);
    const stage = stageOf(state, loop.stage);
    const made = state.stages.length as StageRef;
    const name = freshName(state, `${stage.name}.rf`);
    const partial: Buffer = {
      name,
      dtype: stage.buffer.dtype,
      shape: stage.buffer.shape.toSpliced(axis, 0, loop.extent),
      scope: "global",
    };
    const isReduce = (leaf: LoopRef) => loopOf(state, leaf).kind === "reduce";
    const kept = stage.leaves.filter((leaf) => leaf !== ref && isReduce(leaf));

    const axes: readonly NewLoop[] = stage.spatial
      .map((s) => loopOf(state, s))
      .toSpliced(axis, 0, loop)
      .map((l): NewLoop => ({ name: l.name, kind: "spatial", extent: l.extent, exact: false }));
    const [withSpatial, spatial] = addLoops(state, made, axes);
    const [withLoops, added] = addLoops(withSpatial, stage.ref, [
      { name: `${loop.name}.v`, kind: "reduce", extent: loop.extent, exact: true },
    ]);
    const loops = withLoops.loops.map((l): Loop => (kept.includes(l.ref) ? { ...l, stage: made } : l));

    const variables = new Map([ref, ...kept].map((leaf) => [leaf, b.variable(loopOf(state, leaf).name)]));
    const { values, inside } = valuesOf(state, stage, variables);
    const body = substitute(stage.body, values);
    const start = stage.combiner && identityOf(stage.combiner, body.dtype);
    const own = variables.get(ref) as Var;
    const next = insertStage(
      { ...withLoops, loops },
      {
        ref: made,
        name,
        buffer: partial,
        scope: undefined,
        axes: stage.axes.toSpliced(axis, 0, own),
        reduce: kept.map((leaf) => variables.get(leaf) as Var),
        combiner: kept.length > 0 ? stage.combiner : undefined,
        decay: undefined,
        body: start && inside.length > 0 ? b.select(b.and(...inside), body, start) : body,
        isOutput: false,
        spatial,
        reduction: kept,
        relations: [],
        leaves: [...spatial, ...kept],
        placement: root,
        annotations: noAnnotations,
      },
      stage.ref,
    );
    const over = b.variable(`${loop.name}.v`);
    const outermost = stage.leaves.findIndex(isReduce);
    const leaves = stage.leaves.filter((leaf) => !isReduce(leaf));
    leaves.splice(outermost, 0, ...added);
    const summed: Stage = {
      ...stage,
      reduce: [over],
      body: b.load(partial, stage.axes.toSpliced(axis, 0, over)),
      reduction: added,
      relations: stage.relations.filter((r) => !isReduction(state, r)),
      leaves,
    };
    return { state: replaceStage(next, summed), stages: [made], loops: [...spatial, ...added] };
  },
});
