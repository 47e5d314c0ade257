/**
 * What a principal has kept by the farm: suites with their logs, and records that it imported. Others are served all the same.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { Doors } from "@warpfarm/proto";
import type { TuningRecord } from "@warpfarm/records";
import { describe, expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { until } from "../../test-support/until.ts";
import type { Limits } from "../src/services/context.ts";
import { readLogOf } from "../src/store/sql/suites.ts";

const { farm } = useFarms();
/** The token is the principal's name; `boss` is an admin. */
const doors: Doors = {
  authorize: (_path, { token = "nobody" }) => ({ name: token, role: token === "boss" ? "admin" : "client" }),
};
const guarded = (limits: Partial<Limits>) => farm({ doors, limits });
const text = (bytes: number) => new TextEncoder().encode(randomBytes(bytes / 2).toString("hex"));
const suiteOf = (bytes: number) => ({
  requestId: randomUUID(),
  name: "s",
  plan: new TextEncoder().encode("{}"),
  tasks: [{ taskId: "a", document: text(bytes), template: "" }],
});
const importOf = (bytes: number): TuningRecord => ({
  id: randomUUID(),
  origin: { kind: "imported", by: "", format: "test" },
  task: "t",
  args: [],
  target: "cpu/x86-64-v3",
  result: { kind: "timed", costs: [1], checked: true },
  timestampMs: 1,
  foreign: { filler: "x".repeat(bytes), of: randomUUID() },
});

describe("suites", () => {
  it("of one principal hold so many bytes; those that are over make room, oldest first, those that go on do not", async () => {
    const { client } = await guarded({ maxSuiteBytes: 20_000 });
    const { suites } = client("greedy").tracker;
    const areThere = (...ids: readonly string[]) =>
      Promise.all(
        ids.map((id) =>
          suites.get(id).then(
            ({ suiteId }) => suiteId === id,
            () => false,
          ),
        ),
      );
    const first = await suites.create(suiteOf(8_000));
    const second = await suites.create(suiteOf(8_000));
    const refusal = await codeOf(suites.create(suiteOf(8_000)));
    expect(refusal).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringMatching(
        /^suites of greedy that go on hold 0\.0 MB, .*--quota suite_mb of this tracker allows 0\.0 MB: /,
      ),
    });
    expect(await areThere(first, second)).toEqual([true, true]);
    await client("honest").tracker.suites.create(suiteOf(8_000));
    await suites.cancel(first);
    await suites.cancel(second);
    const third = await suites.create(suiteOf(8_000));
    expect(await areThere(first, second, third)).toEqual([false, true, true]);
  });

  it("grow by their logs: what does not fit is refused, and what is there stays", async () => {
    const { client, store } = await guarded({ maxSuiteBytes: 20_000 });
    const { suites } = client("greedy").tracker;
    const over = await suites.create(suiteOf(8_000));
    await suites.cancel(over);
    const suiteId = await suites.create(suiteOf(2_000));
    let claim: Awaited<ReturnType<typeof suites.claim>>;
    // One whose answer was lost is over after some seconds.
    await until(async () => {
      claim = await suites.claim({ worker: "w", limit: 1, templates: [] });
      return claim !== undefined;
    }, "the claim");
    const of = { suiteId, taskId: "a", epoch: claim?.tasks[0]?.epoch ?? 0 };
    const log = text(12_000);
    expect(await suites.report({ ...of, logAt: 0, log })).toMatchObject({ logBytes: 12_000 });
    expect(await suites.get(suiteId)).toMatchObject({ suiteId });
    expect(await codeOf(suites.report({ ...of, logAt: 12_000, log }))).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    const more = text(4_000);
    expect(await suites.report({ ...of, logAt: 12_000, log: more })).toMatchObject({ logBytes: 16_000 });
    expect((await suites.log(suiteId, "a", 0)).length).toBe(16_000);
    const whole = Buffer.concat([log, more]);
    for (const [from, most] of [
      [0, 12_000],
      [11_990, 20],
      [12_000, 1],
      [15_999, 9],
    ] as const)
      expect(Buffer.from(await readLogOf(store, suiteId, "a", from, most))).toEqual(whole.subarray(from, from + most));
    // Nor does a suite that is over make room for its own log.
    await suites.cancel(suiteId);
    expect(await codeOf(suites.report({ ...of, logAt: 16_000, log }))).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    expect((await suites.log(suiteId, "a", 0)).length).toBe(16_000);
  });

  it("have no such limit where nobody is asked who they are", async () => {
    const { client } = await farm({ limits: { maxSuiteBytes: 1 } });
    await client().tracker.suites.create(suiteOf(8_000));
  });
});

describe("records that are imported", () => {
  it("are so many bytes of one principal, at every tracker; an admin who deletes some makes room", async () => {
    const limits = { maxImportedBytes: 10_000 };
    const one = await guarded(limits);
    const { records } = one.client("greedy").tracker;
    expect(await records.append([importOf(4_000), importOf(4_000)])).toMatchObject({ added: 2 });
    const refusal = await codeOf(records.append([importOf(4_000)]));
    expect(refusal).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringMatching(
        /^greedy imported 0\.0 MB of records and sends 0\.0 MB more; --quota import_mb of this tracker /,
      ),
    });
    expect(await one.client("honest").tracker.records.append([importOf(4_000)])).toMatchObject({ added: 1 });
    const two = await farm({ doors, limits, data: { ...one.store, [Symbol.asyncDispose]: async () => {} } });
    expect(await codeOf(two.client("greedy").tracker.records.append([importOf(4_000)]))).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    await two.client("boss").tracker.records.delete({ by: "greedy" });
    const three = await farm({ doors, limits, data: { ...one.store, [Symbol.asyncDispose]: async () => {} } });
    expect(await three.client("greedy").tracker.records.append([importOf(4_000)])).toMatchObject({ added: 1 });
  });
});

describe("streams that tell of suites", () => {
  it("are so many of one principal; one that ends makes room, and others have theirs", async () => {
    const { client } = await guarded({ maxWatches: 2 });
    const begun = async (stream: AsyncIterable<unknown>) => {
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      return iterator;
    };
    const watched = async (name: string) => {
      const { suites } = client(name).tracker;
      const suite = await suites.create(suiteOf(2_000));
      return () => begun(suites.watch(suite));
    };
    const greedy = await watched("greedy");
    await greedy();
    const second = await greedy();
    expect(await codeOf(greedy())).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: "greedy watches 2 times; --quota watches of this tracker allows 2: end some first",
    });
    await (await watched("honest"))();
    await second.return?.();
    await until(
      () =>
        greedy().then(
          () => true,
          () => false,
        ),
      "room for another",
    );
  });
});
