/**
 * Whether the lean runner of the load (parties.mjs) says what the product's Synchronizer says: both are led through the same jobs
 * by the same scripted tracker over real gRPC, and what it decoded of each is compared, field by field. Prints how much it
 * compared; status 1 when anything differs.
 *
 *   node bench/dispatch/check.mjs
 */
import { isDeepStrictEqual } from "node:util";
import { defaultMeasureOptions, toArtifactDigest, toWorkerId } from "@warpfarm/common";
import { connect, registeredToWire, registrationFromWire, serve } from "@warpfarm/proto";
import { Synchronizer } from "@warpfarm/worker";
import { Runner, target } from "./parties.mjs";
import { timedResult } from "./timed-result.mjs";

const artifact = toArtifactDigest(`sha256:${"a".repeat(64)}`);
/** Longer than a call that names a running job waits, so such a call is sent too. */
const longMs = 120;
const jobs = { short: 0, long: longMs, last: 0 };

/** A tracker that gives these jobs one after the other, and acknowledges only the first, as an older one would. */
async function led(start) {
  /** @type {{ registration: object | undefined, requests: any[] }} */
  const heard = { registration: undefined, requests: [] };
  const left = Object.keys(jobs);
  let release = () => {};
  let over = () => {};
  const done = new Promise((resolve) => {
    over = () => resolve(undefined);
  });
  const nothing = { acknowledged: [], assignments: [], cancel: [], state: "active" };
  const assignmentOf = (leaseId) => ({
    leaseId,
    epoch: 3,
    ttlMs: 30_000,
    job: {
      kind: "run",
      device: 0,
      artifact,
      options: { ...defaultMeasureOptions("cpu"), check: "none" },
      attempt: 1,
      buildMs: 1,
      queueMs: 0,
      owner: "somebody",
    },
  });
  const replyTo = async (request) => {
    heard.requests.push(request);
    release();
    const acknowledged = request.outcomes.map((o) => o.leaseId);
    if (acknowledged.includes("last")) over();
    const isFree = request.free.some((f) => f.count > 0);
    if (!isFree || acknowledged.includes("last"))
      await new Promise((resolve) => {
        release = () => resolve(undefined);
      });
    const next = isFree && !acknowledged.includes("short") ? left.shift() : undefined;
    return { ...nothing, acknowledged, assignments: next ? [assignmentOf(next)] : [] };
  };
  const register = async (wire) => {
    const { instanceId, ...registration } = registrationFromWire(wire);
    heard.registration = registration;
    return registeredToWire({
      workerId: toWorkerId("w-1"),
      epoch: 3,
      leaseTtlMs: 30_000,
      secret: Buffer.alloc(32),
    });
  };
  const synchronize = (request, _context, answer) => void replyTo(request).then((reply) => answer.reply(reply));
  const server = await serve({ worker: { Register: register, synchronize } }, { listen: "127.0.0.1:0" });
  const stop = await start(`127.0.0.1:${server.port}`);
  await done;
  await stop();
  await server.close(0);
  // The leave-taking is no part of a load.
  return { ...heard, requests: heard.requests.slice(0, heard.requests.findIndex((r) => r.outcomes[0]?.leaseId === "last") + 1) };
}

const facts = { key: target, name: "scripted", uuid: "scripted-7", node: "runner-7", driver: "none" };
const product = await led(async (address) => {
  const connection = connect({ address });
  const stopped = new AbortController();
  const devices = [{ device: 0, facts, memoryBytes: 2 ** 30, limits: { threads: 1 } }];
  /** @type {import("@warpfarm/worker").WorkerRole["work"]} */
  const work = async ({ leaseId }) => {
    if (jobs[leaseId] > 0) await new Promise((resolve) => setTimeout(resolve, jobs[leaseId]));
    return { kind: "run", result: timedResult(artifact, facts) };
  };
  /** @type {import("@warpfarm/worker").WorkerRole["registration"]} */
  const registration = { node: facts.node, labels: {}, role: { kind: "runner", devices, manifestVersions: [1] } };
  const role = { registration, capacity: [{ device: 0, count: 1 }], work };
  const running = new Synchronizer({ client: connection.worker, role }).run({ signal: stopped.signal });
  return async () => {
    stopped.abort(new Error("over"));
    await running.catch(() => {});
    await connection[Symbol.asyncDispose]();
  };
});
const order = Object.values(jobs);
const lean = await led(async (address) => {
  const runner = new Runner(
    address,
    7,
    () => order.shift() ?? 0,
    () => {},
  );
  await runner.join();
  return async () => runner.close();
});

if (!isDeepStrictEqual(lean, product)) {
  console.error("product:", JSON.stringify(product, null, 1), "\nlean:", JSON.stringify(lean, null, 1));
  process.exit(1);
}
console.log(`the lean runner said what the product's says: a registration and ${product.requests.length} calls`);
process.exit(0);
