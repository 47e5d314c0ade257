/** `tune --search FILE`: the fields of a search from a file, and flags before them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultMeasureOptions } from "@warpfarm/common";
import { expect, test } from "vitest";
import { giveUpMsOf, measureOptionsFor, pairedFor, stopRulesOf } from "../../search/spec-options.ts";
import { scratch } from "../context.testing.ts";
import { askedBy, askedWithFile } from "./asked-search.ts";

function fileOf(value: unknown): { readonly cwd: string; readonly search: string } {
  const cwd = scratch();
  writeFileSync(join(cwd, "s.json"), typeof value === "string" ? value : JSON.stringify(value));
  return { cwd, search: "s.json" };
}

test("a file gives what no flag says, field by field", async () => {
  const { cwd, search } = fileOf({
    ...{ version: 1, task: { template: "x" }, args: { N: 64 }, target: "cpu/x86-64-v3", where: "lab=a", tuner: "ga", seed: 3 },
    ...{ budget: { trials: 9, patience: 4 }, measure: { repeat: 5 } },
  });
  const { asked, flags } = await askedWithFile({ search, trials: 7, seed: 1, target: "cuda/sm_90" }, cwd);
  expect(asked).toEqual({
    ...{ tuner: "ga", seed: 1, where: "lab=a", budget: { trials: 7, patience: 4 }, measure: { repeat: 5 } },
  });
  expect(flags).toMatchObject({ args: '{"N":64}', target: "cuda/sm_90", where: "lab=a" });
  expect(await askedWithFile({ seed: 1 }, cwd)).toEqual({ asked: { seed: 1 }, flags: { seed: 1 } });
});

test("times of flags keep their length, whatever their unit, in the search and in what measures it", () => {
  const search = askedBy({ idle: 50, giveUp: 90_000, deviceTime: 1_500, wallTime: 7_200_000, rounds: 17 });
  expect(search).toEqual({
    budget: { device_time: "1500ms", wall_time: "2h", give_up: "90s" },
    finalists: { rounds: 17, idle: "50ms" },
  });
  const { budget: { device_time = "", wall_time = "", give_up = "" } = {} } = search;
  const budget = { trials: 1, device_time, wall_time, give_up };
  const finalists = search.finalists as { readonly rounds: number; readonly idle: string };
  expect(pairedFor({ count: 2, ...finalists })).toEqual({ rounds: 17, idleMs: 50, sequential: true });
  expect(stopRulesOf(budget)).toEqual({ deviceSeconds: 1.5, wallSeconds: 7200 });
  expect(giveUpMsOf(budget)).toBe(90_000);
});

test("times of measurements keep their length, whatever their unit", () => {
  const times = { min_repeat: "20ms", build_timeout: "2m", run_timeout: "3s", cooldown: "500us", cutoff: "250us" };
  expect(measureOptionsFor({ repeat: 5, ...times }, "cpu")).toEqual({
    ...defaultMeasureOptions("cpu"),
    ...{ repeat: 5, minRepeatMs: 20, buildTimeoutMs: 120_000, runTimeoutMs: 3_000, cooldownMs: 0.5, incumbent: 0.000_25 },
  });
});

test.each([
  ["{", /the file "s\.json" of --search is not JSON/],
  [{ tuners: "ga" }, /the file "s\.json" of --search: the search: tuners is no field of it; fields are version/],
  [{ budget: { trials: 0 } }, /of --search: budget\.trials: it is 0; it takes at least 1/],
])("a wrong file is refused by name: %j", async (value, message) => {
  const { cwd, search } = fileOf(value);
  await expect(askedWithFile({ search }, cwd)).rejects.toThrow(message);
  await expect(askedWithFile({ search: "no.json" }, cwd)).rejects.toThrow(
    '"no.json" of --search cannot be read: there is no such file or folder',
  );
});
