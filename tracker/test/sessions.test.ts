/** Sessions over real loopback gRPC: fair shares, going on in a next process, expiry. */
import { defaultMeasureOptions, toSessionId } from "@warpfarm/common";
import { connect, type Doors, protocolVersion } from "@warpfarm/proto";
import { describe, expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { builder, pause, programOf, runner, runOf, target, timed } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("sessions", () => {
  it("share workers; a higher priority goes first", async () => {
    const { address, start, client } = await farm();
    const order: string[] = [];
    start(builder(address));
    const clients = await Promise.all(
      [0, 0, 5].map(async (priority, i) => {
        const c = client();
        await c.open({ cooldownMs: i }, { priority });
        c.stream();
        for (let s = 1; s <= 6; s++) c.send(s, programOf("shared"));
        await until(() => c.acceptedThrough === 6, "acceptance");
        return c;
      }),
    );
    const [first] = clients;
    for (;;) {
      const queues = (await first?.tracker.farm.listNodes())?.queues;
      if (queues?.[0]?.waitingRuns === 18) break;
      await pause(20);
    }
    start(
      runner(address, 1, (given) => {
        order.push("abc"[runOf(given).options.cooldownMs] ?? "?");
        return timed(given);
      }),
    );
    for (const c of clients) await c.finish();
    expect(order.slice(0, 6).join("")).toBe("cccccc");
    // By device time, and these jobs are all but equal: each is served before the other is half done.
    for (const name of ["a", "b"]) expect(order.slice(6, 10)).toContain(name);
  });

  it("go on for a client's next process: all that was accepted is done meanwhile, told by program and measured once", async () => {
    const { address, start, client, received } = await farm();
    const c = client();
    const first = await c.open({ check: "reference" }, { maxInFlight: 8 });
    expect(first).toMatchObject({ acceptedThrough: 0, outstanding: [] });
    c.stream();
    const reference = programOf("reference");
    const input = (sequence: number) => ({ sequence, program: programOf(`p${sequence}`).digest, reference: reference.digest });
    c.send(1, programOf("p1"), reference);
    const b = start(builder(address));
    const r = start(runner(address, 1));
    await received(c, 1);
    c.receipts = false;
    for (let i = 2; i <= 8; i++) c.send(i, programOf(`p${i}`), reference);
    await until(() => c.acceptedThrough === 8, "acceptance");
    await c.cut();

    const again = client();
    again.receipts = false;
    const continues = first.sessionId;
    const second = await again.open({ check: "reference" }, { maxInFlight: 9, continues, requestId: "next-process" });
    expect(second).toMatchObject({ sessionId: continues, maxInFlight: 9, acceptedThrough: 8 });
    expect(second.outstanding).toEqual([2, 3, 4, 5, 6, 7, 8].map(input));
    await until(() => r.acknowledged.length === 8, "the farm to go on with nobody there");
    // The answer was lost: the same request finds the same session and tells the same.
    expect(await again.open({ check: "reference" }, { maxInFlight: 9, continues, requestId: "next-process" })).toEqual(second);
    again.stream(1);
    for (let i = 9; i <= 10; i++) again.send(i, programOf(`p${i}`), reference); // the wider window holds
    await again.finish();
    expect(again.error).toBeUndefined();
    expect([...again.results.keys()].sort((x, y) => x - y)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(r.jobs).toHaveLength(10);
    expect(b.jobs).toHaveLength(11);
  });

  it("go on only as what they are: another selector, other options or an unknown id open a new one; older streams are fenced off", async () => {
    const { client } = await farm();
    const c = client();
    const { sessionId: continues } = await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    const next = client();
    const ids = [
      await next.open({ repeat: 7 }, { continues }),
      await next.open({}, { continues, selector: "cpu/x86-64-v2" }),
      await next.open({}, { continues: toSessionId("nobody") }),
    ].map(({ sessionId, acceptedThrough, outstanding }) => {
      expect({ acceptedThrough, outstanding }).toEqual({ acceptedThrough: 0, outstanding: [] });
      return sessionId;
    });
    expect(new Set([continues, ...ids]).size).toBe(4);
    expect(c.error).toBeUndefined();
    expect((await next.open({}, { continues })).outstanding).toEqual([{ sequence: 1, program: programOf("p1").digest }]);
    c.send(2, programOf("p2"));
    expect(await c.failure()).toMatchObject({ code: "ABORTED" });
  });

  it("are so many at most; one that is there is found again all the same", async () => {
    const { client } = await farm({ limits: { maxSessions: 2 } });
    const c = client();
    await c.open({}, { requestId: "one" });
    const { sessionId } = await c.open({}, { requestId: "two" });
    expect(await codeOf(c.open({}, { requestId: "three" }))).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message:
        "2 sessions are open; this tracker keeps at most 2: wait until one ends, or have an admin end one (warpfarm sessions)",
    });
    expect((await c.open({}, { requestId: "two" })).sessionId).toBe(sessionId);
  });

  it("of one principal are at most its quota, also when it opens many at once; others open theirs", async () => {
    const doors: Doors = { authorize: (_, { token = "" }) => ({ name: token, role: "client" }) };
    const limits = { maxOwnSessions: 3 };
    const { address } = await farm({ doors, limits });
    const open = async (token: string, n: number) => {
      await using tracker = connect({ address, token });
      const request = {
        protocolVersion,
        task: "t",
        selector: target,
        options: defaultMeasureOptions("cpu"),
        priority: 0,
        labels: {},
      };
      return (await tracker.farm.openSession({ ...request, requestId: `request-${n}`, maxInFlight: 1 })).sessionId;
    };
    const flood = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => open("greedy", n)));
    const made = flood.filter((f) => f.status === "fulfilled");
    expect(made).toHaveLength(3);
    expect(await codeOf(open("greedy", 99))).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringMatching(/^greedy has 3 open sessions; --quota sessions of this tracker allows 3: /),
    });
    expect(await open("greedy", flood.indexOf(made[0] as (typeof flood)[number]))).toBe(made[0]?.value); // there already
    expect(await open("honest", 1)).toBeTypeOf("string");
    // One that is cancelled makes room at once, as one that is closed does, though a refusal is remembered for a moment.
    expect(await codeOf(open("greedy", 99))).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    await using greedy = connect({ address, token: "greedy" });
    await greedy.admin.cancelSession(toSessionId(made[0]?.value ?? ""), "");
    expect(await open("greedy", 100)).toBeTypeOf("string");
  });

  it("are as many as there is room for where nobody is asked who they are", async () => {
    const { client } = await farm({ limits: { maxOwnSessions: 3 } });
    const c = client();
    for (let n = 0; n < 5; n++) await c.open({}, { requestId: `local-${n}` });
  });

  it("expire when nobody comes back, and their work with them", async () => {
    const { address, start, measuring, look, store } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    await c.cut();
    const streaming = async () => (await c.tracker.admin.listSessions()).map((s) => s.streaming);
    await until(async () => (await streaming())[0] === false, "its end");
    await look();
    expect([r.cancelled.length, await streaming()]).toEqual([0, [false]]); // it outlives its stream
    await store.query("update sessions set expires_at = now()"); // for so long
    await until(() => r.cancelled.length === 1, "the cancellation");
    c.stream();
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND" });
  });
});
