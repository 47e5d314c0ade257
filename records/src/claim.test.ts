import { expect, it } from "vitest";
import { claimOf, firstStanding } from "./claim.ts";
import { standings } from "./standing.ts";
import type { TuningRecord } from "./tuning-record.ts";

it("a built-in template may have a version, a number; one of a user's file, whose version is a digest, is replayed by nobody", () => {
  const config = { code_hash: null, entity: [["tile", "ot", 1]] as const };
  const record = { origin: { kind: "measured", by: "ada" }, task: "t", template: "t", args: [1], target: "cuda/sm_90", config };
  const of = (templateVersion?: string) =>
    claimOf({
      ...record,
      program: "p",
      ...(templateVersion === undefined ? {} : { templateVersion }),
    } as unknown as TuningRecord);
  const claim = { task: "t", template: "t", args: [1], config: [["tile", "ot", 1]], target: "cuda/sm_90", program: "p" };
  for (const version of [undefined, "2", "10"]) expect(of(version)).toMatchObject(claim);
  for (const version of [`sha256:${"0".repeat(64)}`, "sha256:1", "", "2a"]) expect(of(version)).toBeUndefined();
});

it("only what a builder can replay by itself waits for one: not a program without a config, nor a private record", () => {
  const config = { code_hash: null, entity: [["tile", "ot", 1]] as const };
  const record = {
    origin: { kind: "measured", by: "ada" },
    task: "t",
    template: "t",
    args: [1],
    target: "cuda/sm_90",
    program: "p",
  };
  const of = (more: object) => firstStanding({ ...record, ...more } as unknown as TuningRecord);
  expect([of({ config }), of({}), of({ config, private: true }), of({ config, template: undefined })]).toEqual([
    standings.offered,
    standings.own,
    standings.own,
    standings.own,
  ]);
});
