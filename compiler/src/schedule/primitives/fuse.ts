import { defined, type Refusal } from "@warpfarm/common";
import { nameLoop, notFree, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, type Made, refList } from "../define-primitive.ts";
import type { Curve } from "../infer/curves.ts";
import { addLoops, type Loop, type LoopRef, loopOf, type Relation, replaceStage, type State, stageOf } from "../state.ts";

/** Why these loops cannot become one. `name`: the primitive that asks. */
export function notFused(name: string, state: State, refs: readonly LoopRef[]): Refusal | undefined {
  const loops = refs.map((ref) => loopOf(state, ref));
  const first = loops[0];
  if (!first || loops.length < 2)
    return refuse(`${name}.loops`, `${name}: ${loops.length} loops; it takes two or more, the outermost first`);
  for (const ref of refs) {
    const fault = notLeaf(name, state, ref) ?? notFree(name, state, ref);
    if (fault) return fault;
  }
  const ofAnother = loops.find((loop) => loop.stage !== first.stage);
  if (ofAnother)
    return refuse(
      `${name}.stage`,
      `${name}: ${nameLoop(state, first)} and ${nameLoop(state, ofAnother)}; it takes loops of one stage`,
    );
  const other = loops.find((loop) => loop.kind !== first.kind);
  if (other)
    return refuse(
      `${name}.mixed`,
      `${name}: ${nameLoop(state, first)} is ${first.kind}, ${nameLoop(state, other)} is ${other.kind}; a fused loop is one or the other`,
    );
  const { leaves } = stageOf(state, first.stage);
  const at = leaves.indexOf(first.ref);
  if (refs.some((ref, i) => leaves[at + i] !== ref))
    return refuse(
      `${name}.neighbours`,
      `${name}: "${loops.map((l) => l.name).join('", "')}" are not neighbours in this order; the loops of "${stageOf(state, first.stage).name}" are "${leaves.map((l) => loopOf(state, l).name).join('", "')}"`,
    );
  const extent = loops.reduce((product, loop) => product * loop.extent, 1);
  return extent < 2 ** 31 ? undefined : refuse(`${name}.extent`, `${name}: ${extent} iterations; at most 2147483647`);
}

export function fused(state: State, refs: readonly LoopRef[], curve?: Curve): Made {
  const loops = refs.map((ref) => loopOf(state, ref));
  const { stage: owner, kind } = loops[0] as Loop;
  const made = {
    name: `${loops.map((l) => l.name).join(".")}.fused`,
    kind,
    extent: loops.reduce((product, loop) => product * loop.extent, 1),
    exact: loops.every((loop) => loop.exact),
  };
  const [next, added] = addLoops(state, owner, [made]);
  const [whole] = added as [LoopRef];
  const stage = stageOf(state, owner);
  const leaves = stage.leaves.slice();
  leaves.splice(leaves.indexOf(refs[0] as LoopRef), refs.length, whole);
  const relation: Relation = { kind: "fuse", parts: refs, fused: whole, ...defined({ curve }), step: state.step };
  return { state: replaceStage(next, { ...stage, relations: stage.relations.concat(relation), leaves }), loops: added };
}

export const fuse = definePrimitive({
  name: "fuse",
  args: [arg("loops", refList(loopRef))],
  returns: "loop",
  doc: `for i in n: for j in m: s   ->   for f in n*m: s[i -> f/m, j -> f%m]`,
  check: (state, { loops }) => notFused("fuse", state, loops),
  apply: (state, { loops }) => fused(state, loops),
});
