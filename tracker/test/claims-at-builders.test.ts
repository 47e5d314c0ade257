/** How claims come to builders, and what is kept of them: lost builders, faults, turns, pace, limits, the collector. */
import { type Clock, type MeasureResult, systemClock } from "@warpfarm/common";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { measured, product, replaying, tokenOf } from "../../test-support/farm/claims.ts";
import { quick, useFarms } from "../../test-support/farm/farms.ts";
import { build } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { wantClaims } from "../src/store/sql/claims.ts";
import { collect } from "../src/store/sql/collect.ts";
import { bestOf, honest, opened, real, refuted, unverifiable, verified } from "./claims.testing.ts";

const { farm } = useFarms();
const open = opened(farm);

describe("builders", () => {
  it("that are gone keep results with their owners, and readers hear how many wait; the next builder replays them", async () => {
    const { hire, alice, bob, recorded, claims, tracker } = await open();
    const first = hire(build);
    const held: MeasureResult[] = [];
    await measured(bob, real.provenance, [honest(2)], { keep: "none" });
    await first.kill();
    await until(async () => (await bestOf(alice)).waiting === 0, "nothing waits");
    // Built already: no builder is needed for it to be measured.
    await measured(bob, real.provenance, [honest(2)]);
    held.push(...bob.results.values());
    await recorded(1);
    expect(held).toHaveLength(1);
    expect(await bestOf(alice)).toEqual({ seconds: [], standing: [], waiting: 1 });
    expect((await bestOf(bob)).standing).toEqual(["unverified"]);
    const metrics = await (
      await fetch(`http://127.0.0.1:${tracker.httpPort}/metrics`, { headers: { authorization: `Bearer ${tokenOf("admin")}` } })
    ).text();
    expect(metrics).toMatch(/^warpfarm_claims_waiting 1$/m);
    hire();
    await until(async () => (await claims(verified)) === 1, "the verdict");
    expect((await bestOf(alice)).standing).toEqual(["verified"]);
  });

  it("that die with a claim lose it to the next one", async () => {
    const { hire, alice, bob, claims, store, lose } = await open();
    const dying = hire(async (assignment, worker) => (assignment.job.kind === "replay" ? "keep" : replaying(assignment, worker)));
    await measured(bob, real.provenance, [honest(2)]);
    await until(() => dying.jobs.some(({ job }) => job.kind === "replay"), "it has the claim");
    expect(await claims(1)).toBe(1);
    await lose(dying);
    const next = hire();
    await until(async () => (await claims(verified)) === 1, "the verdict of the next");
    expect((await bestOf(alice)).standing).toEqual(["verified"]);
    expect(next.jobs.filter(({ job }) => job.kind === "replay")).toHaveLength(1);
    expect(await store.query("select losses, faults, avoid from claims")).toMatchObject([{ losses: 1, faults: 0 }]);
  });

  it("that are lost with it three times leave it as it is", async () => {
    const { hire, bob, claims, lose } = await open();
    for (let i = 0; i < 3; i++) {
      const dying = hire(async (assignment, worker) =>
        assignment.job.kind === "replay" ? "keep" : replaying(assignment, worker),
      );
      if (i === 0) await measured(bob, real.provenance, [honest(2)]);
      await until(() => dying.jobs.some(({ job }) => job.kind === "replay"), "it has the claim");
      await lose(dying);
    }
    await until(async () => (await claims(unverifiable)) === 1, "it is given up");
  });

  it("that cannot replay a claim in three tries leave it with its owner, for a day; the log names it", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const { hire, alice, bob, claims, store } = await open({ log });
    let tries = 0;
    hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return replaying(assignment, worker);
      tries++;
      return { kind: "fault", message: "not replayed within 1 ms", suspect: false };
    });
    await measured(bob, real.provenance, [honest(2)]);
    await until(async () => (await claims(unverifiable)) === 1, "it is given up");
    expect(tries).toBe(3);
    expect(lines.filter((line) => line.includes("unverifiable"))).toEqual([expect.stringContaining("not replayed within 1 ms")]);
    expect(await bestOf(alice)).toMatchObject({ seconds: [], waiting: 1 });
    expect((await bestOf(bob)).standing).toEqual(["unverified"]);
    const day = 24 * 3_600_000;
    await collect(store, { artifactsMs: day, requestsMs: day });
    expect(await claims(unverifiable)).toBe(1);
    await store.query("update claims set decided_at = now() - interval '25 hours'");
    await collect(store, { artifactsMs: day, requestsMs: day });
    expect(await claims(unverifiable)).toBe(0);
    // And is wanted anew by who reads.
    await bestOf(alice);
    await until(() => tries > 3, "another try");
  });

  it("hear what is claimed, and not what was measured; and do one at a time", async () => {
    let [now, most] = [0, 0];
    const { hire, bob, claims } = await open();
    const b = hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return build(assignment, worker);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 20));
      now--;
      return replaying(assignment, worker);
    });
    await measured(bob, real.provenance, [2, 3, 4, 5].map(honest));
    await until(async () => (await claims(verified)) > 0, "a verdict");
    const [job] = b.jobs.flatMap((assignment) => (assignment.job.kind === "replay" ? [assignment.job] : []));
    const told = JSON.parse(Buffer.from(job?.claim ?? "").toString());
    expect(Object.keys(told)).toEqual(["args", "config", "target", "task", "template"]);
    expect(JSON.stringify(told)).not.toContain("sha256");
    expect(most).toBe(1);
  });

  it("serve principals in turns: one's many claims do not keep another's waiting", async () => {
    const order: number[] = [];
    let open2 = () => {};
    const gate = new Promise<void>((resolve) => {
      open2 = resolve;
    });
    const small = product(8);
    const { hire, alice, bob, recorded, claims } = await open({ limits: { ...quick.limits, verifyPerSecond: 1_000 } });
    hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return build(assignment, worker);
      await gate;
      order.push((JSON.parse(Buffer.from(assignment.job.claim).toString()) as { args: number[] }).args[0] as number);
      return replaying(assignment, worker);
    });
    await measured(bob, real.provenance, [0, 1, 2, 3, 4, 5, 6, 7].map(honest));
    await measured(alice, small.provenance, [
      { program: small.programAt(1), reference: small.task.reference, config: small.configAt(1) },
    ]);
    await recorded(9);
    await until(async () => (await claims(0)) === 8, "eight wait, and one is at the builder");
    open2();
    await until(() => order.includes(8), "alice's");
    expect(order.indexOf(8)).toBeLessThanOrEqual(2);
  });

  it("go to builders at the rate of --verify-per-second", async () => {
    const slept: number[] = [];
    const sleep: Clock["sleep"] = (ms, o) => {
      slept.push(ms);
      return systemClock.sleep(Math.min(ms, 50), o);
    };
    const { hire, bob, claims } = await open({
      clock: { ...systemClock, sleep },
      limits: { ...quick.limits, verifyPerSecond: 7 },
    });
    hire();
    await measured(bob, real.provenance, [2, 3].map(honest));
    await until(async () => (await claims(verified)) > 0, "a verdict");
    expect(slept).toContain(1_000 / 7);
  });

  it("that leave hand a claim back as if never given", async () => {
    const { hire, bob, store, claims } = await open();
    const leaving = hire(async (assignment, worker) =>
      assignment.job.kind === "replay" ? "keep" : replaying(assignment, worker),
    );
    await measured(bob, real.provenance, [honest(2)]);
    await until(() => leaving.jobs.some(({ job }) => job.kind === "replay"), "it has the claim");
    await leaving.leave();
    expect(await store.query("select state, attempts, losses from claims")).toEqual([{ state: 0, attempts: 0, losses: 0 }]);
    hire();
    await until(async () => (await claims(verified)) === 1, "the verdict");
  });
});

