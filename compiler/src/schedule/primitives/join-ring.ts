import type { Refusal } from "@warpfarm/common";
import { bufferSize } from "../../ir/buffer.ts";
import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { isCopiedByEngine, isInRing, type Plan, type StagePlan } from "../infer/plan.ts";
import { type LoopRef, loopOf, request, type Stage, type StageRef, type State, stageOf } from "../state.ts";

/** The loops around its copy that number its turns, outermost first. */
const turnsOf = ({ state, extents }: Plan, { path }: StagePlan): readonly LoopRef[] =>
  path.filter((ref, i) => loopOf(state, ref).forKind !== "bound" && (i === 0 || (extents[ref] as number) > 1)).reverse();

const isBrought = (planned: StagePlan | undefined): planned is StagePlan =>
  planned?.isInner === true && planned.scope === "shared" && isCopiedByEngine(planned.stage);

/**
 * Whether the loop that holds the first stage's copies ends before the one of the second begins, in each iteration around both.
 */
function isBefore({ state }: Plan, first: StagePlan, second: StagePlan): boolean {
  const [a, b] = [first.path.toReversed(), second.path.toReversed()];
  const parted = a.findIndex((ref, i) => ref !== b[i]);
  const [around, x, y] = [a[parted - 1], a[parted], b[parted]].map((ref) => ref !== undefined && loopOf(state, ref).stage);
  if (around === false || x === false || y === false || x === around) return false;
  return y === around || state.order.indexOf(x as StageRef) < state.order.indexOf(y as StageRef);
}

function faultOf(plan: Plan, own: StagePlan, ring: StagePlan | undefined): Refusal | undefined {
  const name = `joinRing: "${own.stage.name}"`;
  if (!isBrought(own)) return refuse("joinRing.engine", `${name} is not brought by the copy engine; mark it with copyBy "tma"`);
  if (own.arrays > 1) return refuse("joinRing.ahead", `${name} has ${own.arrays} arrays of its own; it joins a ring or has one`);
  if (!isBrought(ring) || ring.arrays < 2 || ring.root !== own.root)
    return refuse(
      "joinRing.ring",
      `${name} joins the ring of a stage that the copy engine does not bring to several arrays of this kernel (copyBy "tma", pipeline)`,
    );
  const [turns, others] = [turnsOf(plan, own), turnsOf(plan, ring)];
  const isBeside = turns.length === others.length && turns.slice(0, -1).every((loop, i) => loop === others[i]);
  if (turns[0] === undefined || own.path[0] !== turns.at(-1) || !isBeside || !isBefore(plan, ring, own))
    return refuse(
      "joinRing.place",
      `${name} joins the ring of "${ring.stage.name}", so it is computed at a serial loop that comes after that one's, inside the same loops`,
    );
  const other = plan.stages.find((p) => p && p !== own && p.root === own.root && isInRing(p.stage));
  if (other) return refuse("joinRing.others", `${name} and "${other.stage.name}" join rings of one kernel; one stage does`);
  const [a, b] = [own.buffer, ring.buffer];
  const isAlike = a.dtype === b.dtype && JSON.stringify(a.swizzle) === JSON.stringify(b.swizzle);
  return isAlike && bufferSize(a) <= bufferSize(b)
    ? undefined
    : refuse(
        "joinRing.array",
        `${name} has [${a.shape}] ${a.dtype}, and a slot of "${b.name}" [${b.shape}] ${b.dtype}; it lies in a slot of its type and swizzle that is as large`,
      );
}

const fits =
  (ring: StageRef) =>
  ({ ref }: Stage, plan: Plan) => {
    const own = plan.planOf(ref);
    return own && faultOf(plan, own, plan.planOf(ring));
  };

const local = (state: State, stage: StageRef, ring: StageRef) =>
  stage === ring
    ? refuse("joinRing.self", `joinRing: "${stageOf(state, stage).name}" joins the ring of another stage`)
    : undefined;

/**
 * A copy by the copy engine has no memory of its own: it comes in the slots of a stage that runs ahead (pipeline), in turns that
 * follow those of that stage's loop. So a producer (specialize) starts it while the last slots of the loop are in use. For
 * what is read once after a loop, as a residual that is added to the sums. A CPU, which has no rings, ignores it.
 */
export const joinRing = definePrimitive({
  name: "joinRing",
  args: [arg("stage", stageRef), arg("ring", stageRef)],
  returns: "nothing",
  doc: `for k: { fill k; use s[k % n] }; for i: { copy(i) to r; use r }   ->   for k: ...; for i: { fill K + i; use s[(K + i) % n] as r }      s, of n arrays, is as large as r`,
  check: (state, { stage, ring }) => local(state, stage, ring),
  apply: (state, { stage, ring }) => ({ state: request(state, stage, { key: "ring", value: ring, rule: fits(ring) }) }),
});
