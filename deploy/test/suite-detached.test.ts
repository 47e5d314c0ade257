/**
 * A suite handed to the farm: one `suite work` is killed (SIGKILL) in the middle, and another continues from the logs on the
 * farm, long after the client that handed the suite over has ended. A task waits when a worker lacks its template's file, and
 * status names the file.
 */
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { processFarm } from "./process-farm.testing.ts";

const template = fileURLToPath(new URL("../../examples/dense-relu.ts", import.meta.url));
const suite = `
name: handed
tasks:
  - task: matmul_derived
    shapes: {ranges: {M: [16, 32], N: [16], K: [16]}}
  - task: ${template}
    args: {batch: 8, features: 16, units: 16}
budget: {trials: 3}
tuner: random
finalists: 0
in_flight: 2
measure: {repeat: 1, min_repeat: 1ms}
`;

test("a worker is killed, another ends the suite", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  const farm = processFarm();
  await farm.start();
  const { place: at, address } = farm;
  writeFileSync(at.path("handed.yaml"), suite);
  const handed = await command(at, [
    "suite",
    "run",
    "handed.yaml",
    "--dir",
    "state",
    "--detach",
    "--tracker",
    address,
    "--allow-include",
    dirname(template),
  ]);
  expect(handed.code, handed.stderr).toBe(0);

  interface Task {
    readonly trials: number;
    readonly state: string;
    readonly waits_for: string | null;
  }
  const status = async (): Promise<readonly Task[]> => {
    const told = await command(at, ["suite", "status", "state", "--json"]);
    expect(told.code, told.stderr).toBe(0);
    return JSON.parse(told.stdout).tasks;
  };
  await using connection = connect({ address });
  const [, suiteId = ""] = /^suite (\S+) of /.exec(handed.stdout) ?? [];
  type Kept = Awaited<ReturnType<typeof connection.suites.get>>;
  /** When the farm has it so: it tells each change. */
  const reached = async (is: (now: Kept) => boolean | Promise<boolean>): Promise<void> => {
    for await (const now of connection.suites.watch(suiteId)) if (await is(now)) return;
  };
  /** Trials in the logs that the farm has. */
  const logged = async ({ tasks }: Kept): Promise<number> => {
    const logs = await Promise.all(tasks.map(({ taskId }) => connection.suites.log(suiteId, taskId, 0)));
    return (
      Buffer.concat(logs)
        .toString()
        .match(/"sequence":/g)?.length ?? 0
    );
  };
  const trialsOf = (tasks: readonly Task[]) => tasks.reduce((sum, { trials }) => sum + trials, 0);
  const first = farm.begin("suite", "work", "--tracker", address);
  await reached(async (now) => (await logged(now)) >= 3);
  const before = await status();
  expect(before[2]?.waits_for).toMatch(/^needs template .*dense-relu\.ts sha256:[0-9a-f]{64}$/);
  first.kill("SIGKILL");
  await first.finished;
  const left = await status();

  farm.begin("suite", "work", "--tracker", address, "--template", template);
  await reached(({ endedCount }) => endedCount === 3);
  const after = await status();
  expect(after.map(({ state }) => state)).toEqual(["ended", "ended", "ended"]);
  expect(after.map(({ trials }) => trials)).toEqual([3, 3, 3]);
  expect(trialsOf(left)).toBeGreaterThanOrEqual(3);
});

test("a farm of the demo that is kept searches what is handed to it", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "cc");
  if (!isFull) ctx.skip("part of the campaign: the test above hands a suite to a farm, and pack.test.ts starts a farm");
  const farm = processFarm();
  const { place: at } = farm;
  const demo = farm.begin("demo", "--device", "cpu", "--trials", "1", "--keep");
  await until(() => demo.stderr().includes("works on suites"), "the demo's farm", 300_000);
  const [, address = ""] = /--tracker (\S+) \(Ctrl-C/.exec(demo.stderr()) ?? [];
  const [head = ""] = suite.split("  - task: /");
  writeFileSync(at.path("one.yaml"), head.replace("[16, 32]", "[16]") + suite.slice(suite.indexOf("\nbudget")));
  const handed = await command(at, ["suite", "run", "one.yaml", "--dir", "one", "--detach", "--tracker", address]);
  expect(handed.code, handed.stderr).toBe(0);
  await using connection = connect({ address });
  const [, suiteId = ""] = /^suite (\S+) of /.exec(handed.stdout) ?? [];
  for await (const { endedCount } of connection.suites.watch(suiteId)) if (endedCount === 1) break;
  const told = await command(at, ["suite", "status", "one", "--json"]);
  expect(JSON.parse(told.stdout).tasks).toMatchObject([{ state: "ended", trials: 3 }]);
  demo.kill("SIGINT");
  expect((await demo.finished).code).toBe(130);
});
