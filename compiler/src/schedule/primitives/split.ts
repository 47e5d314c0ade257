import { nameLoop, notFree, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, factorList, loopRef } from "../define-primitive.ts";
import { addLoops, loopOf, replaceStage, stageOf } from "../state.ts";

/** Iterations of each part; the null part takes what is needed to cover the extent. */
export function partExtents(extent: number, factors: readonly (number | null)[]): number[] {
  const known = factors.reduce<number>((product, f) => product * (f ?? 1), 1);
  return factors.map((f) => f ?? Math.ceil(extent / known));
}

const suffixes = (count: number): readonly string[] =>
  count === 2 ? ["outer", "inner"] : Array.from({ length: count }, (_, i) => String(i));

export const split = definePrimitive({
  name: "split",
  args: [arg("loop", loopRef), arg("factors", factorList)],
  returns: "loops",
  doc: `for i in n: s   ->   for io in n/f: for ii in f: s[i -> io*f + ii]   (guarded by i < n when f does not divide n)`,
  check: (state, { loop: ref, factors }) => {
    const loop = loopOf(state, ref);
    if (factors.length < 2 || factors.filter((f) => f === null).length > 1)
      return refuse(
        "split.factors",
        `split: factors [${factors.join(", ")}] of ${nameLoop(state, loop)}; two or more, at most one null`,
      );
    const fault = notLeaf("split", state, ref) ?? notFree("split", state, ref);
    if (fault) return fault;
    const product = factors.reduce<number>((p, f) => p * (f ?? 1), 1);
    if (product >= 2 ** 31)
      return refuse(
        "split.factors",
        `split: factors ${factors.join("*")} of ${nameLoop(state, loop)} exceed 2147483647 iterations`,
      );
    if (loop.exact && product < loop.extent && !factors.includes(null))
      return refuse(
        "split.cover",
        `split: factors ${factors.join("*")} do not cover ${nameLoop(state, loop)} of extent ${loop.extent}`,
      );
    return undefined;
  },
  apply: (state, { loop: ref, factors }) => {
    const loop = loopOf(state, ref);
    const names = suffixes(factors.length);
    const made = partExtents(loop.extent, factors).map((extent, i) => ({
      name: `${loop.name}.${names[i]}`,
      kind: loop.kind,
      extent,
      exact: loop.exact,
    }));
    const [next, parts] = addLoops(state, loop.stage, made);
    const stage = stageOf(state, loop.stage);
    return {
      state: replaceStage(next, {
        ...stage,
        relations: [...stage.relations, { kind: "split", parent: ref, parts, factors, step: state.step }],
        leaves: stage.leaves.flatMap((leaf) => (leaf === ref ? parts : [leaf])),
      }),
      loops: parts,
    };
  },
});
