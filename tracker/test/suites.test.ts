/** Suites that a tracker keeps: claims with epochs, logs that have every byte once, cancellation, limits. */
import { randomUUID } from "node:crypto";
import { connect, type SuiteClient } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";

const { farm, undo } = useFarms();
const bytes = (text: string) => new TextEncoder().encode(text);
const suiteOf = (tasks: readonly string[], more: { readonly template?: string; readonly requestId?: string } = {}) => ({
  requestId: more.requestId ?? randomUUID(),
  name: "six",
  plan: bytes('{"a":1}'),
  tasks: tasks.map((taskId) => ({ taskId, document: bytes(`"${taskId}"`), template: more.template ?? "" })),
});
async function suites(): Promise<SuiteClient> {
  const { address } = await farm({});
  const connection = connect({ address });
  undo.push(() => connection[Symbol.asyncDispose]());
  return connection.suites;
}
const claimOf = async (client: SuiteClient, worker: string, limit = 10, templates: readonly string[] = []) =>
  client.claim({ worker, limit, templates });
const read = async (client: SuiteClient, suite: string, task: string) =>
  new TextDecoder().decode(await client.log(suite, task, 0));

it("a task is claimed by one worker; its log has every byte once, whatever is sent again", async () => {
  const client = await suites();
  const requestId = randomUUID();
  const id = await client.create(suiteOf(["a", "b", "c"], { requestId }));
  expect(await client.create(suiteOf(["a", "b", "c"], { requestId }))).toBe(id);
  const first = await claimOf(client, "w1", 2);
  expect(first?.tasks.map(({ taskId }) => taskId).sort()).toEqual(["a", "b"]);
  expect(first?.suite.tasks.map(({ document }) => new TextDecoder().decode(document))).toEqual(['"a"', '"b"']);
  expect((await claimOf(client, "w2"))?.tasks.map(({ taskId }) => taskId)).toEqual(["c"]);
  expect(await claimOf(client, "w2")).toBeUndefined();
  const epoch = first?.tasks.find(({ taskId }) => taskId === "a")?.epoch ?? 0;
  const of = { suiteId: id, taskId: "a", epoch };
  expect(await client.report({ ...of, logAt: 0, log: bytes("one\n") })).toEqual({ cancelled: false, logBytes: 4 });
  expect(await client.report({ ...of, logAt: 0, log: bytes("one\n") })).toEqual({ cancelled: false, logBytes: 4 });
  expect(await client.report({ ...of, logAt: 0, log: bytes("one\ntwo\n") })).toEqual({ cancelled: false, logBytes: 8 });
  expect(await client.report({ ...of, logAt: 8, log: bytes("three\n"), ended: "trials" })).toEqual({
    cancelled: false,
    logBytes: 14,
  });
  // A retry of the last report is no fault; anything else is.
  expect(await client.report({ ...of, logAt: 8, log: bytes("three\n"), ended: "trials" })).toEqual({
    cancelled: false,
    logBytes: 14,
  });
  await expect(client.report({ ...of, logAt: 14, log: bytes("x") })).rejects.toMatchObject({ code: "ABORTED" });
  expect(await read(client, id, "a")).toBe("one\ntwo\nthree\n");
  expect(new TextDecoder().decode(await client.log(id, "a", 6))).toBe("o\nthree\n");
  expect((await client.get(id)).tasks.map(({ taskId, ended, worker, logBytes }) => [taskId, ended, worker, logBytes])).toEqual([
    ["a", "trials", "", 14],
    ["b", "", "w1", 0],
    ["c", "", "w2", 0],
  ]);
  expect(await client.get(id)).toMatchObject({ taskCount: 3, endedCount: 1 });
});

it("another epoch, a gap and a template that the worker lacks are refused", async () => {
  const client = await suites();
  const digest = `sha256:${"1".repeat(64)}`;
  const id = await client.create(suiteOf(["t"], { template: digest }));
  expect(await claimOf(client, "w")).toBeUndefined();
  expect(await claimOf(client, "w", 1, [`sha256:${"2".repeat(64)}`])).toBeUndefined();
  const claim = await claimOf(client, "w", 1, [digest]);
  const epoch = claim?.tasks[0]?.epoch ?? 0;
  const of = { suiteId: id, taskId: "t", log: bytes("x") };
  await expect(client.report({ ...of, epoch: epoch + 1, logAt: 0 })).rejects.toMatchObject({ code: "ABORTED" });
  await expect(client.report({ ...of, epoch, logAt: 1 })).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
  await expect(client.report({ ...of, taskId: "u", epoch, logAt: 0 })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(client.get("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("a cancelled suite is not claimed any more, and says so to who holds it; Watch ends with it", async () => {
  const client = await suites();
  const id = await client.create(suiteOf(["a", "b"]));
  const claim = await claimOf(client, "w", 1);
  const seen: boolean[] = [];
  for await (const { cancelled } of client.watch(id)) {
    seen.push(cancelled);
    if (!cancelled) await client.cancel(id);
  }
  expect(seen).toEqual([false, true]);
  await client.cancel(id);
  expect(await claimOf(client, "w2")).toBeUndefined();
  const held = { suiteId: id, taskId: "a", epoch: claim?.tasks[0]?.epoch ?? 0, logAt: 0, log: bytes("last\n") };
  expect(await client.report(held)).toEqual({ cancelled: true, logBytes: 5 });
  expect(await read(client, id, "a")).toBe("last\n");
});

it("a suite that has ended is not cancelled, and stays as it is", async () => {
  const client = await suites();
  const id = await client.create(suiteOf(["a"]));
  const claim = await claimOf(client, "w", 1);
  const of = { suiteId: id, taskId: "a", epoch: claim?.tasks[0]?.epoch ?? 0, logAt: 0, log: bytes("last\n") };
  await client.report({ ...of, ended: "its trials are spent" });
  await expect(client.cancel(id)).rejects.toMatchObject({ code: "FAILED_PRECONDITION", message: /has ended/ });
  expect(await client.get(id)).toMatchObject({ cancelled: false, endedCount: 1 });
  // One that was cancelled first, and whose holder ended it then, is cancelled already.
  const second = await client.create(suiteOf(["a"]));
  const held = await claimOf(client, "w", 1);
  await client.cancel(second);
  await client.report({ ...of, suiteId: second, epoch: held?.tasks[0]?.epoch ?? 0, ended: "it was cancelled" });
  await client.cancel(second);
  expect(await client.get(second)).toMatchObject({ cancelled: true, endedCount: 1 });
});

it.each([
  [{ ...suiteOf(["a", "a"]) }, "two are named a"],
  [{ ...suiteOf([]) }, "tasks are 0"],
  [{ ...suiteOf(["a"]), name: "a b" }, 'name is "a b"'],
  [{ ...suiteOf(["a/b"]) }, "tasks[0].task_id"],
  [{ ...suiteOf(["a"], { template: "sha256:1" }) }, "tasks[0].template"],
  [{ ...suiteOf(["a"]), plan: new Uint8Array(65537) }, "plan has 65537 bytes"],
])("what is no suite is refused: %#", async (suite, words) => {
  await expect((await suites()).create(suite)).rejects.toThrow(words);
});
