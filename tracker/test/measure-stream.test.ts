/** The Measure stream over real loopback gRPC: resumption, repetition, refusals, back-pressure. */
import { defaultMeasureOptions, type SessionId, toProgramDigest } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { describe, expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, freshStore, pause, programOf, runner, target } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import type { Database, Param } from "../src/store/database.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import type { NewInput } from "../src/store/sql/new-input.ts";
import { takeSession } from "../src/store/sql/sessions.ts";

const { farm, undo } = useFarms();

/** As in a stream's batch: programs p1, p2, ... sent as inputs 1, 2, ... */
const inputsOf =
  (session: SessionId) =>
  (stream: number, ...sequences: number[]): NewInput[] =>
    sequences.map((sequence) => {
      const { digest, bytes } = programOf(`p${sequence}`);
      const program = { digest, sent: { bytes, target, version: 1 } };
      return { session, stream, sequence, priority: 0, options: defaultMeasureOptions("cpu"), program };
    });

describe("the Measure stream", () => {
  it("resumes after a disconnect: finished work waits, nothing is measured twice, received results stay away", async () => {
    const { address, start, measuring, received } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const c = await measuring(4);
    for (const i of [1, 2, 3, 4]) await received(c, i);
    for (let i = 5; i <= 8; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.acceptedThrough === 8, "acceptance");
    await c.cut();
    await until(() => r.jobs.length === 8, "the runner to go on alone");
    c.deliveries.length = 0;
    c.stream(4);
    for (let i = 7; i <= 9; i++) c.send(i, programOf(`p${i}`)); // 7 and 8 again, as a client that lost the acknowledgement does
    await c.finish();
    expect(c.error).toBeUndefined();
    expect(c.results.size).toBe(9);
    expect(c.deliveries.filter((s) => s <= 4)).toEqual([]);
    expect(r.jobs).toHaveLength(9);
  });

  it("sends a result again until it is received", async () => {
    const { address, start, client, received } = await farm();
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    c.receipts = false;
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    c.send(2, programOf("p2"));
    await until(() => c.results.size === 2, "two results");
    await c.cut();
    c.stream();
    await until(() => c.deliveries.length === 4, "both again");
    c.raw({ kind: "receipt", receivedThrough: 1, received: [] });
    await received(c, 1);
    await c.cut();
    c.stream();
    await until(() => c.deliveries.length === 5, "the second again");
    expect(c.deliveries[4]).toBe(2);
    c.send(3, programOf("p3"));
    await until(() => c.results.size === 3, "the third");
    await c.cut();
    const before = c.deliveries.length;
    c.stream(1);
    // Receipts may also come before the results are sent again.
    c.raw({ kind: "receipt", receivedThrough: 1, received: [3] });
    c.raw({ kind: "receipt", receivedThrough: 2, received: [3] });
    await c.finish();
    expect(c.error).toBeUndefined();
    c.stream(3); // resume_after says it too
    await c.finish();
    expect(c.deliveries.length).toBeLessThanOrEqual(before + 2);
  });

  it("same sequence and content is a no-op; other content, a gap, an unknown digest are refused", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const c = await measuring(1);
    c.send(1, programOf("p1"));
    c.send(2, programOf("p1").digest);
    c.send(2, programOf("p1"));
    await until(() => c.results.size === 2, "two results");
    expect(r.jobs).toHaveLength(2);
    c.send(1, programOf("p2"));
    expect(await c.failure()).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining("sequence 1") });
    c.stream(2);
    c.send(4, programOf("p4"));
    expect(await c.failure()).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("input.sequence is 4; allowed: at most 3"),
    });
    c.stream(2);
    c.send(3, programOf("never sent").digest);
    c.send(4, programOf("p4"));
    expect(await c.failure()).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining(programOf("never sent").digest),
    });
    c.stream(2);
    await until(() => c.acceptedThrough === 2, "where it stands");
    c.send(3, programOf("p3"));
    c.send(4, programOf("p4"));
    await c.finish();
    expect(c.results.size).toBe(4);
    expect(r.jobs).toHaveLength(4);
  });

  it("back-pressure: more than max_in_flight not received is RESOURCE_EXHAUSTED; receipts make room", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    c.receipts = false;
    expect((await c.open({}, { maxInFlight: 3 })).maxInFlight).toBe(3);
    c.stream();
    for (let i = 1; i <= 3; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 3, "three results");
    c.raw({ kind: "receipt", receivedThrough: 2, received: [] });
    c.send(4, programOf("p4"));
    c.send(5, programOf("p5"));
    await until(() => c.results.size === 5, "five results");
    c.send(6, programOf("p6"));
    expect(await c.failure()).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("max_in_flight is 3"),
    });
    c.stream(5);
    await until(() => c.acceptedThrough === 5, "resumption");
    c.send(6, programOf("p6"));
    await until(() => c.results.has(6), "the sixth");
  });

  it("receipts and inputs that follow at once are taken after the store said what is there, however long that takes", async () => {
    const store = await freshStore();
    let isSlow = false;
    const data: Database = {
      ...store,
      async query<Row extends object>(sql: string, parameters?: readonly Param[]) {
        if (isSlow && sql.includes("state = 3 as done")) await pause(200);
        return store.query<Row>(sql, parameters);
      },
    };
    const { address, start, client } = await farm({ data });
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    c.receipts = false;
    await c.open({}, { maxInFlight: 3 });
    c.stream();
    for (let i = 1; i <= 3; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 3, "three results");
    await c.cut();
    isSlow = true;
    c.stream();
    c.raw({ kind: "receipt", receivedThrough: 1, received: [2, 3] });
    for (let i = 4; i <= 6; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 6 || c.error !== undefined, "six results");
    expect([c.error, c.results.size]).toEqual([undefined, 6]);
  });

  it("a newer stream takes the session over; unknown and closed sessions are NOT_FOUND", async () => {
    const { client, measuring } = await farm();
    const c = await measuring(0);
    await until(() => c.acceptedThrough === 0 && c.error === undefined, "the stream");
    c.send(1, programOf("p1"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    const other = client();
    other.session = c.session;
    other.stream();
    expect(await c.failure()).toMatchObject({ code: "ABORTED" });
    await until(() => other.acceptedThrough === 1, "the other's acceptance");
    await other.tracker.farm.closeSession(other.session as NonNullable<typeof other.session>);
    expect(await other.failure()).toMatchObject({ code: "NOT_FOUND" });
    await other.tracker.farm.closeSession(other.session as NonNullable<typeof other.session>);
    c.stream();
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND" });
  });

  it("what a stream that was taken over left waiting does not stop its successor's inputs in the same batch", async () => {
    const db = await freshStore();
    const { client } = await farm({ data: db });
    const c = client();
    const { sessionId } = await c.open();
    const [older, newer] = [
      await takeSession(db, sessionId, 60_000, undefined),
      await takeSession(db, sessionId, 60_000, undefined),
    ];
    const inputs = inputsOf(sessionId);
    const both = [...inputs(older?.stream ?? 0, 1, 2), ...inputs(newer?.stream ?? 0, 1, 2, 3)];
    const outcomes = await acceptInputs(db, both, 0);
    expect(outcomes.map((o) => o.kind)).toEqual(["taken_over", "not_tried", "accepted", "accepted", "accepted"]);
    expect(await acceptInputs(db, inputs(newer?.stream ?? 0, 4), 0)).toMatchObject([{ kind: "accepted" }]);
  });

  it("inputs stored by a try whose answer was lost are the same, and those finished meanwhile are named", async () => {
    const db = await freshStore();
    const { client } = await farm({ data: db });
    const { sessionId } = await client().open();
    const { stream = 0 } = (await takeSession(db, sessionId, 60_000, undefined)) ?? {};
    const inputs = inputsOf(sessionId)(stream, 1, 2);
    expect(await acceptInputs(db, inputs, 0)).toMatchObject([{ kind: "accepted" }, { kind: "accepted" }]);
    await db.query("update requests set state = 3, result = $1 where sequence = 2", [new Uint8Array()]);
    const again = await acceptInputs(db, [...inputs, ...inputsOf(sessionId)(stream, 3)], 0);
    expect(again).toMatchObject([{ kind: "same", finished: false }, { kind: "same", finished: true }, { kind: "accepted" }]);
  });

  it("OpenSession with the same request_id finds the same session", async () => {
    const { client } = await farm();
    const [a, b] = [client(), client()];
    await Promise.all([a.open({}, { requestId: "once" }), b.open({}, { requestId: "once" })]);
    expect(a.session).toBe(b.session);
  });

  it("programs are checked at the door: form, target, reference", async () => {
    const { client } = await farm();
    const c = client();
    await c.open({ check: "reference" });
    const refusal = async (send: () => void) => {
      c.stream();
      send();
      const { code, message } = await c.failure();
      expect(code).toBe("INVALID_ARGUMENT");
      return message;
    };
    expect(await refusal(() => c.send(1, programOf("p")))).toContain("input.reference is not set");
    expect(await refusal(() => c.send(1, programOf("p", "cpu/x86-64-v4"), programOf("r")))).toContain(
      "target cpu/x86-64-v4 does not run on",
    );
    expect(await refusal(() => c.send(1, programOf("p", "cuda/sm_90"), programOf("r")))).toContain(
      "target cuda/sm_90 does not run on",
    );
    const rubbish = { digest: toProgramDigest(`sha256:${"0".repeat(64)}`), bytes: Buffer.from("[1]") };
    expect(await refusal(() => c.send(1, rubbish, programOf("r")))).toContain("input.program: not a JSON object");
    const huge = { ...rubbish, bytes: Buffer.alloc((1 << 20) + 1) };
    expect(await refusal(() => c.send(1, huge, programOf("r")))).toContain("allowed: 1 to 1048576 bytes");
  });

  it("a client that does not read blocks nobody else", async () => {
    const { address, start, client, measuring } = await farm();
    start(builder(address));
    const log = "x".repeat(60_000);
    start(
      runner(address, 1, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        const result = {
          kind: "failed",
          errorNo: 4,
          message: "no",
          log,
          buildMs: 0,
          runMs: 0,
          timestampMs: 1,
          attempt: 1,
        } as const;
        return { kind: "run", result };
      }),
    );
    const slow = connect({ address });
    undo.push(() => slow[Symbol.asyncDispose]());
    const opener = client();
    const opened = await opener.open({}, { maxInFlight: 300 });
    const inputs = async function* () {
      yield { kind: "start", sessionId: opened.sessionId, resumeAfter: 0 } as const;
      for (let i = 1; i <= 300; i++)
        yield { kind: "input", sequence: i, program: { kind: "program", program: programOf("p") } } as const;
      await new Promise(() => {});
    };
    const events = slow.farm.measure(inputs());
    await events.next(); // and then it reads no more: 18 MB are on their way to it
    const c = await measuring(0);
    for (let i = 1; i <= 10; i++) c.send(i, programOf("p"));
    await until(() => c.results.size === 10, "the other client's results");
    await events.return?.();
  });
});
