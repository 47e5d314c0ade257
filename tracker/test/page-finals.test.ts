/** Finalists on the page of a tracker: found by their programs, in the owner's last session that measured them interleaved. */
import type { RunDetail } from "@warpfarm/web";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, timedResult } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const rounds = 16;
/** Of all: what they compute is one thing. */
const reference = { kind: "program", program: programOf("reference") } as const;

/** Every program takes 3 s alone, but for one. Interleaved the second is the fastest. */
const answer: Answer = async ({ job }, { tracker }) => {
  if (job.kind !== "run") throw new Error("not a run");
  const manifest = JSON.parse(Buffer.from(await tracker.artifacts.download(job.artifact)).toString()) as { program: string };
  const seconds = manifest.program === programOf("little_slower").digest ? 3.02 : 3;
  const result = { ...timedResult(seconds, cpu(1), job.artifact), timestampMs: Date.now() };
  if (!job.paired || result.kind !== "timed") return { kind: "run", result };
  const paired = [job.artifact, ...job.paired.others].map((artifact, i) => ({
    artifact,
    costs: Array.from({ length: rounds }, (_, round) => (i === 1 ? 1 : 2 + i) * (1 + round / 1e3)),
    number: 1,
  }));
  return { kind: "run", result: { ...result, paired } };
};

async function stage() {
  const made = await farm({ http: "127.0.0.1:0" });
  made.start(builder(made.address));
  const measuring = runner(made.address, 1, answer, {});
  made.start(measuring);
  await until(() => measuring.registered !== undefined, "the runner");
  const recorded = (session: string | undefined, count: number) =>
    until(
      async () => (await made.store.query("select 1 from records where session = $1", [session ?? ""])).length === count,
      `${count} records`,
    );
  const ended = async (c: ReturnType<typeof made.client>, count: number) => {
    await recorded(c.session, count);
    await c.tracker.farm.closeSession(c.session as NonNullable<typeof c.session>);
    return c.session ?? "";
  };
  /** A search: tiles 10, 11, ... of these programs. */
  const searched = async (...names: readonly string[]) => {
    const c = made.client();
    await c.open({ check: "reference" }, { provenance: { task: "matmul", args: [1], tuner: "auto" } });
    c.stream();
    for (const [i, name] of names.entries())
      c.raw({
        kind: "input",
        sequence: i + 1,
        program: { kind: "program", program: programOf(name) },
        reference,
        proposal: {
          config: JSON.stringify([["tile", "ot", 10 + i]]),
          trial: i + 1,
          told: 0,
        },
      });
    return ended(c, names.length);
  };
  const again = async (...names: readonly string[]) => {
    const c = made.client();
    await c.open(
      { check: "reference" },
      { paired: { rounds, idleMs: 1 }, provenance: { task: "matmul", args: [1], tuner: "auto" } },
    );
    c.stream();
    const [program, ...others] = names.map((name) => ({ kind: "program", program: programOf(name) }) as const);
    if (program) c.raw({ kind: "input", sequence: 1, program, others, reference });
    return ended(c, names.length);
  };
  const shown = async (id: string) =>
    (await (await fetch(`http://127.0.0.1:${made.tracker.httpPort}/api/runs/${id}`)).json()) as RunDetail;
  const listed = async (id: string) => {
    const { runs } = await (await fetch(`http://127.0.0.1:${made.tracker.httpPort}/api/runs`)).json();
    return (runs as RunDetail[]).find((run) => run.id === id)?.best;
  };
  return { searched, again, shown, listed };
}

it("are shown with their verdicts, of the last measurement, and not of programs that are another search's", async () => {
  const { searched, again, shown, listed } = await stage();
  const [run, other] = [await searched("a", "b", "c"), await searched("d", "e")];
  await until(async () => (await shown(run)).state === "ended", "the run ended");
  expect((await shown(run)).finals).toBeUndefined();
  expect((await shown(run)).best).toBe(3);
  await again("a", "c");
  expect((await shown(run)).finals?.ranks.map(({ config }) => config)).toEqual(["tile 12", "tile 10"]);
  await again("c", "b", "a");
  const { finals } = await shown(run);
  expect(finals?.rounds).toBe(rounds);
  expect(finals?.ranks.map(({ config, words }) => [config, words])).toEqual([
    ["tile 11", "the winner"],
    ["tile 12", "100.00 % slower"],
    ["tile 10", "300.00 % slower"],
  ]);
  expect(finals?.ranks[0]?.seconds).toBeCloseTo(1.0075, 3);
  // The best is the winner of the rounds, here and in the list, which is worked out after a result is stored.
  expect((await shown(run)).best).toBe(finals?.ranks[0]?.seconds);
  await until(async () => (await listed(run)) === finals?.ranks[0]?.seconds, "the winner's time in the list");
  await until(async () => (await shown(other)).state === "ended", "the other ended");
  await again("a", "d");
  expect((await shown(other)).finals).toBeUndefined();
  expect((await shown(run)).finals?.ranks).toHaveLength(3);
});

it("the list names the time of the best by the one rule, not the least: of tied configs the first by its values", async () => {
  const { searched, listed } = await stage();
  const run = await searched("little_slower", "fast");
  await until(async () => (await listed(run)) === 3.02, "the run in the list, with the first of those that are tied");
});
