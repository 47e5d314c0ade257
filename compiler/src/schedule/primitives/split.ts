import type { Refusal } from "@warpfarm/common";
import { nameLoop, notFree, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, factorList, loopRef } from "../define-primitive.ts";
import {
  addLoops,
  type LoopRef,
  loopOf,
  type NewLoop,
  partExtents,
  type Relation,
  replaceStage,
  type State,
  stageOf,
} from "../state.ts";

/** The most loops of one stage: functions that walk them recurse as deep. */
const maxLoops = 128;

const suffixOf = (part: number, parts: number): string => (parts > 2 ? String(part) : part === 0 ? "outer" : "inner");

export const split = definePrimitive({
  name: "split",
  args: [arg("loop", loopRef), arg("factors", factorList)],
  returns: "parts",
  doc: `for i in n: s   ->   for io in n/f: for ii in f: s[i -> io*f + ii]   (guarded by i < n when f does not divide n)`,
  check: (state, args) => splitFault("split", state, args),
  apply: (state, { loop: ref, factors }) => {
    const loop = loopOf(state, ref);
    const { kind, exact } = loop;
    const made = partExtents(loop.extent, factors).map(
      (extent, i): NewLoop => ({ name: `${loop.name}.${suffixOf(i, factors.length)}`, kind, extent, exact }),
    );
    const [next, parts] = addLoops(state, loop.stage, made);
    const stage = stageOf(state, loop.stage);
    const leaves = stage.leaves.slice();
    leaves.splice(leaves.indexOf(ref), 1, ...parts);
    const relation: Relation = { kind: "split", parent: ref, parts, factors, step: state.step };
    return { state: replaceStage(next, { ...stage, relations: stage.relations.concat(relation), leaves }), loops: parts };
  },
});

/** Why a primitive that splits a loop cannot. */
export function splitFault(
  primitive: string,
  state: State,
  { loop: ref, factors }: { readonly loop: LoopRef; readonly factors: readonly (number | null)[] },
): Refusal | undefined {
  const loop = loopOf(state, ref);
  if (factors.length < 2 || factors.filter((f) => f === null).length > 1)
    return refuse(
      `${primitive}.factors`,
      `${primitive}: factors [${factors.join(", ")}] of ${nameLoop(state, loop)}; it takes two or more factors, at most one of them null`,
    );
  const fault = notLeaf(primitive, state, ref) ?? notFree(primitive, state, ref);
  if (fault) return fault;
  const loops = stageOf(state, loop.stage).leaves.length - 1 + factors.length;
  if (loops > maxLoops)
    return refuse(
      `${primitive}.loops`,
      `${primitive}: ${nameLoop(state, loop)} into ${factors.length} would make ${loops} loops; at most ${maxLoops}`,
    );
  // With those that run past the end: their number is computed in 32 bits before it is compared.
  const product = partExtents(loop.extent, factors).reduce((p, extent) => p * extent, 1);
  if (product >= 2 ** 31)
    return refuse(
      `${primitive}.factors`,
      `${primitive}: factors [${factors.join(", ")}] of ${nameLoop(state, loop)} of extent ${loop.extent} make ${product} iterations; at most 2147483647`,
    );
  if (loop.exact && product < loop.extent && !factors.includes(null))
    return refuse(
      `${primitive}.cover`,
      `${primitive}: factors ${factors.join("*")} do not cover ${nameLoop(state, loop)} of extent ${loop.extent}`,
    );
  return undefined;
}
