import type { Refusal } from "@warpfarm/common";
import { isPacked } from "@warpfarm/common";
import type { ThreadTag } from "../../ir/stmt.ts";
import { alreadyMarked, inOrder, nameLoop, notLeaf, reduces, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, threadTagWord } from "../define-primitive.ts";
import { type LoopRef, loopOf, replaceLoop, type State, stageOf } from "../state.ts";

/** Only threads of a row, and the blocks of a cluster that share it, can combine their parts of a reduction. */
function notShared(state: State, ref: LoopRef, thread: ThreadTag): Refusal | undefined {
  if (thread !== "threadIdx.x" && thread !== "clusterIdx.x") return reduces("bind", state, ref);
  const ordered = inOrder("bind", state, ref);
  if (ordered) return ordered;
  const { kind, stage } = loopOf(state, ref);
  const { dtype } = stageOf(state, stage).buffer;
  if (kind === "spatial" || !isPacked(dtype)) return undefined;
  return refuse("bind.dtype", `bind: ${nameLoop(state, loopOf(state, ref))} reduces ${dtype}; lanes exchange whole bytes`);
}

/**
 * Iterations become blocks, threads, or interleaved virtual threads. A loop of a reduction may be bound to threadIdx.x: each
 * thread reduces its own iterations, then the threads combine their parts, within a warp by shuffles at distances 16, 8, 4, 2, 1,
 * then one value per warp through shared memory, in the same order. Rows have 2, 4, 8, 16 or 32 threads, or a multiple of 32.
 * clusterIdx.x and clusterIdx.y make blocks that run together (sm_90, at most 8), neighbours along blockIdx.x. In a copy by the
 * engine each of those along one of the two asks for its share of the boxes, which comes to all of them (copyBy). A loop of a
 * reduction may be bound to clusterIdx.x where another is bound to threadIdx.x: the blocks share the row, and exchange one value
 * each through shared memory.
 */
export const bind = definePrimitive({
  name: "bind",
  args: [arg("loop", loopRef), arg("thread", threadTagWord)],
  returns: "nothing",
  doc: `for i in n: s   ->   for i in n bind threadIdx.x: s      iterations become blocks, threads, or interleaved virtual threads`,
  check: (state, { loop: ref, thread }) => {
    const fault = notLeaf("bind", state, ref) ?? alreadyMarked("bind", state, ref) ?? notShared(state, ref, thread);
    if (fault || thread === "vthread") return fault;
    const { leaves } = stageOf(state, loopOf(state, ref).stage);
    const taken = leaves.map((leaf) => loopOf(state, leaf)).find((loop) => loop.thread === thread);
    return taken && refuse("bind.twice", `bind: ${thread} is taken by ${nameLoop(state, taken)}; a stage binds an axis once`);
  },
  apply: (state, { loop, thread }) => ({
    state: replaceLoop(state, { ...loopOf(state, loop), forKind: "bound", thread, step: state.step }),
  }),
});
