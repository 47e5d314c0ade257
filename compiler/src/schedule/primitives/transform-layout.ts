import { type Buffer, mostElements } from "../../ir/buffer.ts";
import { and, constant, load, select } from "../../ir/build.ts";
import { identityOf } from "../../ir/combiner.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { substitute } from "../../ir/visit.ts";
import { type IndexMap, type Layout, layoutOf, readIndexMap } from "../../json/index-map.ts";
import { nameLoop, notFree, refuse } from "../checks.ts";
import { arg, definePrimitive, indexMapValue, stageRef } from "../define-primitive.ts";
import { addLoops, loopOf, type NewLoop, readersMoved, replaceStage, type Stage, stageOf } from "../state.ts";

const layoutFor = (map: IndexMap, stage: Stage): Layout | string => {
  const read = readIndexMap(map);
  if (!read) return "it is not an index map";
  const { shape } = stage.buffer;
  if (read.from.length !== shape.length) return `it maps ${read.from.length} axes; the tensor has ${shape.length}`;
  return layoutOf(read.from, read.to, shape);
};

/** Places for no element get 0, or a reduction's start value: they may be read with the rest. */
function formulas(stage: Stage, { inverse, inside }: Layout): Pick<Stage, "body" | "decay"> {
  const places = new Map<Var, Expr>(stage.axes.map((v, d) => [v, inverse[d] as Expr]));
  const put = (e: Expr): Expr => {
    const value = substitute(e, places);
    if (inside.length === 0) return value;
    const padding = stage.combiner ? (identityOf(stage.combiner, value.dtype) as Expr) : constant(0, value.dtype);
    return select(and(...inside), value, padding);
  };
  return { body: put(stage.body), decay: stage.decay && put(stage.decay) };
}

/**
 * Rewrites the description, as in te: the stage computes the tensor in the new layout over loops of its own, and every reader
 * uses the new indices.
 */
export const transformLayout = definePrimitive({
  name: "transformLayout",
  args: [arg("stage", stageRef), arg("map", indexMapValue)],
  returns: "loops",
  doc: `for n in 64: for c: p[n, c] = f(n, c); ... p[i, j]   ->   for n.outer in 4: for c: for n.inner in 16: p[n.outer, c, n.inner] = f(n.outer*16 + n.inner, c); ... p[i/16, j, i%16]`,
  check: (state, { stage: ref, map }) => {
    const stage = stageOf(state, ref);
    if (stage.isOutput)
      return refuse(
        "transformLayout.output",
        `transformLayout: "${stage.name}" is an output of the graph; arguments keep their layout`,
      );
    if (stage.placement.kind === "inline")
      return refuse("transformLayout.inlined", `transformLayout: "${stage.name}" is inlined and has no layout`);
    if (stage.annotations.aligned)
      return refuse(
        "transformLayout.aligned",
        `transformLayout: "${stage.name}" has padded strides; use storageAlign on the new axes, after it`,
      );
    for (const loop of stage.spatial) {
      if (!stage.leaves.includes(loop))
        return refuse(
          "transformLayout.leaf",
          `transformLayout: ${nameLoop(state, loopOf(state, loop))} was split or fused before; the new axes bring loops of their own`,
        );
      const fault = notFree("transformLayout", state, loop);
      if (fault) return fault;
    }
    const layout = layoutFor(map, stage);
    if (typeof layout === "string")
      return refuse(
        "transformLayout.map",
        `transformLayout: the map of "${stage.name}", [${stage.buffer.shape.join(", ")}]: ${layout}`,
      );
    const most = Math.max(...layout.shape);
    return most <= mostElements
      ? undefined
      : refuse(
          "transformLayout.size",
          `transformLayout: a dimension of "${stage.name}" would be ${most}; at most ${mostElements}`,
        );
  },
  apply: (state, { stage: ref, map }) => {
    const stage = stageOf(state, ref);
    const layout = layoutFor(map, stage) as Layout;
    const { from, to } = readIndexMap(map) as NonNullable<ReturnType<typeof readIndexMap>>;
    const buffer: Buffer = { ...stage.buffer, shape: layout.shape };
    const made = layout.axes.map(
      (axis, d): NewLoop => ({ name: axis.name, kind: "spatial", extent: layout.shape[d] as number, exact: false }),
    );
    const [withLoops, spatial] = addLoops(state, ref, made);
    const first = stage.leaves.findIndex((leaf) => stage.spatial.includes(leaf));
    const leaves = stage.leaves.filter((leaf) => !stage.spatial.includes(leaf));
    leaves.splice(Math.max(first, 0), 0, ...spatial);
    const moved: Stage = { ...stage, buffer, axes: layout.axes, ...formulas(stage, layout), spatial, leaves };
    const next = readersMoved(replaceStage(withLoops, moved), stage.buffer, (indices) => {
      const values = new Map<Var, Expr>(from.map((v, d) => [v, indices[d] as Expr]));
      return load(
        buffer,
        to.map((e) => substitute(e, values)),
      );
    });
    return { state: next, loops: spatial };
  },
});
