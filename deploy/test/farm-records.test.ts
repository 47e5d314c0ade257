/** The next search begins with the tracker's records, and a log that began so continues in the same way. */
import { readFileSync } from "node:fs";
import { connect } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { processFarm } from "./process-farm.testing.ts";

test("a search begins with the tracker's records", { timeout: 300_000 }, async (ctx) => {
  needs(ctx, "cc");
  const farm = processFarm();
  await farm.start();
  const { place: at, address } = farm;
  const quick = ["--tracker", address, "--measure", "repeat=1,min_repeat=1ms", "--finalists", "0", "--json"];
  const tune = async (n: number, log: string, trials: number, ...more: string[]) => {
    const args = `{"M": ${n}, "N": 16, "K": 16}`;
    const end = await command(at, [
      "tune",
      "matmul_derived",
      "--args",
      args,
      "--trials",
      `${trials}`,
      "--log",
      log,
      ...quick,
      ...more,
    ]);
    expect(end.code, end.stderr).toBe(0);
    return end.stderr;
  };
  await using connection = connect({ address });
  const recorded = async (n: number) => (await connection.records.query({ limit: 1000 })).records.length >= n;

  expect(await tune(64, "first.jsonl", 6)).not.toContain("warm start");
  await until(() => recorded(6), "records of the first search");

  const warm = await tune(32, "second.jsonl", 4);
  expect(warm).toMatch(/warm start: \d+ results of the farm's records, of \[64,16,16,"float32","NN"\] on /);
  expect(readFileSync(at.path("second.jsonl"), "utf8")).toContain(
    '# warpfarm {"warm_start":[{"name":"[64,16,16,\\"float32\\",\\"NN\\"] on ',
  );
  await until(() => recorded(10), "records of the second search");
  // The search continues with its first records although the farm has more now: the tuner makes the same proposals.
  const resumed = await command(at, ["tune", "--resume", "second.jsonl", "--trials", "6", "--tracker", address]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const again = resumed.stderr;
  expect(again).toMatch(/warm start: \d+ results/);
  expect(again).toContain("continuing from 4 trials");
  expect(again).not.toContain("would propose now");

  expect(await tune(32, "none.jsonl", 1, "--transfer", "none")).not.toContain("warm start");
});
