/**
 * A farm of two principals with a real builder, in its process with its compile child: an honest best is shared after its replay,
 * a forged one never. The tracker is in this process; what a runner measures is scripted.
 */
import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { argsOf, claimDoors, measured, product, timing, tokenOf } from "../../test-support/farm/claims.ts";
import { builder, freshStore, runner, testTracker } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { Place, start } from "./warpfarm-process.ts";

it("a builder in its process replays what clients claim: the honest best is everybody's, the forged one its forger's", async (ctx) => {
  needs(ctx, "cc");
  const place = new Place({}, { isAlone: true });
  onTestFinished(() => place[Symbol.dispose]());
  const store = await freshStore();
  await using tracker = await testTracker(store, { doors: claimDoors() });
  const address = `127.0.0.1:${tracker.grpcPort}`;
  const seconds = new Map<string, number>();
  // Builds without a compiler, and is gone before anything can be replayed.
  const first = builder(address, undefined, 4, tokenOf("builder")).start();
  const measurer = runner(address, 1, timing(seconds), { token: tokenOf("runner") }).start();
  const [alice, bob] = [new ScriptedClient(address, tokenOf("alice")), new ScriptedClient(address, tokenOf("bob"))];
  onTestFinished(async () => {
    for (const client of [alice, bob]) await client.close();
    for (const worker of [first, measurer]) await worker.kill();
  });
  const [real, cheap] = [product(16), product(1)];
  const honest = { program: real.programAt(3), reference: real.task.reference, config: real.configAt(3) };
  const forged = { program: cheap.programAt(0), reference: cheap.programAt(0), config: real.configAt(5) };
  seconds.set(honest.program.digest, 0.25).set(forged.program.digest, 1e-7);
  // Built first, and without a record.
  for (const client of [alice, bob])
    await measured(client, real.provenance, [client === alice ? honest : forged], { keep: "none" });
  await first.kill();
  await measured(bob, real.provenance, [forged]);
  await measured(alice, real.provenance, [honest]);
  await until(async () => (await store.query("select 1 from records")).length === 2, "the records");

  const file = place.path("builder.token");
  writeFileSync(file, tokenOf("builder"), { mode: 0o600 });
  const real1 = start(place, ["builder", "--tracker", address, "--token-file", file, "--slots", "1"]);
  onTestFinished(() => real1.kill("SIGKILL"));
  const verdicts = () => store.query<{ state: number }>("select state from claims where state > 1 order by state");
  await until(async () => (await verdicts()).length === 2, "both verdicts", 300_000).catch((error: Error) => {
    throw new Error(`${error.message}\n${real1.stderr()}`);
  });
  expect((await verdicts()).map(({ state }) => state)).toEqual([2, 3]);
  const query = { task: real.task.name, args: argsOf(real.provenance) };
  const [best, ...more] = await alice.tracker.records.best(query);
  expect(more).toEqual([]);
  expect(best).toMatchObject({
    seconds: 0.25,
    record: { program: honest.program.digest, config: { entity: JSON.parse(honest.config) } },
  });
  const ofBob = (await bob.tracker.records.query(query)).records.map(({ program, standing }) => ({ program, standing }));
  expect(ofBob).toEqual(
    expect.arrayContaining([
      { program: honest.program.digest, standing: "verified" },
      { program: forged.program.digest, standing: "refuted" },
    ]),
  );
  const [said] = await store.query<{ message: string; builder: string }>("select message, builder from claims where state = 3");
  expect(said?.message).toBe(`it gives program ${real.programAt(5).digest}; ${forged.program.digest} was measured`);
  expect(said?.builder).toMatch(/ \d+\.\d+\.\d+/);
}, 600_000);
