/** Whether a build is wanted again: at each limit and one beyond it, of a build that failed and of one that waits. */
import { defaultMeasureOptions, digestOf, type SessionId, toProgramDigest, toSessionId, toWorkerId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import { beforeEach, describe, expect, it } from "vitest";
import { freshStore } from "../../../../test-support/farm/scripted.ts";
import { defaultLeasePolicy } from "../../policy/lease.ts";
import type { Database } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { buildStates } from "../states.ts";
import { acceptInputs } from "./accept.ts";
import { openSession, takeSession } from "./sessions.ts";
import { registerWorker } from "./workers.ts";

const target = "cpu/x86-64-v3";
const options = { ...defaultMeasureOptions("cpu"), check: "none" } as const;
const bytes = Buffer.from("a program");
const program = { digest: toProgramDigest(digestOf("a program")), sent: { bytes, target, version: 1 } };
const idleMs = 60_000;
let db: Database;
let sessions = 0;

async function ask({ buildTimeoutMs = 1_000, priority = 0, principal = "local" } = {}) {
  const id: SessionId = toSessionId(`s-${++sessions}`);
  const request = { requestId: id, protocolVersion, task: "t", selector: target, options, priority, weight: 1 };
  const more = { maxInFlight: 10, labels: {}, idleMs, maxSessions: 10, principal, owner: undefined };
  await openSession(db, id, { ...request, ...more });
  const { stream = 0 } = (await takeSession(db, id, idleMs, undefined)) ?? {};
  const input = { session: id, stream, sequence: 1, priority, options: { ...options, buildTimeoutMs }, principal, program };
  const [outcome] = await acceptInputs(db, [input], 0);
  return outcome?.kind === "accepted" && outcome.finished;
}
const build = async () =>
  (await db.query<{ state: number; ms: number; priority: number }>("select state, timeout_ms as ms, priority from builds"))[0];
const failed = (errorNo: number) =>
  db.query(
    `update builds set state = ${buildStates.failed}, error_no = $1, failure = $2, toolchain = 'cc 1', finished_at = now(), attempts = 1`,
    [
      errorNo,
      encodeResult({
        kind: "failed",
        errorNo: 6,
        rule: "r",
        message: "m",
        buildMs: 1,
        runMs: 0,
        timestampMs: 1,
        attempt: 1,
      } as never),
    ],
  );

beforeEach(async () => {
  db = await freshStore();
  const facts = { slots: 1, targets: [target], toolchains: ["cc 1"], compilerVersion: "0", programVersions: [1] };
  const role = { kind: "builder", ...facts } as const;
  const registration = { protocolVersion, node: "n", instanceId: "b", labels: {}, role, principal: "local", vouched: false };
  await registerWorker(db, toWorkerId("b"), registration, defaultLeasePolicy, 0);
});

describe("a build that failed", () => {
  it.each([
    [999, 1_000, true],
    [1_000, 1_000, true],
    [1_001, 1_001, false],
  ])("by a time limit of 1 s is known to fail within %d ms, and tried again with more", async (buildTimeoutMs, ms, isKnown) => {
    await ask();
    await failed(6);
    expect(await ask({ buildTimeoutMs })).toBe(isKnown);
    expect(await build()).toMatchObject({ state: isKnown ? buildStates.failed : buildStates.waiting, ms });
  });

  it.each([
    [3, true],
    [8, false],
  ])("with error %d is known to fail, but not when the farm failed, whatever the time limit", async (errorNo, isKnown) => {
    await ask();
    await failed(errorNo);
    expect(await ask({ buildTimeoutMs: 1_000 })).toBe(isKnown);
    if (isKnown) expect(await ask({ buildTimeoutMs: 9_000 })).toBe(true);
  });
});

it("a build that waits has the greatest of the time limits and of the priorities that were asked for", async () => {
  await ask({ buildTimeoutMs: 2_000, priority: 1 });
  await ask({ buildTimeoutMs: 1_000, priority: 3 });
  expect(await build()).toEqual({ state: buildStates.waiting, ms: 2_000, priority: 3 });
  await ask({ buildTimeoutMs: 3_000, priority: 2 });
  expect(await build()).toEqual({ state: buildStates.waiting, ms: 3_000, priority: 3 });
});
