/**
 * The limit of gRPC alone: a server with the tracker's interface that stores, checks and decides nothing, on bare grpc-js and
 * proto-loader. It takes the load of load.mjs, so every message is the tracker's own. Prints its port as `tracker ready
 * grpc=...`.
 */
import * as grpc from "@grpc/grpc-js";
import { digestOf } from "@warpfarm/common";
import { loadServices } from "@warpfarm/proto";

Error.stackTraceLimit = 0;
const { farm, worker, artifact } = loadServices();
const span = (seconds) => ({ seconds, nanos: 0 });
const options = {
  number: 0,
  repeat: 3,
  min_repeat: { seconds: 0, nanos: 20e6 },
  build_timeout: span(30),
  run_timeout: span(10),
  cooldown: span(0),
  l2: "L2_WARM",
  timer: "TIMER_WALL",
  check: "CHECK_NONE",
};

const artifacts = new Map();
/** @type {Record<"build" | "run", any[]>} */
const waiting = { build: [], run: [] };
const idle = { build: [], run: [] };
const leases = new Map();
const streams = new Map();
const roles = new Map();
let ids = 0;
const id = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;

function give(kind) {
  const [jobs, places] = [waiting[kind], idle[kind]];
  while (jobs.length > 0 && places.length > 0) {
    const job = jobs.shift();
    const lease_id = id();
    leases.set(lease_id, job);
    places.shift()({ lease_id, epoch: 1, ttl: span(30), ...(kind === "build" ? buildOf(job) : runOf(job)) });
  }
}
const buildOf = ({ digest, json }) => ({ build: { program_digest: digest, program: json, timeout: span(30) } });
const runOf = ({ digest }) => ({
  run: {
    device: 0,
    artifact: artifacts.get(digest),
    reference_artifact: "",
    options,
    attempt: 1,
    build_time: { seconds: 0, nanos: 1e6 },
    owner: "somebody",
  },
});

function settle({ lease_id, run, build }) {
  const job = leases.get(lease_id);
  leases.delete(lease_id);
  if (run) streams.get(job.session).write({ result: { sequence: job.sequence, result: run } });
  else {
    artifacts.set(job.digest, build.artifact);
    waiting.run.push(job);
  }
}

function synchronize(request, answer) {
  const kind = roles.get(request.worker_id);
  const acknowledged = request.outcomes.map((o) => o.lease_id);
  request.outcomes.forEach(settle);
  const reply = (assignments) =>
    answer({
      acknowledged,
      assignments,
      cancel: [],
      state: "STATE_ACTIVE",
      sequence: request.sequence,
    });
  const free = request.report_only ? 0 : request.free.reduce((n, f) => n + f.count, 0);
  if (free > 0) idle[kind].push((assignment) => reply([assignment]));
  else if (acknowledged.length > 0 || request.report_only) reply([]);
  give("build");
  give("run");
}

const server = new grpc.Server({ "grpc.max_concurrent_streams": 1024 });
server.addService(farm, {
  OpenSession: (call, done) =>
    done(null, {
      session_id: id(),
      max_in_flight: call.request.max_in_flight,
      idle_timeout: span(900),
      selector: call.request.selector,
      accepted_through: 0,
      outstanding: [],
    }),
  Measure(call) {
    let session = "";
    let through = 0;
    let told = true;
    call.on("data", ({ start, input }) => {
      if (start) {
        session = start.session_id;
        streams.set(session, call);
      }
      if (!input) return;
      const { json } = input.program;
      const digest = json ? digestOf(json) : input.program.digest;
      const job = { session, sequence: input.sequence, digest, json };
      if (json) waiting.build.push(job);
      else waiting.run.push(job);
      through = input.sequence;
      if (told)
        setImmediate(() => {
          told = true;
          call.write({ accepted: { accepted_through: through } });
        });
      told = false;
      give("build");
      give("run");
    });
  },
  CloseSession: (_call, done) => done(null, {}),
  ListNodes: (_call, done) => done(null, {}),
});
server.addService(worker, {
  Register(call, done) {
    const worker_id = id();
    roles.set(worker_id, call.request.runner ? "run" : "build");
    done(null, { worker_id, epoch: 1, lease_ttl: span(30) });
  },
  Synchronize(call) {
    call.on("data", (request) => synchronize(request, (reply) => call.write(reply)));
    call.on("end", () => call.end());
    call.on("error", () => {});
  },
});
server.addService(artifact, {
  Upload: (call, done) => {
    call.on("data", () => {});
    call.on("end", () => done(null, { stored: true }));
  },
  Download: (call) => call.end(),
  Stat: (_call, done) => done(null, { blobs: [] }),
});
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`tracker ready grpc=127.0.0.1:${port} http=none\n`);
});
process.once("SIGTERM", () => process.exit(0));
