/** `tune --search FILE`: the fields of a search from a file, and flags before them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../context.testing.ts";
import { askedWithFile } from "./asked-search.ts";

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
