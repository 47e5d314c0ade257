/**
 * The load of the dispatch bench, a process of its own: clients, one builder and runners over real gRPC, every runner with its own
 * connection and the product's own side of the protocol. What a device would do is a timer. Takes its plan as JSON in argv[2], prints
 * the outcome as one line of JSON.
 *
 * A job: an input that names a built program, submitted -> leased -> result stored -> delivered -> receipt sent. Closed loop: each
 * session keeps `window` inputs open. With `rate` set it is an open loop: inputs come evenly at that many a second, all sessions together.
 */
import { setMaxListeners } from "node:events";
import { AsyncQueue, canonicalJson, defaultMeasureOptions, digestOf } from "@warpfarm/common";
import { connect, encodeManifest, protocolVersion, Synchronizer } from "@warpfarm/proto";

// grpc-js records where each call was made, a third of what a call costs here.
Error.stackTraceLimit = 0;
const plan = JSON.parse(process.argv[2]);
const { address, runners, sessions, window, jobs: wanted, warmJobs, maxSeconds, rate, jobMs } = plan;
const target = "cpu/x86-64-v3";
const PROGRAMS = 32;

const programs = Array.from({ length: PROGRAMS }, (_, i) => {
  const text = canonicalJson({ version: 1, kind: "schedule", target, graph: { name: `p${i}` }, intrinsics: [], trace: [] });
  return { digest: digestOf(text), bytes: Buffer.from(text) };
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stopped = new AbortController();
setMaxListeners(0, stopped.signal);
const connections = [];
const dial = () => {
  const connection = connect({ address });
  connections.push(connection);
  return connection;
};

function builder() {
  const { worker, artifacts } = dial();
  const work = async ({ job }) => {
    const code = await artifacts.upload(Buffer.from(`code of ${job.program.digest}`));
    const { bytes, digest } = encodeManifest({
      version: 1,
      program: job.program.digest,
      target,
      format: "so",
      code,
      kernels: [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
      buffers: [],
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "scripted",
      notes: [],
    });
    await artifacts.upload(bytes);
    return { kind: "built", artifact: digest, buildMs: 1, cached: false };
  };
  const facts = { kind: "builder", slots: 8, targets: [target], toolchains: ["scripted"], compilerVersion: "0" };
  const role = { registration: { node: "load", labels: {}, role: facts }, capacity: [{ device: 0, count: 8 }], work };
  return new Synchronizer({ client: worker, role }).run({ signal: stopped.signal });
}

function runner(n) {
  const { worker } = dial();
  const facts = { key: target, name: "scripted", uuid: `scripted-${process.pid}-${n}`, node: "load", driver: "none" };
  const work = async ({ job }) => {
    if (jobMs > 0) await pause(jobMs);
    const result = {
      kind: "timed",
      costs: [0.001, 0.0011, 0.0012],
      number: 10,
      busyMs: jobMs,
      checked: true,
      device: facts,
      observations: {},
      artifact: job.artifact,
      buildMs: job.buildMs,
      runMs: jobMs,
      timestampMs: 1_750_000_000_000,
      attempt: job.attempt,
    };
    return { kind: "run", result };
  };
  const role = {
    registration: {
      node: `load-${n}`,
      labels: {},
      role: { kind: "runner", devices: [{ device: 0, facts, memoryBytes: 2 ** 30, limits: { threads: 1 } }] },
    },
    capacity: [{ device: 0, count: 1 }],
    work,
  };
  return new Synchronizer({ client: worker, role }).run({ signal: stopped.signal });
}

class Session {
  sent = 0;
  received = 0;
  latencies = [];
  #at = new Map();
  #outgoing = new AsyncQueue(100_000);
  onResult = () => {};

  async open() {
    this.farm = dial().farm;
    const { sessionId } = await this.farm.openSession({
      requestId: crypto.randomUUID(),
      protocolVersion,
      task: "load",
      selector: target,
      options: { ...defaultMeasureOptions("cpu"), check: "none" },
      priority: 0,
      maxInFlight: 1024,
      labels: {},
    });
    this.#outgoing.tryPush({ kind: "start", sessionId, resumeAfter: 0 });
    this.reading = this.#read().catch((error) => {
      if (!stopped.signal.aborted) throw error;
    });
    return this;
  }
  send(whole) {
    const program = programs[this.sent % PROGRAMS];
    const sequence = ++this.sent;
    this.#at.set(sequence, performance.now());
    const reference = whole ? { kind: "program", program } : { kind: "digest", digest: program.digest };
    this.#outgoing.tryPush({ kind: "input", sequence, program: reference });
  }
  async #read() {
    for await (const event of this.farm.measure(this.#outgoing, { signal: stopped.signal })) {
      if (event.kind !== "result") continue;
      if (event.result.kind !== "timed") throw new Error(`a job failed: ${event.result.message}`);
      const { sequence } = event;
      this.latencies.push(performance.now() - this.#at.get(sequence));
      if (!this.#at.delete(sequence)) throw new Error(`sequence ${sequence} came twice`);
      this.received++;
      this.#outgoing.tryPush({ kind: "receipt", receivedThrough: 0, received: [sequence] });
      this.onResult();
    }
  }
}

const all = await Promise.all(Array.from({ length: sessions }, () => new Session().open()));
const parties = [builder()];
for (let i = 0; i < runners; i++) {
  parties.push(runner(i));
  if (i % 50 === 49) await pause(20);
}
for (let i = 0; i < PROGRAMS; i++) all[0].send(true);
while (all[0].received < PROGRAMS) await pause(10);

const done = () => all.reduce((n, s) => n + s.received, 0);
if (rate > 0) {
  const begin = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - begin) / 1000) * rate; sent < due; sent++) all[sent % sessions].send(false);
  }, 2);
  stopped.signal.addEventListener("abort", () => clearInterval(timer));
} else {
  for (const s of all) {
    s.onResult = () => s.send(false);
    for (let i = 0; i < window; i++) s.send(false);
  }
}
/** Waits until `count` more jobs are done, or for `maxSeconds`. */
async function doneWith(count) {
  const goal = done() + count;
  const end = performance.now() + maxSeconds * 1000;
  while (done() < goal && performance.now() < end) await pause(5);
}
await doneWith(warmJobs);
process.stdout.write("measuring\n");
const before = done();
const cpuBefore = process.cpuUsage();
const begin = performance.now();
for (const s of all) s.latencies.length = 0;
await doneWith(wanted);
const wall = (performance.now() - begin) / 1000;
const jobs = done() - before;
const cpu = process.cpuUsage(cpuBefore);
const latencies = all.flatMap((s) => s.latencies).sort((a, b) => a - b);
const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(q * latencies.length))] ?? null;
process.stdout.write(
  `${JSON.stringify({
    jobs,
    wall,
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  })}\n`,
);
stopped.abort(new Error("over"));
for (const connection of connections) void connection[Symbol.asyncDispose]();
await Promise.race([Promise.allSettled(parties), pause(1_000)]);
process.exit(0);
