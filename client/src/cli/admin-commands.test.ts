/**
 * sessions, drain and gc against a scripted tracker that records its calls: their output, exit codes and refusals.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countWords, FarmError, toSessionId } from "@warpfarm/common";
import {
  type AdminHandlers,
  type EndedLease,
  endedLeaseToWire,
  garbageToWire,
  type SessionStatus,
  serve,
  sessionStatusToWire,
} from "@warpfarm/proto";
import { describe, expect, onTestFinished, test } from "vitest";
import { oneSentence, runCli } from "./context.testing.ts";

const session = (id: string, more: Partial<SessionStatus> = {}): SessionStatus => ({
  sessionId: toSessionId(id),
  principal: "alice",
  task: "matmul [64,64]",
  selector: "cuda/sm_90",
  priority: 3,
  weight: 2,
  accepted: 20,
  building: 4,
  ready: 5,
  running: 1,
  deviceMs: 61_500,
  ...{ queueMs: 90_000, buildMs: 7_000, transferMs: 250, timedMs: 21_000 },
  ageMs: 3 * 86_400_000,
  streaming: true,
  expiresInMs: 900_000,
  paused: false,
  moreTrials: 0,
  takesTrials: true,
  ...more,
});

const leaseOfBox: EndedLease = {
  ...{ endMs: 5_000, heldMs: 40, node: "box", device: "gpu-1", deviceName: "H200", session: toSessionId("aaaa-1"), sequence: 1 },
  ...{ outcome: "timed", queueMs: 2, buildMs: 8, transferMs: 3, timedMs: 5 },
};

async function tracker(sessions: readonly SessionStatus[] = []) {
  const asked: unknown[] = [];
  let running = 3;
  const admin: AdminHandlers = {
    async DrainNode({ node, undo }) {
      asked.push({ node, undo });
      if (node !== "box") throw new FarmError("NOT_FOUND", `no worker of node "${node}" is known; known are box`);
      return { workers: 2, running: running-- };
    },
    async ListSessions() {
      return { sessions: sessions.map(sessionStatusToWire) };
    },
    async *ListLeases() {
      for (const sequence of [1, 2]) yield { leases: [endedLeaseToWire({ ...leaseOfBox, sequence })] };
    },
    async CancelSession(request) {
      asked.push({ ...request });
      return { stopped: 1, dropped: 10 };
    },
    async PauseSession({ session_id, undo }) {
      asked.push({ session_id, undo });
      return { waiting: 9, running: 1 };
    },
    async ExtendSession({ session_id, trials }) {
      asked.push({ session_id, trials });
      return { more_trials: 50 + trials };
    },
    async CollectGarbage({ keep, dry_run }) {
      asked.push({ seconds: keep?.seconds ?? null, dry_run });
      return garbageToWire({ builds: 3, programs: 2, blobs: 6, bytes: 3 * 2 ** 19, requests: 120 });
    },
  };
  const server = await serve({ admin }, { listen: "127.0.0.1:0" });
  onTestFinished(() => server.close(0));
  const run = (...argv: string[]) => runCli([...argv, "--tracker", `127.0.0.1:${server.port}`], { env: { COLUMNS: "200" } });
  return { asked, run };
}
const parsed = ({ stdout }: { readonly stdout: string }) => {
  expect(stdout.match(/\n/g)).toHaveLength(1);
  return JSON.parse(stdout);
};

describe("sessions", () => {
  const open = [session("aaaa-1"), session("aaab-2", { streaming: false, expiresInMs: 30_000 })];
  test("lists them for people and as one line of JSON; a session older than a day too", async () => {
    const { run } = await tracker(open);
    const people = await run("sessions");
    expect(people.stdout).toMatch(/aaaa-1 +alice +matmul \[64,64\] +cuda\/sm_90 +streaming +2\/3 +9\/1\/10 +61\.5 s +3\.0 d\n/);
    expect(people.stdout).toMatch(/aaab-2 .* client gone, ends in 30 s /);
    expect(parsed(await run("sessions", "--json")).sessions[0]).toEqual({
      session_id: "aaaa-1",
      principal: "alice",
      task: "matmul [64,64]",
      selector: "cuda/sm_90",
      state: "streaming",
      weight: 2,
      priority: 3,
      accepted: 20,
      to_build: 4,
      to_run: 5,
      running: 1,
      done: 10,
      ...{ queue_seconds: 90, build_seconds: 7, transfer_seconds: 0.25, device_seconds: 61.5, timed_seconds: 21 },
      age_seconds: 259_200,
      expires_in_seconds: 900,
      paused: false,
      more_trials: 0,
      takes_trials: true,
      waiting: null,
    });
    expect((await (await tracker()).run("sessions")).stdout).toBe("no session is open\n");
  });
  test("writes what devices did as a trace, named by the tasks of open sessions", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-perfetto-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { asked, run } = await tracker(open);
    const file = join(folder, "farm.json");
    expect((await run("sessions", "--perfetto", file)).stdout).toBe(
      `wrote 2 leases to ${file}; open it in https://ui.perfetto.dev\n`,
    );
    const { traceEvents } = JSON.parse(readFileSync(file, "utf8"));
    expect(traceEvents.filter(({ ph }: { ph: string }) => ph === "X")).toMatchObject([
      { name: "matmul [64,64]", dur: 40_000, args: { session: "aaaa-1", sequence: 1, queue_ms: 2, timed_ms: 5 } },
      { name: "matmul [64,64]", args: { sequence: 2 } },
    ]);
    expect(parsed(await run("sessions", "--perfetto", file, "--json"))).toEqual({ perfetto: file, leases: 2 });
    expect((await run("sessions", "--perfetto", folder)).stderr).toMatch(/--perfetto names ".*", which cannot be written: /);
    expect((await run("sessions", "--perfetto", "")).stderr).toMatch(/--perfetto is empty; give the file to write/);
    expect((await run("sessions", "--perfetto", file, "--cancel", "aaaa")).stderr).toMatch(
      /--perfetto and --cancel cannot be given/,
    );
    expect(asked).toEqual([]);
  });
  test("sums what results took by principal, and says why each session waits", async () => {
    const holds = [{ kind: "devices_busy", what: "4 devices busy with 4 jobs, 1 of this session" }];
    const waiting = { holds, share: 0.25, due: 0.5, before: 12, startsInMs: 8_000, doneInMs: 180_000 };
    const { run } = await tracker([...open, session("b", { principal: "bob", deviceMs: 1_000, waiting })]);
    const { stdout } = await run("sessions");
    expect(stdout).toMatch(/^of +sessions +queue +build +transfer +lease held +timed$/m);
    expect(stdout).toMatch(/^alice +2 +180\.0 s +14\.0 s +0\.5 s +123\.0 s +42\.0 s$/m);
    expect(stdout).toMatch(/^bob +1 +90\.0 s +7\.0 s +0\.3 s +1\.0 s +21\.0 s$/m);
    expect(stdout).toMatch(
      /^b waits: 4 devices busy with 4 jobs, 1 of this session; 12 runs of others begin before its next, in about 8 s; /m,
    );
    const { sessions, principals } = parsed(await run("sessions", "--json"));
    expect(sessions[2].waiting).toEqual({ holds, share: 0.25, due: 0.5, before: 12, starts_in_seconds: 8, done_in_seconds: 180 });
    expect(principals[0]).toEqual({
      ...{ principal: "alice", sessions: 2, queue_seconds: 180, build_seconds: 14, transfer_seconds: 0.5 },
      ...{ device_seconds: 123, timed_seconds: 42 },
    });
  });
  test("--cancel takes an id or how it begins, when that names one", async () => {
    const { asked, run } = await tracker(open);
    const said = await run("sessions", "--cancel", "aaab", "--reason", "over budget");
    expect(said).toMatchObject({ code: 0, stdout: "cancelled aaab-2: 1 running stopped, 10 measurements dropped\n" });
    expect(parsed(await run("sessions", "--cancel", "aaaa-1", "--json"))).toEqual({
      cancelled: { session_id: "aaaa-1", stopped: 1, dropped: 10 },
    });
    for (const [id, n] of [
      ["aaa", 2],
      ["b", 0],
    ] as const) {
      const refused = await run("sessions", "--cancel", id);
      expect([refused.code, oneSentence(refused)]).toEqual([
        2,
        `warpfarm sessions: --cancel is "${id}", which begins the id of ${n} sessions; open sessions: aaaa-1, aaab-2`,
      ]);
    }
    expect(asked).toEqual([
      { session_id: "aaab-2", reason: "over budget" },
      { session_id: "aaaa-1", reason: "" },
    ]);
  });
});

describe("a session", () => {
  test("is held, goes on, and gets more trials, by its id or how it begins", async () => {
    const { asked, run } = await tracker([session("aaaa-1", { paused: true })]);
    expect((await run("sessions")).stdout).toMatch(/ paused, streaming /);
    const said = async (...argv: string[]) => (await run("sessions", ...argv)).stdout;
    expect(await said("--pause", "aaaa")).toBe(
      "paused aaaa-1: 9 measurements wait, 1 still running; --resume aaaa-1 resumes it\n",
    );
    expect(await said("--resume", "a")).toBe("resumed aaaa-1: 9 waiting, 1 running\n");
    expect(await said("--extend", "a", "--trials", "200")).toBe("extended aaaa-1 by 200 trials: 250 more than it began with\n");
    expect(parsed(await run("sessions", "--pause", "a", "--json"))).toEqual({
      paused: { session_id: "aaaa-1", waiting: 9, running: 1 },
    });
    expect(parsed(await run("sessions", "--resume", "a", "--json"))).toEqual({
      resumed: { session_id: "aaaa-1", waiting: 9, running: 1 },
    });
    expect(parsed(await run("sessions", "--extend", "a", "--trials", "1", "--json"))).toEqual({
      extended: { session_id: "aaaa-1", trials: 1, more_trials: 51 },
    });
    expect(asked.slice(0, 3)).toEqual([
      { session_id: "aaaa-1", undo: false },
      { session_id: "aaaa-1", undo: true },
      { session_id: "aaaa-1", trials: 200 },
    ]);
  });
});

describe("drain", () => {
  test("drains, waits until nothing runs, and undoes", async () => {
    const { asked, run } = await tracker();
    expect((await run("drain", "box")).stdout).toBe("box gets nothing new: 2 workers, 3 jobs still running\n");
    expect(parsed(await run("drain", "box", "--wait", "--json"))).toEqual({
      node: "box",
      state: "drain",
      workers: 2,
      running: 0,
    });
    expect((await run("drain", "box", "--undo")).stdout).toBe("box gets work again: 2 workers\n");
    expect(countWords(1, "worker")).toBe("1 worker");
    expect(asked.at(-1)).toEqual({ node: "box", undo: true });
    expect(asked).toHaveLength(5);
  });
  test("a node nobody knows is exit 2, and those there are are named", async () => {
    const said = await (await tracker()).run("drain", "bax");
    expect([said.code, oneSentence(said)]).toEqual([2, 'warpfarm drain: no worker of node "bax" is known; known are box']);
  });
});

describe("gc", () => {
  test("asks for what it is told, and says what went", async () => {
    const { asked, run } = await tracker();
    expect((await run("gc")).stdout).toBe("removed 3 builds, 2 programs, 6 blobs of 1.5 MiB, 120 received requests\n");
    expect((await run("gc", "--older-than", "7d", "--dry-run")).stdout).toMatch(/^would remove 3 builds/);
    expect(parsed(await run("gc", "--json"))).toEqual({
      dry_run: false,
      builds: 3,
      programs: 2,
      blobs: 6,
      bytes: 3 * 2 ** 19,
      requests: 120,
    });
    expect(asked.slice(0, 2)).toEqual([
      { seconds: null, dry_run: false },
      { seconds: 604_800, dry_run: true },
    ]);
  });
});

test.each([
  [["sessions", "--reason", "x"], /--reason needs --cancel/],
  [["sessions", "--cancel", ""], /--cancel is empty/],
  [["sessions", "--pause", "x", "--resume", "x"], /--pause and --resume cannot be given together/],
  [["sessions", "--extend", "x"], /--extend needs --trials N/],
  [["sessions", "--trials", "3"], /--trials needs --extend/],
  [["sessions", "--extend", "x", "--trials", "0"], /--trials/],
  [["drain"], /missing required argument 'node'/],
  [["drain", "box", "--undo", "--wait"], /--wait is for draining/],
  [["gc", "--older-than", "7"], /it takes a time such as 500ms/],
  [["gc", "all"], /too many/],
])("%j is refused", async (argv, message) => {
  const said = await runCli([...argv, "--tracker", "127.0.0.1:9"]);
  expect([said.code, oneSentence(said)]).toEqual([2, expect.stringMatching(message)]);
});
test.each([
  ["sessions"],
  ["drain", "box"],
  ["gc"],
])("%j: a tracker that is not there is exit 3; --help is exit 0", async (...argv) => {
  const said = await runCli([...argv, "--tracker", "127.0.0.1:9"]);
  expect([said.code, oneSentence(said)]).toEqual([
    3,
    `warpfarm ${argv[0]}: cannot reach the tracker at 127.0.0.1:9: nothing listens there`,
  ]);
  expect(await runCli([...argv, "--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--json") });
});
