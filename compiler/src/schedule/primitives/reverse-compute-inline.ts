import type { Expr, Var } from "../../ir/expr.ts";
import { formulasOf } from "../../te/access.ts";
import { notFree, refuse, scans } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { inlined, loadsOf } from "../infer/inline.ts";
import { attachedAt, loopOf, type Stage, type State, stageOf } from "../state.ts";

interface Reads {
  readonly stage: Stage;
  readonly indices: readonly Expr[];
}

function readsOf(state: State, reader: Stage): Reads[] {
  const reads: Reads[] = [];
  for (const { buffer, indices } of formulasOf(inlined(state, reader)).flatMap(loadsOf)) {
    const stage = state.stages.find((s) => s.buffer === buffer);
    if (stage) reads.push({ stage, indices });
  }
  return reads;
}

const isPermutation = (axes: readonly Var[], indices: readonly Expr[]): boolean =>
  axes.length === indices.length && axes.every((axis) => indices.includes(axis));

/** The one producer whose loops the stage can take over, or why there is none. */
function producerOf(state: State, stage: Stage): Reads | string {
  const reads = readsOf(state, stage);
  const found = reads.filter(
    ({ stage: p, indices }) =>
      !p.isOutput &&
      !p.combiner &&
      p.placement.kind !== "inline" &&
      isPermutation(stage.axes, indices) &&
      sameShape(stage, p, indices),
  );
  const [first] = found;
  if (!first)
    return `it reads no stage, elementwise and not an output, at its own indices; a reduction can be read through its cacheWrite`;
  const other = found.find((r) => r.stage !== first.stage);
  if (other)
    return `it reads "${first.stage.name}" and "${other.stage.name}" at its own indices; one of them must be inlined first`;
  const elsewhere = reads.find((r) => r.stage === first.stage && r.indices.some((index, d) => index !== first.indices[d]));
  if (elsewhere) return `it reads "${first.stage.name}" at other indices too`;
  const others = state.stages.filter((s) => s !== stage && s.placement.kind !== "inline");
  const otherReader = others.find((s) => readsOf(state, s).some((r) => r.stage === first.stage));
  return otherReader ? `"${otherReader.name}" reads "${first.stage.name}" too` : first;
}
const sameShape = (stage: Stage, producer: Stage, indices: readonly Expr[]): boolean =>
  indices.every((index, d) => producer.buffer.shape[d] === stage.buffer.shape[stage.axes.indexOf(index as Var)]);

/** Like computeInline of the producer, but the producer's loops stay: the two stages exchange formulas and places. */
export const reverseComputeInline = definePrimitive({
  name: "reverseComputeInline",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: `for i: p[i] = f(i); for i: c[i] = g(p[i])   ->   for i: c[i] = g(f(i))      over the loops of p`,
  check: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    if (stage.combiner)
      return refuse(
        "reverseComputeInline.reduce",
        `reverseComputeInline: "${stage.name}" is a reduction; only elementwise formulas can be inlined`,
      );
    if (stage.placement.kind === "inline")
      return refuse("reverseComputeInline.inlined", `reverseComputeInline: "${stage.name}" is inlined already`);
    const producer = producerOf(state, stage);
    if (typeof producer === "string")
      return refuse(
        "reverseComputeInline.producer",
        `reverseComputeInline: "${stage.name}" cannot take over a producer's loops: ${producer}`,
      );
    const scanned = scans("reverseComputeInline", state, producer.stage.ref);
    if (scanned) return scanned;
    const done = [stage, producer.stage].find((s) => s.annotations.tensorized);
    if (done)
      return refuse(
        "reverseComputeInline.tensorized",
        `reverseComputeInline: "${done.name}" is done by an intrinsic; tensorize last`,
      );
    if (stage.relations.length > 0)
      return refuse(
        "reverseComputeInline.scheduled",
        `reverseComputeInline: the loops of "${stage.name}" were split or fused, and would be lost; inline it first`,
      );
    for (const leaf of stage.leaves) {
      const fault = notFree("reverseComputeInline", state, leaf);
      if (fault) return fault;
    }
    if ("loop" in producer.stage.placement)
      return refuse(
        "reverseComputeInline.placed",
        `reverseComputeInline: "${producer.stage.name}" is computed at loop "${loopOf(state, producer.stage.placement.loop).name}"; inline its consumer before it is placed`,
      );
    const after = producer.stage.leaves.flatMap((leaf) => attachedAt(state, leaf, ["after"]))[0];
    return (
      after &&
      refuse(
        "reverseComputeInline.placed",
        `reverseComputeInline: "${after.name}" is computed after a loop of "${producer.stage.name}"`,
      )
    );
  },
  apply: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    const { stage: producer, indices } = producerOf(state, stage) as Reads;
    const spatial = stage.axes.map((axis) => producer.spatial[indices.indexOf(axis)] as Stage["spatial"][number]);
    const { name, buffer, scope, axes, body, isOutput, placement, annotations } = stage;
    const stages = state.stages.slice();
    stages[producer.ref] = { ...producer, name, buffer, scope, axes, body, isOutput, placement, annotations, spatial };
    stages[ref] = {
      ...stage,
      name: producer.name,
      buffer: producer.buffer,
      scope: producer.scope,
      axes: producer.axes,
      body: producer.body,
      isOutput: false,
      placement: { kind: "inline" },
      annotations: producer.annotations,
    };
    const swap = (s: Stage["ref"]) => (s === ref ? producer.ref : s === producer.ref ? ref : s);
    return { state: { ...state, stages, order: state.order.map(swap) } };
  },
});
