import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef, type ValueType, wholeNumber } from "../define-primitive.ts";
import { isCopiedByEngine, type Plan, type StagePlan } from "../infer/plan.ts";
import { request, type Stage, stageOf } from "../state.ts";

/** The limits of setmaxnreg. */
const [fewest, most, step] = [24, 240, 8];
const isCount = (registers: number): boolean => registers >= fewest && registers <= most && registers % step === 0;
const registerCount: ValueType<number> = {
  ...wholeNumber,
  draw: ({ random }) => random.pick([0, fewest, 40, 152, 160, 232, most]),
};
const areCounts = (producer: number, consumer: number): boolean =>
  (producer === 0 && consumer === 0) || (isCount(producer) && isCount(consumer) && producer <= consumer);

function hasProducer({ ref, name, placement }: Stage, plan: Plan) {
  if (placement.kind !== "root")
    return refuse(
      "specialize.root",
      `specialize: "${name}" is computed inside another stage's nest; name the stage at the root, whose kernel it is`,
    );
  const isBrought = (planned: StagePlan | undefined): boolean =>
    planned?.isInner === true && planned.root === ref && isCopiedByEngine(planned.stage);
  return plan.stages.some(isBrought)
    ? undefined
    : refuse(
        "specialize.channel",
        `specialize: the kernel of "${name}" has no copy for a producer to start; mark one with copyBy "tma"`,
      );
}

/**
 * The block gets one more warpgroup, one of whose threads starts all copies of the copy engine (copyBy, pipeline), as far ahead
 * as there are slots, also over the end of a tile. The other threads compute. The two numbers are the registers of each of their
 * threads: the producer gives away what the consumers take. 0 and 0: all keep what they start with. Needs sm_90a, and
 * warpgroups that one thread axis counts: threadIdx.x of 128, or x and y of 128 together. A CPU ignores it.
 */
export const specialize = definePrimitive({
  name: "specialize",
  args: [arg("stage", stageRef), arg("producer", registerCount), arg("consumer", registerCount)],
  returns: "nothing",
  doc: `for k: { fill k; await k; use(k) }   ->   producer { for k: fill k }  consumers { for k: { await k; use(k) } }      for the kernel of a stage at the root`,
  check: (state, { stage: ref, producer, consumer }) =>
    areCounts(producer, consumer)
      ? undefined
      : refuse(
          "specialize.registers",
          `specialize: ${producer} and ${consumer} registers for "${stageOf(state, ref).name}"; it takes multiples of ${step} from ${fewest} to ${most}, the producer's no more than a consumer's, or 0 and 0`,
        ),
  apply: (state, { stage, producer, consumer }) => ({
    state: request(state, stage, {
      key: "roles",
      value: producer === 0 ? {} : { registers: [producer, consumer] },
      rule: hasProducer,
    }),
  }),
});
