/**
 * Static validity of the tutorial's template through the compiler: each config is scheduled, inferred and compared with the
 * limits, without a formula for shared memory here. Expected: the verdicts that AutoTVM logged, and counts over the whole space
 * (docs/reference/autotvm.md 1.12).
 */
import { readFileSync } from "node:fs";
import { Random } from "@warpfarm/common";
import { gpuLimits } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { createTask } from "./task.ts";

interface Trial {
  readonly no: number;
  readonly index: number;
  readonly shared_bytes: number;
  readonly threads: number;
  readonly valid: boolean;
}
const vectors: { readonly trials: readonly Trial[] } = JSON.parse(
  readFileSync(new URL("../../compiler/test/vectors/autotvm-tutorial-trials.json", import.meta.url), "utf8"),
);
const task = createTask("conv2d_nchw", undefined, "cuda/sm_90");
const autotvm = gpuLimits("autotvm");
const sm90 = gpuLimits("cuda/sm_90");

describe("the 20 trials that the tutorial prints", () => {
  it.each(
    vectors.trials.map((t) => [t.no, t] as const),
  )("No %i has the printed verdict under AutoTVM's limits, and its numbers", (_, trial) => {
    const violations = task.validate(task.space.toIndex(trial.index), autotvm);
    expect(violations.length === 0).toBe(trial.valid);
    const shared = violations.find((v) => v.rule === "gpu.shared_bytes");
    if (trial.shared_bytes > 49_152) expect(shared?.message).toContain(` is ${trial.shared_bytes}; autotvm allows 49152`);
    else expect(shared).toBeUndefined();
    // Without any room, the check names every number.
    const none = task.validate(task.space.toIndex(trial.index), { ...autotvm, sharedBytesPerBlock: 0, threadsPerBlock: 0 });
    expect(none.find((v) => v.rule === "gpu.shared_bytes")?.message).toContain(` is ${trial.shared_bytes};`);
    expect(none.find((v) => v.rule === "gpu.threads")?.message).toContain(` is ${trial.threads};`);
  });
  it("at sm_90's own limits 14 are valid: all but 4, 7, 14, 16, 17, 20", () => {
    const refused = vectors.trials.filter((t) => task.validate(task.space.toIndex(t.index), sm90).length > 0).map((t) => t.no);
    expect(refused).toEqual([4, 7, 14, 16, 17, 20]);
  });
});

describe("the whole space, unroll knobs aside", () => {
  const knobs = task.space.knobs.slice(0, 6);
  const product = (sizes: readonly number[]) => sizes.slice(1).reduce((a, b) => a * b, 1);
  interface Class {
    /** Of its first member. */
    readonly digit: number;
    readonly members: number;
  }
  /** The entries of each knob, those alike as one. */
  const classesBy = (keyOf: (sizes: readonly number[], knob: number) => string) =>
    knobs.map((knob, k) => {
      const found = new Map<string, Class>();
      for (let digit = 0; digit < knob.size; digit++) {
        const key = keyOf(knob.decode(digit) as number[], k);
        const known = found.get(key);
        found.set(key, { digit: known?.digit ?? digit, members: (known?.members ?? 0) + 1 });
      }
      return found;
    });
  /**
   * What of an entry affects shared memory: how much of its axis a block covers. What affects the threads: how many of them share
   * a spatial axis (the first three). The division of the rest between virtual threads, inner loops and blocks does not matter,
   * nor does the order of two reduction parts.
   */
  const covers = (sizes: readonly number[]) => `${product(sizes)}`;
  const threads = (sizes: readonly number[], knob: number) => (knob < 3 ? `${sizes[2]}` : "");
  const both = (sizes: readonly number[], knob: number) => `${covers(sizes)},${threads(sizes, knob)}`;
  const classes = classesBy(both);
  const sizesOf = (digits: readonly number[]) => knobs.map((knob, k) => knob.decode(digits[k] as number) as number[]);

  const letters: Record<string, string> = { "gpu.shared_bytes": "S", "gpu.threads": "T", "gpu.block_z": "Z" };
  const verdict = (digits: readonly number[], limits = autotvm) =>
    task.validate(task.space.fromDigits(digits), limits).map((v) => letters[v.rule] ?? v.rule);
  /**
   * The verdict of a config's class: shared memory from the first config that covers as much, the rest from the first with as
   * many threads.
   */
  const parts = new Map<string, readonly string[]>();
  const first = { covers: classesBy(covers), threads: classesBy(threads) };
  const part = (name: keyof typeof first, keyOf: typeof threads, digits: readonly number[], limits: typeof autotvm) => {
    const keys = sizesOf(digits).map(keyOf);
    const key = `${name} ${keys} ${limits === sm90}`;
    const made = parts.get(key) ?? verdict([...keys.map((k, i) => first[name][i]?.get(k)?.digit ?? -1), 0, 0], limits);
    parts.set(key, made);
    return made;
  };
  const verdictOfClass = (digits: readonly number[], limits = autotvm): string =>
    [
      ...part("covers", covers, digits, limits).filter((letter) => letter === "S"),
      ...part("threads", threads, digits, limits).filter((letter) => letter !== "S"),
    ].join("+");

  it("splits into 19,800 classes of configs alike: 1,600 for shared memory, 40 for threads", () => {
    const sizes = (of: typeof classes) => of.map((c) => c.size);
    expect(sizes(classes)).toEqual([55, 3, 3, 10, 2, 2]);
    expect(sizes(first.covers)).toEqual([10, 2, 2, 10, 2, 2]);
    expect(sizes(first.threads)).toEqual([10, 2, 2, 1, 1, 1]);
  });

  it("has 495,188 valid configs of 1,742,400, and each kind of failure as often as AutoTVM's rule; 54.25 % at sm_90's limits", () => {
    const counts = new Map<string, number>();
    let onSm90 = 0;
    const visit = (k: number, digits: readonly number[], members: number): void => {
      const group = classes[k];
      if (group) {
        for (const c of group.values()) visit(k + 1, [...digits, c.digit], members * c.members);
        return;
      }
      const found = verdictOfClass(digits);
      counts.set(found, (counts.get(found) ?? 0) + members);
      if (verdictOfClass(digits, sm90) === "") onSm90 += members;
    };
    visit(0, [], 1);
    expect(Object.fromEntries(counts)).toEqual({
      "": 495_188,
      S: 1_155_637,
      "S+Z": 53_463,
      "S+T+Z": 14_713,
      "S+T": 9_933,
      Z: 8_907,
      T: 2_442,
      "T+Z": 2_117,
    });
    expect((onSm90 / 1_742_400).toFixed(4)).toBe("0.5425");
  });

  it("a config's verdict is that of its class (random configs, unroll knobs included)", () => {
    const random = new Random(20_261_121);
    for (let i = 0; i < (isFull ? 2000 : 300); i++) {
      const digits = task.space.digits(task.space.random(random));
      expect(verdict(digits).join("+")).toBe(verdictOfClass(digits));
      expect(verdict(digits, sm90).join("+")).toBe(verdictOfClass(digits, sm90));
    }
  });
});
