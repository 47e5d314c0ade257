/** tune and measure check configs against the registered limits of the devices that their session can reach. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeProgram, lowerProgram } from "@warpfarm/compiler";
import type { DeviceView, NodeView } from "@warpfarm/proto";
import { beforeEach, expect, test } from "vitest";
import { deviceView, fakeTracker, nodeView } from "../measure/fake-tracker.testing.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const node = nodeView("builder", { node: "build-1", slots: 1, targets: ["cuda/sm_90"] });
const gpu = (name: string, limits: DeviceView["limits"], more: Partial<NodeView> = {}, key = "cuda/sm_90"): NodeView =>
  nodeView("runner", { node: `node-${name}`, devices: [deviceView(key, { name, node: `node-${name}`, limits })], ...more });
const small = ["tutorial/conv2d_no_batching", "--args", "[1,8,8,32,16,3,3,1,1]", "--target", "cuda/sm_90"];

/** Bytes of shared memory that the measured kernels declare in their text. */
let shared: number[] = [];
beforeEach(() => {
  shared = [];
});

async function farm(...runners: readonly NodeView[]): Promise<string> {
  const execute = (text: string) => {
    const program = decodeProgram(Buffer.from(text));
    if (!program.ok || program.value.kind !== "schedule") throw new Error("no schedule");
    const cuda = lowerProgram(program.value, { emit: "cuda" });
    if (!cuda.ok) throw new Error(cuda.error.message);
    let bytes = 0;
    for (const [, elements] of cuda.value.matchAll(/__shared__ .*float \w+\[(\d+)\]/g)) bytes += 4 * Number(elements);
    shared.push(bytes);
    return timedResult(1 + text.length / 1e6);
  };
  return (await fakeTracker({ execute, snapshot: { nodes: [node, ...runners], queues: [], sessions: [] } })).address;
}

/** Tunes for twelve trials. Returns the measured configs. */
async function tune(address: string): Promise<readonly number[]> {
  const cwd = scratch();
  const search = ["--tuner", "random", "--trials", "12", "--log", "t.jsonl"];
  expect((await runCli(["tune", ...small, "--tracker", address, ...search], { cwd })).code).toBe(0);
  const lines = readFileSync(join(cwd, "t.jsonl"), "utf8").split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).config.index);
}

const sharedOptIn = (bytes: number) => ({ max_shared_memory_per_block_optin: bytes });
const outOfReach = [gpu("far", sharedOptIn(1), {}, "cuda/sm_80"), gpu("lost", sharedOptIn(1), { state: "LOST" })];
/** A config with 3,072 bytes, as its text shows below. */
const wide = 6_491_647;

test("a config over a limit of any device within reach is not proposed; the table rules where none is known", async () => {
  expect(await tune(await farm(gpu("a", {}), gpu("b", { multiprocessor_count: 1 }), ...outOfReach))).toContain(wide);
  expect(shared.filter((bytes) => bytes > 2_000).length).toBeGreaterThan(3);
  shared = [];
  const tight = await farm(gpu("a", sharedOptIn(2_500)), gpu("b", sharedOptIn(2_000)), ...outOfReach);
  expect(await tune(tight)).not.toContain(wide);
  expect(shared).toHaveLength(14); // the reference and the default schedule too
  expect(Math.max(...shared)).toBeLessThanOrEqual(2_000);
  expect(shared.filter((bytes) => bytes > 0).length).toBeGreaterThan(3);
});

test("measure says which limit of which node a config breaks, on an embedded farm too, and goes by --limits autotvm when told", async () => {
  const tight = await farm(gpu("a", { ...sharedOptIn(2_500), max_block_dim_z: 64 }), gpu("b", sharedOptIn(2_000)), ...outOfReach);
  const argv = ["measure", ...small, "--index", String(wide)];
  const said = await runCli([...argv, "--tracker", tight]);
  const why = 'shared memory of "conv" in bytes is 3072; b of node node-b allows 2000 [gpu.shared_bytes]';
  expect([said.code, oneSentence(said)]).toEqual([1, `warpfarm measure: config ${wide} cannot run on cuda/sm_90: ${why}`]);
  const startFarm = async () => {
    const lost = new AbortController().signal;
    return { address: tight, key: "cuda/sm_90", dataDir: "", lost, async [Symbol.asyncDispose]() {} };
  };
  const embedded = await runCli(argv, { startFarm });
  expect([embedded.code, embedded.stderr]).toEqual([1, expect.stringContaining(why)]);
  expect(shared).toEqual([]);
  expect((await runCli([...argv, "--tracker", tight, "--limits", "autotvm"])).code).toBe(0);
  expect(shared).toEqual([3_072]);
});
