/**
 * A process of scripted builders and runners, each with its own connection and the product's own side of the protocol. What a
 * compiler or a device would do is a wait and script.mjs's answer. Takes its plan as JSON in argv[2]; says "ready" once all are
 * registered; writes one line into the journal before each build and each execution, and ends when its stdin does.
 */

import { setMaxListeners } from "node:events";
import { appendFileSync } from "node:fs";
import { measureErrorNo, systemClock, toDigest } from "@warpfarm/common";
import { connect, decodeManifest } from "@warpfarm/proto";
import { Synchronizer } from "@warpfarm/worker";
import { buildScripted, millisecondsOf, verdictOf } from "./script.mjs";

const plan = JSON.parse(process.argv[2]);
const {
  name,
  addresses,
  builders = 0,
  slots = 2,
  runners = 0,
  labels = {},
  target = "cpu/x86-64-v1",
  journal,
  jobMs = [2, 8],
  buildMs = [1, 4],
  keepalive,
} = plan;
const stopped = new AbortController();
setMaxListeners(0, stopped.signal);

const note = (what, worker, program, attempt) =>
  // The entry begins with a newline, because kill -9 may have cut off the entry before it at the end of a page.
  appendFileSync(journal, `\n${JSON.stringify({ what, worker, program, attempt, pid: process.pid, at: systemClock.now() })}\n`);
const patience = keepalive ? { keepalive, connectMs: 2 * keepalive.timeMs } : {};
const dial = (i) => connect({ address: addresses[i % addresses.length], ...patience });

async function upload(artifacts, bytes, signal) {
  for (;;)
    try {
      return await artifacts.upload(bytes, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!error.retryable) throw error;
      await systemClock.sleep(100, { signal });
    }
}

function builder(i) {
  const worker = `${name}-builder-${i}`;
  const { worker: client, artifacts } = dial(i);
  const work = async ({ job }, { signal, begin }) => {
    const { digest } = job.program;
    begin();
    note("build", worker, digest, 0);
    await systemClock.sleep(millisecondsOf(digest, buildMs), { signal });
    const verdict = verdictOf(digest);
    const isReference = JSON.parse(Buffer.from(job.program.bytes).toString()).graph.name.endsWith("/0");
    if (verdict.at === "build" && !isReference) {
      const { errorNo, message } = verdict;
      const result = {
        kind: "failed",
        errorNo,
        rule: "script",
        message,
        buildMs: 1,
        runMs: 0,
        timestampMs: systemClock.now(),
        attempt: 1,
      };
      return { kind: "build_failed", result, buildMs: 1, cached: false };
    }
    const artifact = await buildScripted({ program: digest, target }, (bytes) => upload(artifacts, bytes, signal));
    return { kind: "built", artifact, buildMs: 1, cached: false };
  };
  const facts = {
    kind: "builder",
    slots,
    targets: [target],
    toolchains: ["scripted"],
    compilerVersion: "0",
    programVersions: [1],
  };
  return {
    client,
    role: { registration: { node: name, labels: {}, role: facts }, capacity: [{ device: 0, count: slots }], work },
  };
}

function runner(i) {
  const worker = `${name}-runner-${i}`;
  const { worker: client, artifacts } = dial(i);
  const facts = { key: target, name: "scripted", uuid: worker, node: name, driver: "none" };
  /** The program an artifact was built from, read from the artifact itself. */
  const programOf = async (artifact, signal) => {
    for (;;)
      try {
        const manifest = decodeManifest(await artifacts.download(artifact, { signal }));
        if (!manifest.ok) throw new Error(manifest.error.message);
        const code = await artifacts.download(toDigest(manifest.value.code), { signal });
        const { program } = manifest.value;
        if (Buffer.from(code).toString() !== `code of ${program}`) throw new Error(`${artifact} has the code of another program`);
        return program;
      } catch (error) {
        signal.throwIfAborted();
        if (!error.retryable) throw error;
        await systemClock.sleep(100, { signal });
      }
  };
  const work = async ({ job }, { signal, begin }) => {
    const program = await programOf(job.artifact, signal);
    begin();
    note("run", worker, program, job.attempt);
    const runMs = millisecondsOf(program, jobMs);
    await systemClock.sleep(runMs, { signal });
    const verdict = verdictOf(program);
    const common = { device: facts, buildMs: job.buildMs, runMs, timestampMs: systemClock.now(), attempt: job.attempt };
    if (verdict.at === "run") {
      const { errorNo, message } = verdict;
      return { kind: "run", result: { kind: "failed", errorNo, rule: "script", message, ...common } };
    }
    const costs = [verdict.at === "end" ? verdict.seconds : measureErrorNo.UNKNOWN_ERROR];
    return {
      kind: "run",
      result: {
        kind: "timed",
        costs,
        number: 1,
        busyMs: runMs,
        checked: true,
        observations: {},
        artifact: job.artifact,
        ...common,
      },
    };
  };
  const device = { device: 0, facts, memoryBytes: 2 ** 30, limits: { threads: 1 } };
  return {
    client,
    role: {
      registration: { node: name, labels, role: { kind: "runner", devices: [device], manifestVersions: [1] } },
      capacity: [{ device: 0, count: 1 }],
      work,
    },
  };
}

/** @type {{ client: any, role: any }[]} */
const parties = [
  ...Array.from({ length: builders }, (_, i) => builder(i)),
  ...Array.from({ length: runners }, (_, i) => runner(i)),
];
let registered = 0;
const onEvent = (/** @type {any} */ { kind, error }) => {
  if (kind === "registered" && ++registered === parties.length) process.stdout.write("ready\n");
  if (error) process.stderr.write(`${kind}: ${error.message}\n`);
};
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stopped.abort(new Error(signal)));
process.stdin.resume().once("end", () => process.exit(1));
await Promise.all(parties.map(({ client, role }) => new Synchronizer({ client, role, onEvent }).run({ signal: stopped.signal })));
process.exit(0);
