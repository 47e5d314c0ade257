/** The pack at the end of a suite: rounds with the baseline that are kept are not measured again, and what is kept is said. */
import { join } from "node:path";
import { type Bucket, digestOfChoices } from "@warpfarm/records/packs";
import { expect, it } from "vitest";
import { isNamed, kernelAt, roundsOf, suiteIn } from "../../suite/pack.testing.ts";
import { appendRounds, packIn } from "../../suite/pack-folder.ts";
import type { SuiteBaseline } from "../../suite/plan.ts";
import { scratch } from "../context.testing.ts";
import { keepPack } from "./keep-pack.ts";

it("measures nothing that has met the baseline, and says what the baseline keeps and why", async () => {
  const [winner, other] = [kernelAt(0, 2), kernelAt(0, 3)];
  const baseline: SuiteBaseline = {
    name: "last month",
    of: {
      t0: { kind: "config", ...other },
      t1: { kind: "library", seconds: 4e-7, margin: 0.02 },
      t2: { kind: "config", ...kernelAt(2, 2) },
    },
  };
  const folder = join(scratch(), "run");
  const directory = await suiteIn(folder, [[1e-6, 3e-6], [1e-6], [1e-6]], { baseline });
  const [bucket] = (await packIn(directory, "run")).choices.buckets as readonly [Bucket];
  await appendRounds(
    directory,
    bucket,
    roundsOf([winner, other], (config) => (isNamed(config, winner.config) ? 2e-6 : 1e-6)),
  );
  const said: string[] = [];
  // Whatever it measured, it would ask for a farm.
  await keepPack(
    { stderr: { write: (text: string) => said.push(text) } } as never,
    undefined as never,
    directory,
    undefined as never,
  );
  const pack = await packIn(directory, "run");
  expect(pack.choices.buckets.map(({ choice }) => (choice.kind === "config" ? choice.program : choice.kind))).toEqual([
    other.program,
    "library",
    kernelAt(2, 2).program,
  ]);
  expect(said.join("").replace(/(of its time) \[.*\]/, "$1 [...]")).toBe(
    [
      "0 of 3 buckets beat the baseline (last month) by more than noise:",
      '  matmul_derived [4,16,8,"float32","NN"] on scripted keeps the baseline: the winner takes 200.0 % of its time [...]',
      '  matmul_derived [8,16,8,"float32","NN"] on scripted keeps the baseline: no kernel is faster than its 0.4000 us by more than 2.0 %, unpaired',
      '  matmul_derived [16,16,8,"float32","NN"] on scripted keeps the baseline: the winner is the baseline',
      `choices ${digestOfChoices(pack.choices)} of 3 buckets in ${folder}`,
      "",
    ].join("\n"),
  );
});
