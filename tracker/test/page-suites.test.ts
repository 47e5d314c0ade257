/** A suite on the page of the tracker that keeps it: what its logs say, and its winners measured on each other's shapes. */
import { toArtifactDigest, toProgramDigest } from "@warpfarm/common";
import { encodeTrial, type TrialRecord } from "@warpfarm/records/logs";
import type { SuiteDetail } from "@warpfarm/web";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, runOf, target, timedResult } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const bytes = (text: string) => new TextEncoder().encode(text);
const other = "cuda/sm_90";
const entity = (tile: number) => [["tile", "ot", tile]] as const;

/** A line of a log: a config, and the seconds it took. */
function line(sequence: number, shape: number, tile: number, seconds: number): string {
  const digest = `sha256:${String(shape * 100 + tile).padStart(64, "0")}`;
  const timed = timedResult(1, cpu(1), toArtifactDigest(digest));
  if (timed.kind !== "timed") throw new Error("not timed");
  const trial: TrialRecord = {
    run: { task: "matmul", args: [shape], target, tuner: "random", seed: 1 },
    session: "s",
    ...{ sequence, told: sequence - 1 },
    config: { index: tile, code_hash: null, entity: entity(tile) },
    program: toProgramDigest(digest),
    options: {
      ...{ number: 0, repeat: 3, precision: 0, minRepeatMs: 20, buildTimeoutMs: 1, runTimeoutMs: 1, cooldownMs: 0 },
      ...{ l2: "warm", timer: "wall", check: "reference", inputs: "full", power: "burst" },
    },
    result: { ...timed, artifact: toArtifactDigest(digest), costs: [seconds, seconds, seconds], timestampMs: Date.now() },
  };
  return `${encodeTrial(trial)}\n`;
}

/** Whatever is run takes 2 s. */
const answer: Answer = (given) => ({
  kind: "run",
  result: { ...timedResult(2, cpu(1), runOf(given).artifact), timestampMs: Date.now() },
});

/** id, shape, device, and what its log says: [tile, seconds]. */
type Task = readonly [string, number, string, readonly (readonly [number, number])[]];
const tasks: readonly Task[] = [
  [
    "a",
    1,
    target,
    [
      [2, 4],
      [1, 1],
    ],
  ],
  [
    "b",
    2,
    target,
    [
      [2, 3],
      [4, 1.6],
    ],
  ],
  [
    "c",
    1,
    other,
    [
      [1, 1.5],
      [4, 1],
    ],
  ],
];

type Made = Awaited<ReturnType<typeof farm>>;

/** A suite whose searches have ended; its id. */
async function searchedSuite(made: Made, of: readonly Task[] = tasks): Promise<string> {
  const c = made.client();
  const id = await c.tracker.suites.create({
    requestId: "r",
    name: "two",
    plan: bytes("{}"),
    tasks: of.map(([taskId, shape, key]) => ({
      taskId,
      document: bytes(
        JSON.stringify({
          search: { version: 1, task: { template: "matmul" }, args: [shape], target: key, key },
          weight: shape,
        }),
      ),
      template: "",
    })),
  });
  const claim = await c.tracker.suites.claim({ worker: "w", limit: 9, templates: [] });
  for (const { taskId, epoch } of claim?.tasks ?? []) {
    const [, shape = 0, , log = []] = of.find(([name]) => name === taskId) ?? [];
    const text = log.map(([tile, seconds], i) => line(i + 1, shape, tile, seconds)).join("");
    await c.tracker.suites.report({ suiteId: id, taskId, epoch, logAt: 0, log: bytes(text), ended: "trials" });
  }
  return id;
}

/** Measures a config, for a search or as `suite table --measure` does. */
async function measure(made: Made, shape: number, tile: number, tuner: string): Promise<void> {
  const client = made.client();
  await client.open({}, { provenance: { task: "matmul", args: [shape], tuner } });
  client.stream();
  const config = JSON.stringify(entity(tile));
  const program = { kind: "program", program: programOf(`${tuner} ${shape} ${tile}`.replace(/\W/g, "_")) } as const;
  client.raw({ kind: "input", sequence: 1, program, proposal: { config, trial: 1, told: 0 } });
  const session = client.session ?? "";
  const isThere = async () => (await made.store.query("select 1 from records where session = $1", [session])).length === 1;
  await until(isThere, "the record");
}

