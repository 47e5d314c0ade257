import type { NodeView } from "@warpfarm/proto";
import { createTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { deviceView, fakeTracker, nodeView } from "../measure/fake-tracker.testing.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { selectorFor } from "../search/farm-there.ts";
import { oneSentence, runCli } from "./context.testing.ts";

const node = (name: string, key: string, gigabytes: number, labels: Readonly<Record<string, string>>): NodeView =>
  nodeView("runner", {
    ...{ node: name, labels },
    devices: [deviceView(key, { name: "GPU", node: name, memoryBytes: gigabytes * 1e9 + 7 })],
  });
const nodes = [
  node("a", "cuda/sm_80", 42, { use: "exclusive", site: "lab" }),
  node("b", "cuda/sm_90", 85, { use: "shared", site: "lab" }),
  node("c", "cuda/sm_90", 85, { use: "exclusive" }),
];

const farm = () => fakeTracker({ execute: () => timedResult(1), snapshot: { nodes, queues: [], sessions: [] } });
const conv = ["tutorial/conv2d_no_batching", "--args", "[1,8,8,32,16,3,3,1,1]"];

test("measure and tune ask for the devices that meet it, and for their key", async () => {
  const tracker = await farm();
  const to = ["--tracker", tracker.address];
  const said = await runCli(["measure", ...conv, ...to, "--index", "6491647", "--where", "site=lab,memory>=40GB,use=exclusive"]);
  expect([said.code, said.stderr]).toEqual([0, expect.stringContaining("waiting for a builder")]);
  expect(tracker.asked?.selector).toBe("cuda/sm_80,site=lab,memory>=40GB,use=exclusive");
  const tuned = await runCli(["tune", ...conv, ...to, "--trials", "1", "--log", "t.jsonl", "--where", "memory>=80GB"]);
  expect([tuned.code, tracker.asked?.selector]).toEqual([0, "cuda/sm_90,memory>=80GB"]);
  // Without it the farm has two keys, and one must be named.
  expect((await runCli(["tune", ...conv, ...to, "--trials", "1"])).stderr).toContain("several cuda devices");
});

test.each([
  [
    "site=moon",
    3,
    /^warpfarm measure: no device of the farm has site=moon: there are GPU of node a \(cuda\/sm_80, 42 GB, use=exclusive, site=lab\); GPU of/,
  ],
  [
    "memory>=80",
    2,
    /^warpfarm measure: --where is "memory>=80"; it takes label=value or memory>=40GB, several with commas between$/,
  ],
  ["", 2, /--where is ""; it takes/],
])("%j is refused", async (where, code, words) => {
  const { address } = await farm();
  const said = await runCli(["measure", ...conv, "--index", "1", "--tracker", address, "--where", where]);
  expect([said.code, oneSentence(said)]).toEqual([code, expect.stringMatching(words)]);
});

test("an embedded farm has nothing to choose from", async () => {
  const said = await runCli(["measure", ...conv, "--index", "1", "--where", "site=lab"]);
  expect([said.code, oneSentence(said)]).toEqual([2, expect.stringContaining("--where chooses among a farm's devices")]);
});

test("tensors of gigabytes are for devices that have them", () => {
  const devices = nodes.map(({ node: name, labels, devices: [device] }) => {
    if (!device) throw new Error("no device");
    return { key: device.facts.key, labels, memoryBytes: device.memoryBytes, limits: { name, limits: {} } };
  });
  const square = (n: number) => createTask("matmul_simt", { M: n, N: n, K: n }, "cuda/sm_80");
  expect(selectorFor({ devices }, { key: "cuda/sm_80", task: square(4_096) })).toBe("cuda/sm_80");
  // Two inputs, the output and what it is compared with: 4 * 4 * 40,000^2 bytes.
  expect(selectorFor({ devices }, { key: "cuda/sm_80", task: square(40_000) })).toBe("cuda/sm_80,memory>=25GB");
  const small = devices.map((device) => ({ ...device, memoryBytes: 24.9e9 }));
  expect(() => selectorFor({ devices: small }, { key: "cuda/sm_80", task: square(40_000) })).toThrow(
    /^no device of the farm is cuda\/sm_80,memory>=25GB: there are .*; the task's tensors take 25 GB$/,
  );
});
