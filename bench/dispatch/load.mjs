/**
 * The load of the dispatch bench, a process of its own: clients, builders and runners over real gRPC, every one with its own
 * connection. Builders are the product's; runners and clients are lean (parties.mjs). Takes its plan as JSON in argv[2], then
 * orders as lines of JSON on stdin; answers each with `{"at":"begin"}` when it starts to count and a line with what it counted.
 *
 * A job: an input that names a built program, submitted -> leased -> result stored -> delivered -> receipt sent. `rate` unset: a
 * closed loop, each session keeps `window` inputs open. `rate` set: an open loop, inputs come evenly at that many a second, all
 * sessions together.
 */
import { setMaxListeners } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { canonicalJson, digestOf } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { Synchronizer } from "@warpfarm/worker";
import { buildScripted } from "../../test-support/farm/script.mjs";
import { quantile } from "../table.mjs";
import { Runner, resultsOfNow, Session, target } from "./parties.mjs";

// grpc-js records a stack trace for each call, a third of a call's cost here.
Error.stackTraceLimit = 0;
const { address, runners, builders, sessions: sessionPlans } = JSON.parse(process.argv[2]);
const programsEach = 8;
const dialledAtOnce = 25;

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const stopped = new AbortController();
setMaxListeners(0, stopped.signal);
const onLost = (error) => {
  if (!stopped.signal.aborted) throw error;
};
const connections = [];
const dial = () => {
  // On a busy machine a process may not run for seconds; the connection must survive that.
  const connection = connect({ address, keepalive: { timeMs: 60_000, timeoutMs: 60_000 } });
  connections.push(connection);
  return connection;
};

const ownerOfProgram = new Map();
const ownerOfArtifact = new Map();

function builder(n) {
  const { worker, artifacts } = dial();
  /** @type {import("@warpfarm/worker").WorkerRole["work"]} */
  const work = async ({ job }) => {
    if (job.kind !== "build") throw new Error(`a builder was given a job of kind ${job.kind}`);
    const { digest: program } = job.program;
    const artifact = await buildScripted({ program, target }, (bytes) => artifacts.upload(bytes));
    ownerOfArtifact.set(artifact, ownerOfProgram.get(program));
    return { kind: "built", artifact, buildMs: 1, cached: false };
  };
  /** @type {import("@warpfarm/worker").WorkerRole["registration"]} */
  const registration = {
    node: `builder-${n}`,
    labels: {},
    role: { kind: "builder", slots: 8, targets: [target], toolchains: ["scripted"], compilerVersion: "0", programVersions: [1] },
  };
  return new Promise((joined) => {
    const onEvent = (event) => event.kind === "registered" && joined(undefined);
    // A signal for each: adding a listener to a signal with a thousand listeners takes a thousand steps.
    const own = new AbortController();
    stopped.signal.addEventListener("abort", () => own.abort(stopped.signal.reason));
    const role = { registration, capacity: [{ device: 0, count: 8 }], work };
    void new Synchronizer({ client: worker, role, onEvent }).run({ signal: own.signal }).catch(onLost);
  });
}

const msOf = (artifact) => {
  const owner = ownerOfArtifact.get(artifact);
  owner.leased();
  return owner.jobMs;
};
const runner = (n) => new Runner(address, n, msOf, onLost).join();

function session(plan, n) {
  const programs = Array.from({ length: programsEach }, (_, i) => {
    const graph = { name: `p${n}-${i}` };
    const text = canonicalJson({ version: 1, kind: "schedule", target, graph, intrinsics: [], trace: [] });
    return { digest: digestOf(text), bytes: Buffer.from(text) };
  });
  const made = new Session(address, plan, programs, onLost);
  for (const { digest } of programs) ownerOfProgram.set(digest, made);
  return made;
}

const all = sessionPlans.map(session);
const sum = (f) => all.reduce((n, s) => n + f(s), 0);
const done = () => sum((s) => s.received);
async function drained() {
  while (done() < sum((s) => s.sent)) await pause(10);
}

/** Sends jobs as ordered for `warmMs`, then counts them for `ms`. */
async function load({ ms, warmMs = 2_000, rate, window, jobMs }) {
  if (jobMs !== undefined) for (const s of all) s.jobMs = jobMs;
  resultsOfNow();
  let timer;
  if (rate === undefined)
    for (const s of all) {
      s.onResult = () => s.send();
      for (let i = 0; i < window; i++) s.send();
    }
  else {
    const begin = performance.now();
    let sent = 0;
    let datedAt = begin;
    timer = setInterval(() => {
      if (performance.now() - datedAt > 200) {
        datedAt = performance.now();
        resultsOfNow();
      }
      for (const due = ((performance.now() - begin) / 1000) * rate; sent < due; sent++) all[sent % all.length].send();
    }, 1);
  }
  await pause(warmMs);
  say({ at: "begin" });
  const [before, cpuBefore, begin] = [done(), process.cpuUsage(), performance.now()];
  for (const s of all) {
    s.latencies.length = 0;
    s.dispatched.length = 0;
  }
  await pause(ms);
  const wall = (performance.now() - begin) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const quantilesOf = (name) => {
    const each = all.flatMap((s) => s[name]);
    return [0.5, 0.99].map((q) => quantile(each, q) ?? null);
  };
  const [p50, p99] = quantilesOf("latencies");
  const [leaseP50, leaseP99] = quantilesOf("dispatched");
  say({
    jobs: done() - before,
    wall,
    sent: sum((s) => s.sent),
    p50,
    p99,
    leaseP50,
    leaseP99,
    open: sum((s) => s.sent - s.received),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  });
  clearInterval(timer);
  for (const s of all) s.onResult = () => {};
  await drained();
}

const began = performance.now();
await Promise.all(all.map((s) => s.open()));
const parties = [
  ...Array.from({ length: builders }, (_, n) => () => builder(n)),
  ...Array.from({ length: runners }, (_, n) => () => runner(n)),
];
for (let at = 0; at < parties.length; at += dialledAtOnce)
  await Promise.all(parties.slice(at, at + dialledAtOnce).map((join) => join()));
await drained();
say({ at: "ready", ids: all.map(({ id }) => id), startSeconds: (performance.now() - began) / 1000 });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order.do === "end") break;
  await load(order);
}
stopped.abort(new Error("over"));
for (const connection of connections) void connection[Symbol.asyncDispose]();
process.exit(0);