describe("what is kept of claims", () => {
  it("is at most a thousand of a principal that wait; who reads wants further ones later", async () => {
    const { bob, store, hire, claims, recorded } = await open({ limits: { ...quick.limits, verifyPerSecond: 0 } });
    hire();
    await measured(bob, real.provenance, [honest(2)]);
    await recorded(1);
    const [row] = await store.query<{ claim: string; owner: string }>("select claim::text as claim, owner from records");
    const others =
      "insert into claims (claim, owner, state) select gen_random_uuid(), $1, $2 from generate_series(1, $3::integer)";
    await store.query(others, ["somebody else", 0, 2_000]);
    await store.query(others, [row?.owner ?? "", 0, 1_000]);
    await store.query(others, [row?.owner ?? "", verified, 1_000]);
    expect(await wantClaims(store, [row?.claim ?? ""])).toBe(0);
    await store.query("delete from claims where ctid in (select ctid from claims where owner = $1 and state = 0 limit 1)", [
      row?.owner ?? "",
    ]);
    expect(await wantClaims(store, [row?.claim ?? "", row?.claim ?? ""])).toBe(1);
    expect(await wantClaims(store, [row?.claim ?? ""])).toBe(0);
    expect(await claims(0)).toBe(3_000);
  });

  it("are verdicts for as long as a record makes the claim, and one against it for a day", async () => {
    const { bob, alice, store, hire, claims, recorded } = await open();
    hire();
    await measured(bob, real.provenance, [honest(2), { ...honest(3), config: real.configAt(4) }]);
    await recorded(2);
    await bestOf(alice);
    await until(async () => (await claims(verified)) + (await claims(refuted)) === 2, "both verdicts");
    const keep = { artifactsMs: 60_000, requestsMs: 60_000 };
    await collect(store, keep);
    expect([await claims(verified), await claims(refuted)]).toEqual([1, 1]);
    await store.query("update claims set decided_at = now() - interval '2 minutes'");
    await collect(store, keep);
    expect([await claims(verified), await claims(refuted)]).toEqual([1, 0]);
    await store.query("delete from records where standing = 2");
    await collect(store, keep);
    expect(await claims(verified)).toBe(0);
  });
});
