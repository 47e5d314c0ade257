/**
 * A farm's workers and an honest user in a separate process: builders and runners that wait for as long as a job takes, and a
 * client that measures one new program after the other: built, uploaded, run, received. argv: {address, builders, slots, runners,
 * jobMs}. Answers each line {"ms"} on stdin with {latencies} of the measurements in that time.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { AsyncQueue, canonicalJson, defaultMeasureOptions, digestOf } from "@warpfarm/common";
import { connect, protocolVersion } from "@warpfarm/proto";
import { Synchronizer } from "@warpfarm/worker";
import { buildScripted } from "../../test-support/farm/script.mjs";
import { timedResult } from "../dispatch/timed-result.mjs";

const { address, builders, slots, runners, jobMs } = JSON.parse(process.argv[2]);
const target = "cpu/x86-64-v3";
const stopped = new AbortController();

function join(token, role, capacity, work) {
  const { worker, artifacts } = connect({ address, token });
  return new Promise((joined) => {
    const onEvent = (event) => event.kind === "registered" && joined(undefined);
    const registration = { node: `${role.kind}-${randomUUID()}`, labels: {}, role };
    const run = {
      registration,
      capacity: [{ device: 0, count: capacity }],
      work: (assignment) => work(assignment.job, artifacts),
    };
    void new Synchronizer({ client: worker, role: run, onEvent }).run({ signal: stopped.signal }).catch(() => {});
  });
}

async function build(job, artifacts) {
  await pause(jobMs);
  const program = job.program.digest;
  const artifact = await buildScripted({ program, target }, (bytes) => artifacts.upload(bytes));
  return { kind: "built", artifact, buildMs: jobMs, cached: false };
}

const builderFacts = {
  kind: "builder",
  slots,
  targets: [target],
  toolchains: ["scripted"],
  compilerVersion: "0",
  programVersions: [1],
};
const deviceOf = (n) => ({ key: target, name: "scripted", uuid: `scripted-${n}`, node: `runner-${n}`, driver: "none" });
await Promise.all([
  ...Array.from({ length: builders }, () => join("token-of-builders", builderFacts, slots, build)),
  ...Array.from({ length: runners }, (_, n) => {
    const devices = [{ device: 0, facts: deviceOf(n), memoryBytes: 2 ** 30, limits: { threads: 1 } }];
    return join("token-of-runners", { kind: "runner", devices, manifestVersions: [1] }, 1, async (job) => {
      await pause(jobMs);
      return { kind: "run", result: timedResult(job.artifact, deviceOf(n), Date.now()) };
    });
  }),
]);

const { farm } = connect({ address, token: "token-of-honest" });
const { sessionId } = await farm.openSession({
  requestId: randomUUID(),
  protocolVersion,
  task: "honest",
  selector: target,
  options: { ...defaultMeasureOptions("cpu"), check: "none" },
  priority: 0,
  maxInFlight: 16,
  labels: {},
});
const outgoing = new AsyncQueue(64);
outgoing.tryPush({ kind: "start", sessionId, resumeAfter: 0 });
const events = farm.measure(outgoing);
let sequence = 0;

async function measureOne() {
  const text = canonicalJson({ version: 1, kind: "schedule", target, graph: { name: randomUUID() }, intrinsics: [], trace: [] });
  const began = performance.now();
  const program = { digest: digestOf(text), bytes: Buffer.from(text) };
  outgoing.tryPush({ kind: "input", sequence: ++sequence, program: { kind: "program", program } });
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("the stream ended");
    if (value.kind !== "result") continue;
    if (value.result.kind !== "timed")
      throw new Error(
        `the honest user's measurement failed: ${"message" in value.result ? value.result.message : value.result.kind}`,
      );
    outgoing.tryPush({ kind: "receipt", receivedThrough: value.sequence, received: [] });
    return performance.now() - began;
  }
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { ms } = JSON.parse(line);
  const latencies = [];
  for (const end = performance.now() + ms; performance.now() < end; ) latencies.push(await measureOne());
  process.stdout.write(`${JSON.stringify({ latencies })}\n`);
}
stopped.abort();
process.exit(0);
