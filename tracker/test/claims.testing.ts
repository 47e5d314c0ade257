/** A farm of two principals and an admin, for tests of what becomes of claims. */
import type { TuningRecord } from "@warpfarm/records";
import { pino } from "pino";
import { argsOf, claimDoors, product, replaying, type Sent, timing, tokenOf } from "../../test-support/farm/claims.ts";
import { quick, type useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, runner, type ScriptedWorker } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { claimStates } from "../src/store/states.ts";
import type { TrackerOptions } from "../src/tracker.ts";

const silent = pino({ level: "silent" });
export const real = product(16);
/** Another computation: nothing to do, and compared with itself. */
export const cheap = product(1);

export const honest = (index: number): Sent => ({
  program: real.programAt(index),
  reference: real.task.reference,
  config: real.configAt(index),
});

/** A farm of two principals, whose builder builds and whose runner measures in the times of a table. */
export const opened =
  (farm: ReturnType<typeof useFarms>["farm"]) =>
  async (options: Omit<Partial<TrackerOptions>, "data"> = {}) => {
    const f = await farm({ doors: claimDoors(), http: "127.0.0.1:0", ...quick, log: silent, ...options });
    const seconds = new Map<string, number | "wrong">();
    const hire = (does: Answer = replaying) => f.start(builder(f.address, does, 4, tokenOf("builder")));
    f.start(runner(f.address, 1, timing(seconds), { token: tokenOf("runner") }));
    const [alice, bob, admin] = (["alice", "bob", "admin"] as const).map((who) => f.client(tokenOf(who))) as [
      ScriptedClient,
      ScriptedClient,
      ScriptedClient,
    ];
    const claims = async (state: number) => (await f.store.query("select 1 from claims where state = $1", [state])).length;
    /** Kills a worker, whose leases run out at once: by themselves they do so after half a minute. */
    const lose = async (worker: ScriptedWorker) => {
      const { workerId = "" } = worker.registered ?? {};
      await worker.kill();
      const held = async () => {
        await f.store.query("update leases set until = now() - interval '1 s' where worker_id = $1", [workerId]);
        return f.store.query("select 1 from leases where worker_id = $1", [workerId]);
      };
      await until(async () => (await held()).length === 0, "its leases to be taken back");
    };
    const recorded = (n: number) => until(async () => (await f.store.query("select 1 from records")).length >= n, `${n} records`);
    return { ...f, seconds, hire, alice, bob, admin, claims, lose, recorded };
  };

/** The best of the product, and how many of others' records wait. */
export async function bestOf(client: ScriptedClient, of = real) {
  let waiting = 0;
  const told = (n: number) => {
    waiting = n;
  };
  const { task = "", args = [] } = { task: of.provenance.task, args: argsOf(of.provenance) };
  const best = await client.tracker.records.best({ task, args }, { waiting: told });
  return { seconds: best.map((b) => b.seconds), standing: best.map((b) => b.record.standing), waiting };
}
export const seen = async (client: ScriptedClient): Promise<readonly TuningRecord[]> =>
  (await client.tracker.records.query({ order: "oldest", limit: 1_000 })).records;

/** States of claims. */
export const { verified, refuted, unverifiable } = claimStates;
