/**
 * A build whose session was closed while its inputs were on their way goes to the next session that wants it, or is collected.
 */
import { defaultMeasureOptions, digestOf, type SessionId, toProgramDigest, toSessionId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import { expect, it } from "vitest";
import type { Database } from "../src/store/database.ts";
import { openPglite } from "../src/store/pglite.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import { collect } from "../src/store/sql/collect.ts";
import { openSession, takeSession } from "../src/store/sql/sessions.ts";

const target = "cpu/x86-64-v3";
const options = defaultMeasureOptions("cpu");
const text = "a program";
const program = { digest: toProgramDigest(digestOf(text)), sent: { bytes: Buffer.from(text), target, version: 1 } };

async function open(db: Database, name: string): Promise<SessionId> {
  const id = toSessionId(name);
  const request = { requestId: id, protocolVersion, task: "t", selector: target, options, priority: 0, weight: 1 };
  const whose = { principal: "local", owner: undefined };
  await openSession(db, id, { ...request, maxInFlight: 10, labels: {}, idleMs: 60_000, maxSessions: 10, ...whose });
  await takeSession(db, id, 60_000, undefined);
  return id;
}
const accept = (db: Database, session: SessionId) =>
  acceptInputs(db, [{ session, stream: 1, sequence: 1, priority: 0, options, program }], 0);

it("is not left to a session that is no more", async () => {
  await using db = await openPglite("memory");
  await accept(db, await open(db, "closed"));
  // As its end leaves it that did not see the build yet.
  await db.script("delete from requests; delete from sessions");
  await accept(db, await open(db, "next"));
  expect(await db.query("select session_id, state from builds")).toEqual([{ session_id: "next", state: 0 }]);
});

it("is collected when nobody wants it, and not while somebody waits for it", async () => {
  await using db = await openPglite("memory");
  await accept(db, await open(db, "closed"));
  const collected = async () => {
    await db.script("update programs set used_at = now() - interval '1 hour'");
    const { builds, programs } = await collect(db, { artifactsMs: 0, requestsMs: 0 });
    return [builds, programs];
  };
  expect(await collected()).toEqual([0, 0]);
  await db.script("delete from sessions");
  expect(await collected()).toEqual([0, 0]);
  await db.script("delete from requests");
  expect(await collected()).toEqual([1, 1]);
});
