/** Replays: of trials whose config today's space does not have, and of asks that give none. */
import { ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { replay } from "./replay.ts";
import type { Measured, Tuner } from "./tuner.ts";

const space = new ConfigSpace([choiceKnob("a", [...Array(20).keys()])]);
const at = (index: number): Measured => ({ index: space.toIndex(index), outcome: { kind: "failed" } });

it("a strange trial has a place among the results, and no result", () => {
  const said: (number | readonly number[])[] = [];
  let next = 0;
  const tuner: Tuner = {
    exhausted: false,
    ask: () => {
      said.push(next);
      return [space.toIndex(next++)];
    },
    tell: (pairs) => void said.push(pairs.map(({ index }) => index)),
  };
  // Told in this order: 1 (strange), 2, 3. The third was asked after two results, one of them strange.
  const trials = [
    { sequence: 1, told: 0, measured: undefined },
    { sequence: 2, told: 0, measured: at(1) },
    { sequence: 3, told: 2, measured: at(2) },
  ];
  const { asked, pending, diverged } = replay(tuner, trials);
  expect(said).toEqual([0, 1, [1], 2, [2]]);
  // What the tuner proposes in the place of the strange one is measured.
  expect([asked, pending, diverged]).toEqual([4, [{ sequence: 4, told: 0, index: 0 }], 1]);
});

it("a tuner that met too many refusals is asked again", () => {
  const asks = [[], [], [space.toIndex(7)]];
  const tuner: Tuner = { exhausted: false, ask: () => asks.shift() ?? [], tell: () => {} };
  const { diverged } = replay(tuner, [{ sequence: 1, told: 0, measured: at(7) }]);
  expect([asks.length, diverged]).toEqual([0, 0]);
});
