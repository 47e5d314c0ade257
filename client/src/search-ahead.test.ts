/** A search with builds ahead: what it learns, in which order, and that a continued run learns the same. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactManifest, err, ok, type ProgramBytes, type ProgramDigest } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { readLog } from "@warpfarm/records/logs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AheadBuilder } from "./measure/builds-ahead.ts";
import { scriptedMeasurer, timedResult } from "./measure/scripted.testing.ts";
import { learntNote, learntOf } from "./record/learnt-note.ts";
import { openTuningLog } from "./record/tuning-log.ts";
import { indexOf, optionsOf, programOf, space, summaryOf, taskOf, textOf, trialsOf } from "./session.testing.ts";
import { runIdentity, tune } from "./session.ts";
import type { TuneEvent } from "./tune-events.ts";
import { autoTuner } from "./tuner/auto/auto.ts";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "warpfarm-ahead-"));
});
afterEach(() => rm(dir, { recursive: true }));

const key = "cuda/sm_90";
const configOf = (program: ProgramBytes): ConfigIndex => space.toIndex(indexOf({ program } as never));
const doesBuild = (index: number) => index % 5 !== 0;
/** Registers follow from the config and determine its time. */
const registersOf = (index: number) => 16 + ((index * 37) % 200);
const manifestOf = (index: number): ArtifactManifest => ({
  ...{ version: 1, target: key, format: "cubin", toolchain: "scripted", notes: [], buffers: [] },
  ...{ program: programOf(`program ${index}`).digest, code: `sha256:${"0".repeat(64)}` as never },
  kernels: [{ name: "k", grid: [64, 1, 1], block: [128, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
  resources: { registers: registersOf(index), spill_bytes: 0, static_shared_bytes: 1024 },
});

/** Builds all that is wanted at once. */
class InstantBuilder implements AheadBuilder {
  readonly asked: ConfigIndex[] = [];
  #wanted: readonly ProgramBytes[] = [];
  want(programs: readonly ProgramBytes[]): void {
    this.#wanted = programs;
    this.asked.push(...programs.map(configOf));
  }
  take(): ReadonlyMap<ProgramDigest, ArtifactManifest | undefined> {
    const ended = this.#wanted.map((program): [ProgramDigest, ArtifactManifest | undefined] => {
      const index = configOf(program);
      return [program.digest, doesBuild(index) ? manifestOf(index) : undefined];
    });
    this.#wanted = [];
    return new Map(ended);
  }
}

/** Every fourth config cannot be instantiated. */
const task = {
  ...taskOf(),
  instantiate: (index: ConfigIndex) =>
    index % 4 === 3
      ? err({ rule: "x", message: "no" } as never)
      : (ok({ program: programOf(`program ${index}`) }) as ReturnType<ReturnType<typeof taskOf>["instantiate"]>),
};
const measurer = () =>
  scriptedMeasurer((input) => timedResult(textOf(input) === "default" ? 1 : registersOf(indexOf(input)) / 1000), { width: 2 });

async function run(resume: boolean, trials: number, builder: AheadBuilder = new InstantBuilder()): Promise<TuneEvent[]> {
  await using log = await openTuningLog(join(dir, "run.jsonl"), { run: runIdentity(task, "auto", 5), resume });
  const tuner = autoTuner({ space, seed: 5, isValid: (index) => index % 7 !== 1, builtAhead: 8 });
  const events: TuneEvent[] = [];
  const options = optionsOf({
    ...{ task, log, trials, measurer: measurer(), inFlight: 3, ahead: { builder, key } },
    tuner: { name: "auto", seed: 5, tuner },
  });
  for await (const event of tune(options)) events.push(event);
  return events;
}
const proposed = (events: readonly TuneEvent[]) =>
  trialsOf(events).map(({ trial }) => [trial.sequence, trial.config.index] as const);

it("learns what it wants, measures no config that does not build, and says how many were built and not measured", async () => {
  const builder = new InstantBuilder();
  const events = await run(false, 24, builder);
  const { ahead } = summaryOf(events);
  const tried = new Set(proposed(events).map(([, index]) => index));
  const learnt = learntOf(readLog(await readFile(join(dir, "run.jsonl"), "utf8")).notes, space).flatMap(({ built }) => built);
  const good = learnt.filter(({ facts }) => facts !== undefined).map(({ index }) => index);
  expect(good.every((index) => doesBuild(index) && index % 4 !== 3)).toBe(true);
  expect(ahead).toEqual({
    built: good.length,
    failed: learnt.length - good.length,
    unmeasured: good.filter((index) => !tried.has(index)).length,
  });
  expect(ahead?.unmeasured).toBeGreaterThan(8);
  // None was proposed after the tuner learnt that it does not build.
  const order = new Map(proposed(events).map(([sequence, index]) => [index, sequence]));
  const notes = learntOf(readLog(await readFile(join(dir, "run.jsonl"), "utf8")).notes, space);
  for (const { asked, built } of notes)
    for (const { index, facts } of built) if (!facts) expect(order.get(index) ?? 0).toBeLessThanOrEqual(asked);
  // What the static check refuses is not built.
  expect(builder.asked.filter((index) => index % 7 === 1)).toEqual([]);
});

it("a run that was cut off goes on with the same proposals, whatever the builders do then", async () => {
  const whole = new Map(proposed(await run(false, 30)));
  const path = join(dir, "run.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n");
  for (const keep of [12, 25, lines.length - 6]) {
    await writeFile(path, `${lines.slice(0, keep).join("\n")}\n`);
    const idle: AheadBuilder = { want: () => {}, take: () => new Map() };
    const events = await run(true, 30, idle);
    const [first] = events;
    const resumed = first?.kind === "resumed" ? first : undefined;
    expect(resumed?.diverged ?? 0).toBe(0);
    // Configs in flight are measured first: they were proposed with what had been learnt.
    const cut = readLog(`${lines.slice(0, keep).join("\n")}\n`).records.flatMap((r) => (r.kind === "warpfarm" ? [r.trial] : []));
    const last = Math.max(0, ...cut.map(({ sequence }) => sequence));
    for (const [sequence, index] of proposed(events)) if (sequence <= last) expect(whole.get(sequence)).toBe(index);
  }
});

it("a log's note reads back, and one of another release is passed over", () => {
  const learnt = {
    asked: 3,
    built: [
      {
        index: space.toIndex(7),
        facts: { registers: 66, spilledBytes: 8, sharedBytes: 1024, threads: 128, blocks: 64, occupancy: 0.5, residentBlocks: 8 },
      },
      { index: space.toIndex(8), facts: undefined },
      {
        index: space.toIndex(9),
        facts: {
          ...{ registers: 32, spilledBytes: 0, sharedBytes: 0, threads: 64, blocks: 64, occupancy: 1, residentBlocks: 32 },
          instructions: { fma: 512, tensor: 0, shared: 64, global: 12, barrier: 4, branch: 6, other: 300 },
        },
      },
    ],
  };
  const note = JSON.parse(JSON.stringify(learntNote(learnt)));
  expect(learntOf([{ facts: { asked: 1 } }, note, { default: {} }], space)).toEqual([learnt]);
});
