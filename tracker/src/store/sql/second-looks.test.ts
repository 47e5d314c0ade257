/** Which nodes may take a second look, and in which order they are asked. */
import { toWorkerId } from "@warpfarm/common";
import { protocolVersion, type Registration } from "@warpfarm/proto";
import { beforeEach, expect, it } from "vitest";
import { freshStore } from "../../../../test-support/farm/scripted.ts";
import { defaultLeasePolicy } from "../../policy/lease.ts";
import type { Database } from "../database.ts";
import { setDrained } from "./drained.ts";
import { secondNodes } from "./second-looks.ts";
import { loseWorkers, registerWorker } from "./workers.ts";

let db: Database;
beforeEach(async () => {
  db = await freshStore();
});
const key = "cpu/x86-64-v3";
const runner = (node: string, principal: string, { name = "a CPU", key: of = key } = {}) => {
  const facts = { key: of, name, uuid: `u-${node}`, node, driver: "none" };
  const role: Registration["role"] = {
    kind: "runner",
    devices: [{ facts, device: 0, memoryBytes: 1, limits: {} }],
    manifestVersions: [1],
  };
  const id = toWorkerId(`w-${node}`);
  const registration = { protocolVersion, node, instanceId: id, labels: {}, role, principal, vouched: false };
  return registerWorker(db, id, registration, defaultLeasePolicy, 0);
};
const nodes = async (node: string) =>
  (await secondNodes(db, { deviceKey: key, deviceName: "a CPU", node })).map((each) => each.node);

it("nodes of another principal come first, whichever way their names are ordered; one's own node is none", async () => {
  await runner("b", "ada");
  await runner("a", "ada");
  await runner("d", "ada");
  await runner("c", "bob");
  await runner("e", "eve");
  expect(await nodes("b")).toEqual(["c", "e", "a", "d"]);
  expect(await nodes("c")).toEqual(["a", "b", "d", "e"]);
});

it("no node of another kind of device, none that is lost, drained or quarantined", async () => {
  await runner("first", "ada");
  await runner("name", "bob", { name: "another CPU" });
  await runner("key", "bob", { key: "cpu/x86-64-v4" });
  for (const node of ["gone", "drained", "bad", "good"]) await runner(node, "bob");
  await loseWorkers(db, 0, defaultLeasePolicy, 0, [toWorkerId("w-gone")]);
  await setDrained(db, "drained", true);
  await db.query("update workers set quarantine = 'why' where node = 'bad'");
  expect(await nodes("first")).toEqual(["good"]);
});
