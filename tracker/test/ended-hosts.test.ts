/** Jobs whose workers vanish while they do them, over real loopback gRPC: after two of these nobody gets the job. */
import { describe, expect, it } from "vitest";
import { quick, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("a job's hosts", () => {
  it.each(["run", "build"] as const)("a %s that ended two hosts is not given to a third", async (kind) => {
    const { address, start, measuring } = await farm(quick);
    const ends: Answer = () => "keep";
    if (kind === "run") start(builder(address));
    const c = await measuring(1);
    for (const n of [1, 2]) {
      const host = start(kind === "run" ? runner(address, n, ends) : builder(address, ends));
      await until(() => host.jobs.length === 1, `host ${n} to have the job`);
      expect(c.results.size).toBe(0);
      await host.kill();
    }
    const third = start(kind === "run" ? runner(address, 3, ends) : builder(address, ends));
    await until(() => c.results.size === 1, "the verdict");
    expect(c.results.get(1)).toMatchObject({
      errorNo: 8,
      rule: "farm.gave_up",
      message: expect.stringContaining("2 of them by the end"),
    });
    expect(third.jobs).toEqual([]);
  });

  it("of a lost runner's jobs the one that it did is suspected, and not the one that waited there", async () => {
    const { address, store, start, client } = await farm(quick);
    start(builder(address));
    const c = client();
    await c.open();
    c.stream();
    const host = start(runner(address, 1, () => "keep", { slots: 2 }));
    for (const i of [1, 2]) {
      c.send(i, programOf(`p${i}`));
      await until(() => host.jobs.length === i, `job ${i}`);
    }
    await host.kill();
    const other = start(runner(address, 2));
    await until(() => c.results.size === 2, "the results");
    expect(other.jobs).toHaveLength(2);
    const rows = await store.query("select sequence::integer as sequence, losses, ends from requests order by sequence");
    expect(rows).toEqual([
      { sequence: 1, losses: 1, ends: 1 },
      { sequence: 2, losses: 1, ends: 0 },
    ]);
  });
});
