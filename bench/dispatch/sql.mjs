/**
 * What the store alone allows: the tracker's own statements for the same jobs in batches, without gRPC and without anybody to
 * decide anything. argv: the store (directory or URL), jobs a batch, milliseconds. `lanes` batches run at a time, as in
 * the tracker, whose inputs, claims, reports and receipts go side by side. Prints what it did as a line of JSON.
 */
import { canonicalJson, defaultMeasureOptions, digestOf, randomId } from "@warpfarm/common";
import { timedResult } from "./timed-result.mjs";

const inner = (path) => import(new URL(`../../tracker/dist/${path}`, import.meta.url).href);
const [{ openPglite }, { openPostgres }, { acceptInputs }, { claimRuns }, { reportCalls }, { receive }, { defaultLeasePolicy }] =
  await Promise.all(
    [
      "store/pglite.js",
      "store/postgres.js",
      "store/sql/accept.js",
      "store/sql/claim-runs.js",
      "store/sql/report.js",
      "store/sql/results.js",
      "policy/lease.js",
    ].map(inner),
  );

const [store, batch, ms] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const terms = { ttlMs: defaultLeasePolicy.ttlMs, newId: randomId };
const lanes = 4;
const target = "cpu/x86-64-v3";
const options = { ...defaultMeasureOptions("cpu"), check: "none" };
const device = { key: target, name: "scripted", uuid: "scripted-1", node: "load", driver: "none" };
const db = await (store.startsWith("postgres") ? openPostgres(store) : openPglite(store));

async function lane(n) {
  const session = `session-${n}`;
  await db.query(
    `insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, stream, expires_at)
     values ($1, $1, 'load', $2, '{}', 0, 1024, '{}', 1, now() + interval '1 hour')`,
    [session, target],
  );
  const programs = Array.from({ length: 8 }, (_, i) => digestOf(canonicalJson({ n, i })));
  await db.query("insert into programs (digest, target, bytes) select unnest($1::text[]), $2, ''", [programs, target]);
  await db.query(
    `insert into builds (program, target, state, session_id, priority, timeout_ms, artifact, code)
     select p, $2, 2, $3, 0, 1000, p, p from unnest($1::text[]) as p`,
    [programs, target, session],
  );
  const workers = Array.from({ length: batch }, (_, i) => `worker-${n}-${i}`);
  await db.query(
    `insert into workers (worker_id, instance_id, epoch, role, node, facts, labels) select w, w, 1, 'runner', 'load', '{}', '{}' from unnest($1::text[]) as w`,
    [workers],
  );
  let sequence = 0;
  return async () => {
    const inputs = workers.map((_, i) => ({
      session,
      stream: 1,
      sequence: ++sequence,
      priority: 0,
      options,
      program: { digest: programs[i % programs.length] },
    }));
    const accepted = await acceptInputs(db, inputs, Date.now());
    if (!accepted.every((a) => a.kind === "accepted")) throw new Error(`an input was refused: ${JSON.stringify(accepted)}`);
    const slots = workers.map((worker) => ({ worker, epoch: 1, device: 0, session }));
    const claimed = await claimRuns(db.lazy, slots, { targets: [target], manifests: [1] }, terms);
    const calls = claimed.map(({ lease, worker, artifact, attempt }) => ({
      worker,
      epoch: 1,
      running: [],
      trouble: "",
      main: true,
      outcomes: [
        {
          leaseId: lease,
          epoch: 1,
          kind: "run",
          result: { ...timedResult(artifact, device), attempt },
        },
      ],
    }));
    const { effects } = await reportCalls(db, calls, defaultLeasePolicy, Date.now());
    await receive(db.lazy, effects.finished);
    return effects.finished.length;
  };
}

const all = await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
let jobs = 0;
async function drive(forMs) {
  const end = performance.now() + forMs;
  await Promise.all(
    all.map(async (work) => {
      while (performance.now() < end) {
        const done = await work();
        jobs += done; // read after the wait: the lanes share it
      }
    }),
  );
}
await drive(ms / 3);
process.stdout.write(`${JSON.stringify({ at: "begin" })}\n`);
jobs = 0;
const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
await drive(ms);
const cpu = process.cpuUsage(cpuBefore);
process.stdout.write(
  `${JSON.stringify({ jobs, wall: (performance.now() - began) / 1000, cpuSeconds: (cpu.user + cpu.system) / 1e6 })}\n`,
);
process.stdin.resume(); // until it is ended: a connection that goes takes its seconds along
