/** Claims of programs, replayed. That a search's own claims hold is tested where the search is (client/src/claims.test.ts). */
import { computationDigest, digestOf, FarmError, type Json } from "@warpfarm/common";
import { configToJson, decodeProgram } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { type Claim, type Replayed, replay } from "./replay.ts";
import { createTask } from "./task.ts";

const args = [8, 64, 12, "float32", "NN"];
const target = "cpu/x86-64-v3";
const task = createTask("matmul_derived", args, target);
const entityAt = (index: number) => configToJson(task.space, task.space.get(task.space.toIndex(index))).entity;
const claim: Claim = { template: "matmul_derived", args, target, config: entityAt(5) };

function replayed(of: Claim): Replayed {
  const made = replay(of);
  if (!made.ok) throw new Error(made.error);
  return made.value;
}
const refusal = (change: Partial<Claim>): string => {
  const made = replay({ ...claim, ...change });
  return made.ok ? "accepted" : made.error;
};

describe("a claim that holds", () => {
  it("gives the program of the config with these values, the reference and the name of the computation", () => {
    const instance = task.instantiate(task.space.toIndex(5));
    if (!instance.ok) throw new Error(instance.error.message);
    const made = replayed(claim);
    expect(made.program).toEqual(instance.value.program);
    expect(made.reference).toEqual(task.reference);
    expect(made.computation).toBe(computationDigest(task.reference.bytes, args));
    expect(digestOf(made.program.bytes)).toBe(made.program.digest);
  });

  it("without a config is the default schedule's", () => {
    const { config: _, ...standard } = claim;
    expect(replayed(standard).program.digest).toBe(task.base?.digest);
  });

  it("may name the arguments, leave out defaults, and call the template by an alias", () => {
    const named = { M: 8, N: 64, K: 12 };
    expect(replayed({ ...claim, args: named })).toEqual(replayed(claim));
    const conv = { args: {}, target: "cuda/sm_90" };
    expect(replayed({ ...conv, template: "conv2d_nchw" })).toEqual(
      replayed({ ...conv, template: "tutorial/conv2d_no_batching" }),
    );
  });

  it("is of other programs with other values, arguments or another target", () => {
    const of = (change: Partial<Claim>) => replayed({ ...claim, ...change });
    const others = [{ config: entityAt(6) }, { args: [8, 32, 12, "float32", "NN"] }, { target: "cpu/x86-64-v2" }];
    const digests = [claim, ...others].map((change) => of(change).program.digest);
    expect(new Set(digests).size).toBe(4);
    const [own, values, shape, other] = [claim, ...others].map((change) => of(change).computation);
    // The same is computed by every config and for every target.
    expect([values, other]).toEqual([own, own]);
    expect(shape).not.toBe(own);
  });

  it("has the target's features: code for the GPU's own instructions is another program than code for its level", () => {
    const targets = ["cuda/sm_90", "cuda/sm_90a"];
    const documents = targets.map((each) =>
      decodeProgram(replayed({ template: "matmul_derived", args: {}, target: each }).program.bytes),
    );
    expect(documents.map((document) => document.ok && document.value.target)).toEqual(targets);
  });
});

describe("a claim that gives no program is refused in one sentence", () => {
  const without = (name: string) => (claim.config ?? []).filter(([knob]) => knob !== name);
  const put = (name: string, value: Json, kind?: string) =>
    (claim.config ?? []).map((each): typeof each => (each[0] === name ? [name, kind ?? each[1], value] : each));

  it.each<[string, Partial<Claim>, RegExp]>([
    ["a template that does not come with Warpfarm", { template: "mine" }, /^there is no task "mine"; known are /],
    ["a user's file", { template: "./mine.ts" }, /^there is no task "\.\/mine\.ts"/],
    [
      "a list that is too short",
      { args: [8, 12, 64] },
      /^matmul_derived takes 5 arguments, M, N, K, dtype, layout; the list has 3/,
    ],
    ["an argument of another type", { args: { N: "8" } }, /^matmul_derived: argument N is "8"; it takes a whole number from 1/],
    ["an argument that there is not", { args: { Q: 8 } }, /^matmul_derived has no argument "Q"/],
    ["arguments that are no list", { args: 7 }, /^matmul_derived: arguments are 7; they are a list/],
    ["a graph that is too large", { args: { M: 2 ** 30, N: 2 ** 30, K: 2 ** 30 } }, /^matmul_derived: .*elements/],
    ["a target that there is not", { target: "cpu/z80" }, /^"cpu\/z80" is not a target/],
    [
      "a target that the template is not for",
      { template: "conv2d_nchw_cpu", args: {}, target: "cuda/sm_90" },
      /^conv2d_nchw_cpu is for .*, not for cuda\/sm_90/,
    ],
    ["a value that the space does not have", { config: put("C.step", 5) }, /^matmul_derived: knob C\.step has no entry 5/],
    ["another kind of knob", { config: put("C.step", 3, "sp") }, /^matmul_derived: knob C\.step is of kind "sp"/],
    [
      "a missing knob",
      { config: without("C.step") },
      /^matmul_derived: the config has the knobs C\.vector, C\.unroll, .*; this space has C\.vector, C\.step/,
    ],
    [
      "a knob too many",
      { config: [...entityAt(5), ["more", "ot", 1]] },
      /^matmul_derived: the config has the knobs .*, more; this/,
    ],
    [
      "a knob twice",
      { config: [...entityAt(5), ...entityAt(5)] },
      /^matmul_derived: the config has the knobs C\.vector, .*C\.vector, /,
    ],
  ])("%s", (_, change, message) => expect(refusal(change)).toMatch(message));

  it("a config whose schedule is refused", () => {
    const on = "cuda/sm_90";
    const conv = createTask("matmul_latency", { N: 4, K: 8, M: 8 }, on);
    const refused = Array.from({ length: conv.space.size }, (_, i) => conv.space.toIndex(i)).find((i) => !conv.instantiate(i).ok);
    if (refused === undefined) throw new Error("every config of that space makes a program");
    const config = configToJson(conv.space, conv.space.get(refused)).entity;
    expect(refusal({ template: conv.name, args: conv.args, target: on, config })).toMatch(
      /^matmul_latency: this config makes no program: ./,
    );
  });

  it("and what is no fault of the claim is thrown", () => {
    const broken = {
      ...claim,
      get args(): Json {
        throw new FarmError("UNAVAILABLE", "elsewhere");
      },
    };
    expect(() => replay(broken)).toThrow("elsewhere");
  });
});
