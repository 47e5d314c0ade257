/**
 * What a statement refuses, whoever asks. The services rarely ask such things. These rules hold when two trackers, a late message
 * and a lost worker meet.
 */
import {
  countedIds,
  defaultMeasureOptions,
  digestOf,
  type SessionId,
  toProgramDigest,
  toSessionId,
  toWorkerId,
} from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import { beforeEach, describe, expect, it } from "vitest";
import { freshStore } from "../../test-support/farm/scripted.ts";
import { defaultLeasePolicy } from "../src/policy/lease.ts";
import type { Database } from "../src/store/database.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import { ungrant } from "../src/store/sql/claim.ts";
import { claimRuns } from "../src/store/sql/claim-runs.ts";
import { collect } from "../src/store/sql/collect.ts";
import { receive, receiveThrough } from "../src/store/sql/results.ts";
import { leaveSession, openSession, sessionCounts, takeSession } from "../src/store/sql/sessions.ts";
import { loseWorkers, registerWorker } from "../src/store/sql/workers.ts";

const target = "cpu/x86-64-v3";
const options = { ...defaultMeasureOptions("cpu"), check: "none" } as const;
const idleMs = 60_000;
let db: Database;
beforeEach(async () => {
  db = await freshStore();
});

async function session(name: string): Promise<{ id: SessionId; stream: number }> {
  const id = toSessionId(name);
  const request = { requestId: name, protocolVersion, task: "t", selector: target, options, priority: 0, weight: 1 };
  await openSession(db, id, {
    ...request,
    maxInFlight: 10,
    labels: {},
    idleMs,
    maxSessions: 10,
    principal: "local",
    owner: undefined,
  });
  return { id, stream: (await takeSession(db, id, idleMs, undefined))?.stream ?? 0 };
}

const accept = ({ id, stream }: { id: SessionId; stream: number }, sequence: number) => {
  const text = `program ${sequence}`;
  const program = { digest: toProgramDigest(digestOf(text)), sent: { bytes: Buffer.from(text), target, version: 1 } };
  return acceptInputs(db, [{ session: id, stream, sequence, priority: 0, options, program }], 0);
};
const states = async () => {
  const rows = await db.query<{ state: number }>("select state from requests order by sequence");
  return rows.map(({ state }) => state);
};

it("a program sent with one input of a batch and named by another: both are for its target, and its build makes both ready", async () => {
  const { id, stream } = await session("s");
  const text = "a program";
  const digest = toProgramDigest(digestOf(text));
  const programs = [{ digest, sent: { bytes: Buffer.from(text), target, version: 1 } }, { digest }];
  const inputs = programs.map((program, i) => ({ session: id, stream, sequence: i + 1, priority: 0, options, program }));
  expect(await acceptInputs(db, inputs, 0)).toMatchObject([{ kind: "accepted" }, { kind: "accepted" }]);
  expect(await db.query("select distinct target from requests")).toEqual([{ target }]);
});

describe("a run that is ready", () => {
  async function ready() {
    const s = await session("s");
    await accept(s, 1);
    await db.script("update builds set state = 2, artifact = 'm', code = 'c'; update requests set state = 1");
    const device = {
      facts: { key: target, name: "a CPU", uuid: "u", node: "n", driver: "none" },
      device: 0,
      memoryBytes: 1,
      limits: {},
    };
    const registration = {
      protocolVersion,
      node: "n",
      labels: {},
      instanceId: "i",
      principal: "local",
      vouched: true,
      role: { kind: "runner", devices: [device], manifestVersions: [1] },
    } as const;
    const { worker } = await registerWorker(db, toWorkerId("w"), registration, defaultLeasePolicy, 0);
    const newId = countedIds("lease");
    const claimed = () =>
      claimRuns(
        db,
        [{ worker: worker.id, epoch: worker.epoch, device: 0, session: s.id }],
        { targets: [target], manifests: [1] },
        { ttlMs: defaultLeasePolicy.ttlMs, newId },
      );
    return { worker, claimed };
  }

  it("is not leased to a worker that is lost, though its epoch is the one that was seen", async () => {
    const { worker, claimed } = await ready();
    await loseWorkers(db, 0, defaultLeasePolicy, 0, [worker.id]);
    expect(await claimed()).toEqual([]);
    expect(await states()).toEqual([1]);
    expect(await db.query("select 1 from leases")).toEqual([]);
  });

  it("is at its first attempt when its lease was taken back before anybody heard of it", async () => {
    const { claimed } = await ready();
    const [first] = await claimed();
    expect(first).toMatchObject({ attempt: 1 });
    const effects = await ungrant(db, first ? [first.lease] : [], defaultLeasePolicy, 0);
    expect(effects.runs).toEqual(["s"]);
    expect((await claimed())[0]).toMatchObject({ attempt: 1 });
  });
});

