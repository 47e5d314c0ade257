import { alreadyMarked, nameLoop, notLeaf, reduces, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, threadTagWord } from "../define-primitive.ts";
import { loopOf, replaceLoop, stageOf } from "../state.ts";

export const bind = definePrimitive({
  name: "bind",
  args: [arg("loop", loopRef), arg("thread", threadTagWord)],
  returns: "nothing",
  doc: `for i in n: s   ->   for i in n bind threadIdx.x: s      iterations become blocks, threads, or interleaved virtual threads`,
  check: (state, { loop: ref, thread }) => {
    const fault = notLeaf("bind", state, ref) ?? alreadyMarked("bind", state, ref) ?? reduces("bind", state, ref);
    if (fault || thread === "vthread") return fault;
    const { leaves } = stageOf(state, loopOf(state, ref).stage);
    const taken = leaves.map((leaf) => loopOf(state, leaf)).find((loop) => loop.thread === thread);
    return taken && refuse("bind.twice", `bind: ${thread} is taken by ${nameLoop(state, taken)}; a stage binds an axis once`);
  },
  apply: (state, { loop, thread }) => ({
    state: replaceLoop(state, { ...loopOf(state, loop), forKind: "bound", thread, step: state.step }),
  }),
});