it("tells how near to its best each task was after 8 and 32 trials, where it has as many", async () => {
  const made = await farm({ http: "127.0.0.1:0" });
  // 4 s at first, 2 s from the fifth trial on, and 1 s from the tenth.
  const log = (count: number) => Array.from({ length: count }, (_, i) => [i + 1, i < 4 ? 4 : i < 9 ? 2 : 1] as const);
  const counts = [7, 8, 10, 32];
  const id = await searchedSuite(
    made,
    counts.map((count) => [`t${count}`, count, target, log(count)]),
  );
  const { rows } = (await (await fetch(`http://127.0.0.1:${made.tracker.httpPort}/api/suites/${id}`)).json()) as SuiteDetail;
  expect(rows.map(({ cells: [cell] }) => [cell?.trials, cell?.shareAfter])).toEqual([
    [7, []],
    [8, [1]],
    [10, [0.5]],
    [32, [0.5, 1]],
  ]);
});

it("has each task's best, what winners lose elsewhere, and the few kernels that serve all shapes", async () => {
  const made = await farm({ http: "127.0.0.1:0" });
  made.start(builder(made.address));
  made.start(runner(made.address, 1, answer));
  const id = await searchedSuite(made);
  const page = async (): Promise<SuiteDetail> =>
    (await (await fetch(`http://127.0.0.1:${made.tracker.httpPort}/api/suites/${id}`)).json()) as SuiteDetail;

  const alone = await page();
  expect(alone).toMatchObject({ name: "two", state: "ended", done: 3, devices: [target, other] });
  expect(alone.rows.map(({ args, weight, cells }) => [args, weight, cells.map(({ state, best }) => [state, best])])).toEqual([
    [
      [1],
      1,
      [
        ["trials", 1],
        ["trials", 1],
      ],
    ],
    [
      [2],
      2,
      [
        ["trials", 1.6],
        ["none", undefined],
      ],
    ],
  ]);
  expect(alone.courses.map(({ device, tasks, over, brought }) => [device, tasks, over.at(-1)?.share, brought])).toEqual([
    [
      target,
      2,
      1,
      [expect.stringMatching(/^the search itself: \d trials, 1\.000 of the best in 2 tasks; found the best of 2 of 2$/)],
    ],
    [
      other,
      1,
      1,
      [expect.stringMatching(/^the search itself: \d trials, 1\.000 of the best in 1 task; found the best of 1 of 1$/)],
    ],
  ]);
  // 1.5 s where the other device's own best takes 1 s; nobody has measured tile 4 on shape 1 here.
  expect(alone.portability).toEqual([
    {
      title: "matmul [1]",
      devices: [target, other],
      loss: [
        [0, 0.5],
        ["unmeasured", 0],
      ],
      common: { config: '{"tile":1}', worstLoss: 0.5 },
    },
  ]);
  expect(alone.tables).toMatchObject([{ meanRegret: 0, unmeasured: 2, shapes: [{ seconds: 1 }, { seconds: 1.6, weight: 2 }] }]);

  await measure(made, 1, 4, "auto");
  expect((await page()).portability).toEqual(alone.portability); // another search's time
  await measure(made, 1, 4, "winners of a suite");
  await measure(made, 2, 1, "winners of a suite");
  const whole = await page();
  expect(whole.portability[0]?.loss).toEqual([
    [0, 0.5],
    [1, 0],
  ]);
  // Tile 1 on shape 2: 2 s where 1.6 s is known; with both kernels nothing is lost.
  expect(whole.tables).toEqual([
    {
      ...{ task: "matmul", device: target, kernels: ['{"tile":1}', '{"tile":4}'], meanRegret: 0, worstRegret: 0, unmeasured: 0 },
      shapes: [
        { args: [1], weight: 1, kernel: 0, seconds: 1, bestSeconds: 1, regret: 0 },
        { args: [2], weight: 2, kernel: 1, seconds: 1.6, bestSeconds: 1.6, regret: 0 },
      ],
    },
  ]);
});