describe("a session that a newer stream has", () => {
  it("takes no input of the older one, though its sequence is the next", async () => {
    const old = await session("s");
    expect(await accept(old, 1)).toMatchObject([{ kind: "accepted" }]);
    const taken = await takeSession(db, old.id, idleMs, undefined);
    expect(await accept(old, 2)).toEqual([{ kind: "taken_over" }]);
    expect(await states()).toEqual([0]);
    expect(await accept({ id: old.id, stream: taken?.stream ?? 0 }, 2)).toMatchObject([{ kind: "accepted" }]);
  });

  it("is streaming when the older one ends, and not when its own does", async () => {
    const { id, stream } = await session("s");
    const taken = await takeSession(db, id, idleMs, undefined);
    const streaming = async () => (await sessionCounts(db, idleMs))[0]?.streaming;
    await leaveSession(db, id, stream, idleMs, idleMs);
    expect(await streaming()).toBe(true);
    await leaveSession(db, id, taken?.stream ?? 0, idleMs, idleMs);
    expect(await streaming()).toBe(false);
  });
});

describe("receipts", () => {
  const sixRequests = async () => {
    const s = await session("s");
    for (let n = 1; n <= 6; n++) await accept(s, n);
    // A follower, waiting, ready, running, done, done.
    for (const [i, state] of [-1, 0, 1, 2, 3, 3].entries())
      await db.query(
        "update requests set state = $1::integer, result = case when $1::integer = 3 then ''::bytea end where sequence = $2",
        [state, i + 1],
      );
    return s;
  };

  it("of what is not finished leave it as it is", async () => {
    const { id } = await sixRequests();
    await receive(
      db,
      [1, 2, 3, 4, 5].map((sequence) => ({ session: id, sequence })),
    );
    expect(await states()).toEqual([-1, 0, 1, 2, 4, 3]);
  });

  it("up to a sequence take that one too, and nothing that is not finished", async () => {
    const { id } = await sixRequests();
    await receiveThrough(db, id, 5);
    expect(await states()).toEqual([-1, 0, 1, 2, 4, 3]);
    await receiveThrough(db, id, 6);
    expect(await states()).toEqual([-1, 0, 1, 2, 4, 4]);
  });
});

it("collection leaves what a follower still needs: its build, its program, its reference", async () => {
  const old = "now() - interval '1 hour'";
  const { id } = await session("s");
  await db.script(`
    insert into programs (digest, target, bytes, used_at) select p, 't', ''::bytea, ${old} from unnest(array['p', 'r', 'nobody']) as p;
    insert into builds (program, target, state, session_id, priority, timeout_ms, artifact, code, finished_at)
      select p, 't', 2, 's', 0, 1, 'm-' || p, 'c-' || p, ${old} from unnest(array['p', 'r', 'nobody']) as p;
    insert into reuses (name, session_id, sequence, used_at) values ('same', 'gone', 1, ${old})`);
  await db.query(
    "insert into requests (session_id, sequence, program, reference, target, state, reuse) values ($1, 1, 'p', 'r', 't', -1, 'same')",
    [id],
  );
  await collect(db, { artifactsMs: 60_000, requestsMs: 60_000 });
  expect(await db.query("select program from builds order by 1")).toEqual([{ program: "p" }, { program: "r" }]);
  expect(await db.query("select digest from programs order by 1")).toEqual([{ digest: "p" }, { digest: "r" }]);
  expect(await db.query("select name from reuses")).toEqual([{ name: "same" }]);
});
