import { toLeaseId } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { Outcomes } from "./outcomes.ts";

const outcome = (n: number): Outcome => ({ leaseId: toLeaseId(`l${n}`), epoch: 1, kind: "fault", message: "", suspect: false });
const ids = (outcomes: readonly { readonly leaseId: string }[]) => outcomes.map(({ leaseId }) => leaseId);
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `l${from + i}`);
const added = (count: number): Outcomes => {
  const outcomes = new Outcomes();
  for (let n = 0; n < count; n++) outcomes.add(outcome(n));
  return outcomes;
};

test("a call carries 40: 40 are not too many for one, 41 are", () => {
  expect([added(40), added(41)].map((each) => each.isCrowded)).toEqual([false, true]);
  expect(added(41).take()).toHaveLength(40);
});

test("what a call carries waits for no other; what it does not carry is named, whoever carries it", () => {
  const outcomes = added(42);
  const [first, second] = [outcomes.take(), outcomes.take()];
  expect([ids(first), ids(second), ids(outcomes.take())]).toEqual([names(0, 40), names(40, 42), []]);
  expect(outcomes.waiting).toBe(0);
  expect([outcomes.heldBack(first), outcomes.heldBack(second)]).toEqual([names(40, 42), names(0, 40)]);
});

test("what was not acknowledged when its call was over waits again, and nothing is left once all is acknowledged, twice", () => {
  const outcomes = new Outcomes();
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 3; n++) outcomes.add(outcome(n));
    const carried = outcomes.take();
    outcomes.acknowledged([toLeaseId("l1")]);
    outcomes.settle(carried);
    expect(ids(outcomes.take())).toEqual(["l0", "l2"]);
    outcomes.settleAll();
    expect(outcomes.waiting).toBe(2);
    outcomes.acknowledged(names(0, 3).map(toLeaseId));
    expect([outcomes.waiting, outcomes.isCrowded, outcomes.heldBack([])]).toEqual([0, false, []]);
  }
});
