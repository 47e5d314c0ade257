/**
 * Each kind of process is killed or asked to end, repeatedly in the middle of a run. Each measurement has one result of its own,
 * nothing is executed again that a kill cannot have lost, and a process that was asked to end does so in order. Real processes on
 * two trackers of one PostgreSQL, with scripted devices; there is progress between any two kills. In npm test each victim is
 * killed once, and the client is also asked to end (the others: ../faults, in its rolling restart); in the campaign each is
 * killed and asked to end a hundred times.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random, systemClock } from "@warpfarm/common";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { ScriptedFarm, type Seat } from "./scripted-farm.ts";

/** Inputs that the client is fed for each kill. */
const perKill = 8;
const runners = 3;
const window = 12;
/** Of a client that is to be killed. */
const killedWindow = 4;

type Victim = "client" | "builder" | "runner" | "tracker" | "postgres";
type Signal = "SIGKILL" | "SIGTERM";
interface Kills {
  readonly victim: Victim;
  /** Repeated executions, and repeated builds, that one kill explains: by SIGKILL, and by SIGTERM where it differs. */
  readonly again: readonly [runs: number, builds: number];
  readonly asked?: readonly [runs: number, builds: number];
  /** "@v2": the run is for the builder and the runners of that level. */
  readonly level?: string;
}
const signalsOf = (victim: Victim): readonly (readonly Signal[])[] =>
  isFull ? [["SIGKILL"], ["SIGTERM"]] : [victim === "client" ? ["SIGKILL", "SIGTERM"] : ["SIGKILL"]];
const casesOf = (victims: readonly Kills[]) =>
  victims.flatMap((v) =>
    signalsOf(v.victim).map((by) => ({ ...v, by, repeats: isFull ? 100 : by.length, words: by.join(" and ") })),
  );
type Case = ReturnType<typeof casesOf>[number];

const slow = { timeout: isFull ? 3_600_000 : 900_000 };

const builder = { builders: 1, slots: 2 } as const;
const devices = { runners, jobMs: [5, 25] } as const;

/**
 * One for all: its workers keep their leases on a busy machine too, so that nothing is done again because somebody had to wait
 * for a processor.
 */
let farm: ScriptedFarm;
const seats = new Map<Victim, Seat>();
const [v1, v2, v3] = ["cpu/x86-64-v1", "cpu/x86-64-v2", "cpu/x86-64-v3"];
beforeAll(async () => {
  if (!has("postgres")) return;
  farm = await ScriptedFarm.start({ trackers: 2, postgres: true, leaseSeconds: 20 });
  // The victim has its leases from a tracker that gives short ones, so that the test need not wait long for their end.
  const addresses = [(await farm.tracker([], 6)).address];
  const [b, r] = [farm.devices("b", { ...builder, target: v1, addresses }), farm.devices("r", { ...devices, target: v1 })];
  const [b2, r2] = [farm.devices("b2", { ...builder, target: v2 }), farm.devices("r2", { ...devices, target: v2, addresses })];
  // Of those that lose nobody's work.
  const [b3, r3] = [farm.devices("b3", { ...builder, target: v3 }), farm.devices("r3", { ...devices, target: v3 })];
  seats.set("builder", b).set("runner", r2);
  await Promise.all([b, r, b2, r2, b3, r3].map(({ party }) => party.ready));
}, 300_000);
afterAll(() => farm?.[Symbol.asyncDispose]());

/** Kills, each after a further result, and checks the accounts. */
async function kills({ victim, by, repeats, again, asked = again, level = "" }: Case): Promise<void> {
  const run = `${victim}-${by.join("-")}${level}`;
  const signalOf = (kill: number): Signal => by[kill % by.length] ?? "SIGKILL";
  const count = window + (repeats + 1) * perKill;
  const random = new Random(run.length * 1000 + repeats);
  const gate = join(farm.directory, `${run}.gate`);
  const client = farm.client({ run, count }, { window: victim === "client" ? killedWindow : window, gate });
  const seatOf = (kill: number): Seat | undefined =>
    victim === "client"
      ? client
      : victim === "tracker"
        ? farm.trackers[(kill >> 1) % 2]
        : victim === "postgres"
          ? undefined
          : seats.get(victim);
  const exits = new Set<string>();
  try {
    for (let kill = 0; kill < repeats; kill++) {
      const before = farm.doneOf(run);
      writeFileSync(gate, new Uint8Array(window + (kill + 1) * perKill));
      await until(() => farm.doneOf(run) > before, `result ${before + 1}`);
      await systemClock.sleep(random.below(60));
      const seat = seatOf(kill);
      const signal = signalOf(kill);
      if (seat) {
        const exit = await seat.replace(signal);
        exits.add(`${exit.code ?? exit.signal}`);
        await seat.party.ready;
      } else await farm.postgres?.restart(signal === "SIGKILL" ? "SIGKILL" : "SIGINT");
    }
    writeFileSync(gate, new Uint8Array(count));
    const { code } = await client.party.ended;
    expect(code, client.party.said).toBe(0);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${farm.said()}`);
  }
  expect(farm.account(run, count)).toEqual({ run, count, lost: [], twice: [], wrong: [] });
  const { repeatedRuns, repeatedBuilds, mostOfOne, unexecuted } = farm.work([{ run, count }]);
  expect(unexecuted).toEqual([]);
  console.log(
    `${run}: ${count} results; ${repeatedRuns} executions and ${repeatedBuilds} builds again, ${mostOfOne} of one program at most`,
  );
  const kills = Array.from({ length: repeats }, (_, kill) => (signalOf(kill) === "SIGKILL" ? again : asked));
  expect(repeatedRuns).toBeLessThanOrEqual(kills.reduce((sum, [runs]) => sum + runs, 0));
  expect(repeatedBuilds).toBeLessThanOrEqual(kills.reduce((sum, [, builds]) => sum + builds, 0));
  const inOrder = victim === "client" ? "143" : "0";
  const expected = by.map((signal) => (signal === "SIGKILL" ? "SIGKILL" : inOrder));
  if (victim !== "postgres") expect([...exits].sort()).toEqual(expected.sort());
}

/** Executions that one kill can lose: the running one of each device, and the one whose outcome was being sent. */
const lostWithRunners = 2 * runners;
const cases = casesOf([
  // A client that is asked to end closes its session: its inputs in flight are dropped, and measured again when it comes back.
  { victim: "client", again: [0, 0], asked: [killedWindow, killedWindow], level: "@v3" },
  { victim: "tracker", again: [0, 0], level: "@v3" },
  { victim: "builder", again: [0, 2] },
  { victim: "runner", again: [lostWithRunners, 0], level: "@v2" },
  // Leases are not flushed to the disk, so a server that is killed may have forgotten those of all that is outstanding.
  { victim: "postgres", again: [window, window], level: "@v2" },
]);
test.for(cases)("$victim by $words, $repeats times", slow, async (c, ctx) => {
  needs(ctx, "postgres");
  await kills(c);
});
