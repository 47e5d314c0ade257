/** Builders that vanish or lie, over real loopback gRPC: where their builds go. */
import { toDigest } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { quick, useFarms } from "../../test-support/farm/farms.ts";
import { build, builder, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("builders", () => {
  it("a builder killed while building: the build goes to another", async () => {
    const { address, start, measuring } = await farm(quick);
    const first = start(builder(address, () => "keep"));
    start(runner(address, 1));
    const c = await measuring(1);
    await until(() => first.jobs.length === 1, "the first builder to have it");
    await first.kill();
    start(builder(address));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
  });

  it("a builder that names what it did not upload is at fault, not the program", async () => {
    const { address, start, measuring } = await farm(quick);
    let lies = 0;
    start(
      builder(address, (assignment, worker) => {
        if (lies++ > 0) return build(assignment, worker);
        return { kind: "built", artifact: toDigest(`sha256:${"1".repeat(64)}`) as never, buildMs: 1, cached: false };
      }),
    );
    start(runner(address, 1));
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
    expect(lies).toBe(2);
  });
});
