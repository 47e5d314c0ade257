import { expect, it } from "vitest";
import { secondsOf } from "./framework.ts";
import type { Group } from "./groups.ts";

const made = (op: string, inputs: readonly string[], outputs: readonly string[], seconds: number) => ({
  ...{ op, inputs, outputs, seconds, domain: "", name: outputs.join(), attributes: {} },
});

it("a node's time is that of the task that gives one of its results, whichever", () => {
  const split = made("Split", ["x"], ["", "b"], 1);
  const first = made("Split", ["x"], ["unused", "c"], 2);
  const folded = made("Transpose", ["b"], ["bt"], 4);
  const product = made("MatMul", ["bt", "c"], ["y"], 8);
  const view = made("Reshape", ["y"], ["z"], 16);
  // A result without a name says nothing of another node's.
  const pool = made("MaxPool", ["y"], ["p", ""], 32);
  const unnamed = made("Dropout", ["c"], ["d", ""], 64);
  const groups = [
    { nodes: [split], kind: "move" },
    { nodes: [{ ...first, outputs: ["c"] }], kind: "move" },
    { nodes: [product], kind: "heavy" },
    { nodes: [pool], kind: "heavy" },
  ] as const satisfies readonly Group[];
  const steps = [...groups, { view: "z", of: "y" }];
  const times = secondsOf([split, first, folded, unnamed, product, view, pool], steps);
  expect(groups.map((group) => times.get(group))).toEqual([1, 2 + 64, 4 + 8 + 16, 32]);
});
