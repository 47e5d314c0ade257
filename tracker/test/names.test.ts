/** Names of nodes, devices and labels belong to principals, while their workers live and for a week after. */
import { expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { builder, runner, type ScriptedWorker } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";
import { forgetWorkers } from "../src/store/sql/names.ts";

const { farm, undo } = useFarms();
const lines = ["client alice", "builder maker", "builder smith", "runner racer", "runner mallory", "admin boss"];
const token = (name: string) => ({ token: `token-of-${name}` });

async function guarded() {
  const words = lines.map((line) => `${line} sha256:${hashOf(`token-of-${line.split(" ")[1]}`)}`);
  const f = await farm({ doors: new TokenDoors(parseTokenFile(words.join("\n"))) });
  const registers = async (worker: ScriptedWorker) => {
    undo.push(() => worker.kill());
    return worker.tracker.worker.register(worker.registration);
  };
  const racer = (n: number, node: string, more: object = {}) =>
    runner(f.address, n, undefined, { ...token("racer"), node, ...more });
  const mallory = (n: number, node: string, more: object = {}) =>
    runner(f.address, n, undefined, { ...token("mallory"), node, ...more });
  /** Its workers' rows are as if they were gone since. */
  const gone = (node: string, hours: number) =>
    f.store.query("update workers set lost = true, last_seen = now() - $2 * interval '1 hour' where node = $1", [node, hours]);
  const boss = f.client("token-of-boss").tracker.admin;
  return { ...f, registers, racer, mallory, gone, boss };
}

it("a runner may not take the name of another principal's node, whatever its instance and device are", async () => {
  const { racer, mallory, registers, start, address } = await guarded();
  const honest = start(racer(1, "gpu1"));
  await until(() => honest.registered !== undefined, "the honest runner");
  const { code, message } = await codeOf(registers(mallory(2, "gpu1")));
  expect(code).toBe("ALREADY_EXISTS");
  expect(message).toMatch(/"gpu1" belongs to another principal.*is there now.*--node.*warpfarm drain gpu1 --forget/);
  expect(message).not.toContain("racer");
  await registers(mallory(2, "gpu2"));
  await registers(racer(3, "gpu1")); // a second runner of its own
  await registers(builder(address, undefined, 1, "token-of-maker")); // on "test-node"
});

it("a builder has its names among builders: the machine's runner is another principal's", async () => {
  const { address, registers, racer } = await guarded();
  await registers(racer(1, "test-node"));
  await registers(builder(address, undefined, 1, "token-of-maker"));
  const { code, message } = await codeOf(registers(builder(address, undefined, 1, "token-of-smith")));
  expect([code, message]).toEqual(["ALREADY_EXISTS", expect.stringContaining('the builder name "test-node"')]);
});

it("a name and a device stay with who had them for a week, and are free then", async () => {
  const { racer, mallory, registers, gone, store } = await guarded();
  await registers(racer(1, "gpu1", { uuid: "GPU-1" }));
  await gone("gpu1", 5.5);
  expect((await codeOf(registers(mallory(2, "gpu1")))).message).toContain("was last there 5 h ago");
  const device = await codeOf(registers(mallory(1, "gpu9", { uuid: "GPU-1" })));
  expect(device).toEqual({
    code: "ALREADY_EXISTS",
    message: expect.stringMatching(/^a device of this runner.*drain gpu1 --forget/),
  });
  await gone("gpu1", 7 * 24 - 1);
  await forgetWorkers(store, 0);
  expect((await codeOf(registers(mallory(2, "gpu1")))).code).toBe("ALREADY_EXISTS");
  await gone("gpu1", 7 * 24 + 1);
  await registers(mallory(2, "gpu1"));
  await registers(mallory(1, "gpu9", { uuid: "GPU-1" }));
});

it("whoever had it comes back at once", async () => {
  const { racer, registers, gone } = await guarded();
  await registers(racer(1, "gpu1"));
  await gone("gpu1", 0);
  await registers(racer(1, "gpu1"));
});

it("an admin frees a node whose workers are gone, and nobody else does", async () => {
  const { racer, mallory, registers, gone, boss, client } = await guarded();
  await registers(racer(1, "gpu1"));
  expect((await codeOf(boss.drainNode("gpu1", "forget"))).code).toBe("FAILED_PRECONDITION");
  await gone("gpu1", 1);
  expect((await codeOf(client("token-of-alice").tracker.admin.drainNode("gpu1", "forget"))).code).toBe("PERMISSION_DENIED");
  expect((await codeOf(boss.drainNode("gpu7", "forget"))).code).toBe("NOT_FOUND");
  await boss.drainNode("gpu1", "drain");
  expect(await boss.drainNode("gpu1", "forget")).toMatchObject({ workers: 1 });
  await registers(mallory(1, "gpu1"));
  expect((await codeOf(registers(racer(1, "gpu1")))).code).toBe("ALREADY_EXISTS");
});

it("of two that take a new name at once one gets it", async () => {
  const { racer, mallory, registers } = await guarded();
  const came = await Promise.allSettled([registers(racer(1, "gpu1")), registers(mallory(2, "gpu1"))]);
  expect(came.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

it("a label says no other node", async () => {
  const { mallory, registers } = await guarded();
  const { code, message } = await codeOf(registers(mallory(2, "gpu2", { labels: { node: "gpu1" } })));
  expect([code, message]).toEqual([
    "INVALID_ARGUMENT",
    expect.stringContaining('labels.node is "gpu1"; allowed: this worker\'s own node'),
  ]);
  await registers(mallory(2, "gpu2", { labels: { node: "gpu2" } }));
});

it("the rows that keep names have a bound: the last of each node, a thousand of a principal, none of who is nobody", async () => {
  const { store } = await guarded();
  const lost = (principal: string, node: string, n: number, of: string) =>
    store.query(
      `insert into workers (worker_id, instance_id, epoch, role, node, facts, labels, principal, lost, last_seen)
       select $1 || $2 || i, $1 || $2 || i, 1, 'runner', ${node}, '{"kind":"runner","devices":[]}', '{}', $1, true, now() - i * interval '1 second'
       from generate_series(1, $3::integer) as s(i)`,
      [principal, of, n],
    );
  await lost("racer", "'pod-' || i", 1_200, "a");
  await lost("mallory", "'same'", 50, "b");
  await lost("local", "'pod-' || i", 30, "c");
  await lost("both", "'same'", 5, "r");
  await lost("both", "'same'", 5, "s");
  await store.query("update workers set role = 'builder' where worker_id like 'boths%'");
  const counts = async () =>
    Object.fromEntries(
      (
        await store.query<{ principal: string; n: number }>("select principal, count(*)::integer as n from workers group by 1")
      ).map(({ principal, n }) => [principal, n]),
    );
  await forgetWorkers(store, 3_600_000);
  expect(await counts()).toEqual({ racer: 1_200, mallory: 50, local: 30, both: 10 });
  await forgetWorkers(store, 0);
  expect(await counts()).toEqual({ racer: 1_000, mallory: 1, both: 2 });
  expect(await store.query("select 1 from workers where node = 'pod-1000'")).toHaveLength(1);
  expect(await store.query("select worker_id as id from workers where node = 'same' order by 1")).toEqual(
    ["bothr1", "boths1", "malloryb1"].map((id) => ({ id })),
  );
});
