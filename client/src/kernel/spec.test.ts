import { describe, expect, it } from "vitest";
import { readSpec } from "./spec.ts";

const vectorAdd = {
  problem: { n: 1000 },
  tunables: { BLOCK: [32, 64] },
  args: [
    { name: "c", dtype: "float32", shape: ["n"], role: "out" },
    { name: "a", dtype: "float32", shape: ["n"] },
  ],
  kernels: [{ entry: "vector_add", grid: ["(n + BLOCK - 1) // BLOCK"], block: ["BLOCK"] }],
};

describe("a spec", () => {
  it("has what it leaves out", () => {
    const read = readSpec(vectorAdd);
    expect(read).toMatchObject({
      ok: true,
      value: { constraints: [], default: {}, defines: {}, flags: [], kernels: [{ shared_bytes: 0, cluster: [1] }] },
    });
    expect(read.ok && read.value.args[1]).toMatchObject({ role: "in" });
  });

  it.each<[string, object, RegExp]>([
    ["a tunable that is a size too", { tunables: { n: [1] } }, /^tunables\.n: problem has a size of that name$/],
    ["a tunable without values", { tunables: { BLOCK: [] } }, /^tunables\.BLOCK: /],
    ["a name no compiler takes", { tunables: { "BLOCK-X": [1] } }, /^tunables\.BLOCK-X: a name/],
    ["an unknown field", { tunable: {} }, /^the spec: .*tunable/],
    ["two of one name", { args: [vectorAdd.args[0], vectorAdd.args[0]] }, /^args: two are named c$/],
    ["no output", { args: [vectorAdd.args[1]] }, /^args: none has the role out or inout/],
    ["an unknown dtype", { args: [{ name: "c", dtype: "float", shape: [1], role: "out" }] }, /^args\[0\]\.dtype: /],
    [
      "a kernel of unknown tensors",
      { kernels: [{ ...vectorAdd.kernels[0], args: ["c", "x"] }] },
      /^kernels\[0\]\.args\[1\]: x is not a tensor of args; they are c, a$/,
    ],
    ["four axes", { kernels: [{ ...vectorAdd.kernels[0], block: [1, 1, 1, 1] }] }, /^kernels\[0\]\.block: /],
    ["no kernels", { kernels: [] }, /^kernels: /],
  ])("with %s is refused by its field", (_, change, message) => {
    const read = readSpec({ ...vectorAdd, ...change });
    expect(read.ok ? "taken" : read.error).toMatch(message);
  });

  it.each([[undefined], [null], ["text"], [[]]])("that is %j is refused", (json) => {
    expect(readSpec(json)).toMatchObject({ ok: false, error: expect.stringMatching(/^the spec: /) });
  });
});
