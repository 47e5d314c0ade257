/** Whether a choice of a pack still holds, by rounds whose true times are known. */
import { toProgramDigest } from "@warpfarm/common";
import type { Finals } from "@warpfarm/records/suites";
import { expect, test } from "vitest";
import { isNamed, kernelAt, roundsOf } from "../../suite/pack.testing.ts";
import { verifiedWords, whyNot } from "./verify-pack.ts";

const [chosen, rival] = [kernelAt(0, 2), kernelAt(0, 4)];
const then = { seconds: 0.99e-6, high: 1e-6 };
/** The choice takes `seconds`, its rival twice that unless it is said. */
const rounds = (seconds: number, other = 2 * seconds) =>
  roundsOf([rival, chosen], (config) => (isNamed(config, chosen.config) ? seconds : other));
const why = (finals: Finals, device = "scripted") => whyNot({ device }, then, chosen, finals);

test("on the model of the pack a choice holds until it surely takes 5 % more than the end of its interval", () => {
  for (const seconds of [0.5e-6, 1e-6, 1.04e-6]) expect(why(rounds(seconds))).toBeUndefined();
  expect(why(rounds(1.06e-6))).toMatch(/^it takes 1\.06\d us here, and took 990\.0 ns, at most 1\.000 us$/);
  // More in the middle, and not surely.
  const noisy = rounds(1e-6);
  const wide = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 1e-6 : 1.16e-6));
  const runs = noisy.runs.map((run) => ({ ...run, costs: [wide.map((cost) => 2 * cost), wide] }));
  expect(why({ ...noisy, runs })).toBeUndefined();
});

test("counts agree with their words", () => {
  const gone = { id: "a", title: "matmul_mma [4]", device: "d", why: "it is slow" };
  const words = (measured: number, no_longer: readonly (typeof gone)[]) =>
    verifiedWords({ devices: ["d"], left_out: 1, measured, no_longer } as never, "p").split("\n")[0];
  expect(verifiedWords({ devices: ["d"], left_out: 0, measured: 1, no_longer: [gone] }, "p")).toMatch(
    /\n {2}matmul_mma \[4\] on d: it is slow\n$/,
  );
  const left = "; 1 bucket of a library or without a kernel left out";
  expect([words(1, []), words(3, []), words(2, [gone]), words(1, [gone])]).toEqual([
    `p on d: 1 of 1 choice holds${left}`,
    `p on d: 3 of 3 choices hold${left}`,
    `p on d: 1 of 2 choices holds${left}`,
    `p on d: 0 of 1 choice holds${left}`,
  ]);
});

test("on another model its time is compared with nothing but the others' there", () => {
  expect(why(rounds(9e-6), "another model")).toBeUndefined();
  expect(why(rounds(9e-6, 8.8e-6), "another model")).toMatch(/ is faster: the choice takes 1\.02\d to 1\.02\d times its time$/);
  expect(why(rounds(1e-6, 0.9999e-6))).toBeUndefined();
});

test("a choice that does not run does not hold, and where all are one program it does", () => {
  const gone = { config: chosen.config, program: toProgramDigest(chosen.program), message: "out of memory" };
  expect(why({ ...rounds(1e-6), failed: [gone], runs: [] })).toBe("the choice does not run: out of memory");
  expect(why({ ...rounds(1e-6), runs: [] })).toBeUndefined();
});
