/**
 * Finalists: which they are, how they are measured, kept in the log and found there again, and the message when that is
 * impossible.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Clock,
  defaultMeasureOptions,
  digestOf,
  FarmError,
  type MeasureInput,
  type MeasureResult,
  ok,
  type ProgramBytes,
  Random,
  systemClock,
  toArtifactDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { entityOf, SpaceBuilder } from "@warpfarm/compiler";
import { decodeLine, readLog } from "@warpfarm/records/logs";
import { resultsOf } from "@warpfarm/records/suites";
import { afterEach, describe, expect, test } from "vitest";
import type { MeasureInTurns, Turns } from "../measure/in-turns.ts";
import { failedResult, scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import { type Candidate, fastestOf } from "./finalists.ts";
import { specFor } from "./session.testing.ts";
import { type TunableTask, tune } from "./session.ts";
import type { TuneSummary } from "./tune-events.ts";
import { openTuningLog } from "./tuning-log.ts";

const programOf = (text: string): ProgramBytes => {
  const bytes = new TextEncoder().encode(text);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
};
const builder = new SpaceBuilder();
builder.choice(
  "a",
  Array.from({ length: 40 }, (_, i) => i),
);
const space = builder.build();
const configAt = (index: number) => entityOf(space, space.toIndex(index));
/** Configs 20 and 30 make one program. */
const toy: TunableTask = {
  name: "toy",
  args: [40],
  target: "cpu/x86-64-v3",
  flops: 2e9,
  space,
  reference: programOf("default"),
  instantiate: (index) => ok({ program: programOf(`program ${index === 30 ? 20 : index}`) }),
};
const numberOf = ({ bytes }: { readonly bytes: Uint8Array }) => Number(new TextDecoder().decode(bytes).split(" ")[1]);
/** The higher the index the slower, except for 20, which is fastest. */
const searched = ({ program }: MeasureInput): MeasureResult => {
  const at = numberOf(program);
  return timedResult(at === 20 ? 0.5 : 1 + at / 100);
};
const options = defaultMeasureOptions("cpu");
const paired = { rounds: 24, idleMs: 1 };

/** `time` of a program; each cost is within 0.5 % of it. */
const turnsResult = (turns: Turns, time: (index: number) => number, node = "one"): MeasureResult => {
  const result = timedResult(1);
  if (result.kind !== "timed") throw new Error("timed");
  const programs = [turns.program, ...turns.others].map((p) => numberOf(p as ProgramBytes));
  const each = programs.map((at) => {
    const random = new Random(Number.isNaN(at) ? 99 : at);
    const costs = Array.from({ length: paired.rounds }, () => time(at) * (1 + 0.01 * (random.float() - 0.5)));
    return { costs, number: 1, artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`) };
  });
  return { ...result, device: { ...result.device, node }, paired: each };
};

const scratch: string[] = [];
afterEach(() => {
  for (const at of scratch.splice(0)) rmSync(at, { recursive: true });
});
const logPath = () => {
  scratch.push(mkdtempSync(join(tmpdir(), "warpfarm-finalists-")));
  return join(scratch.at(-1) ?? "", "log.jsonl");
};

/** A whole run of the space, or the rest of one; and the interleaved measurements that it asked for. */
async function search(
  measure: MeasureInTurns,
  o: {
    path?: string;
    count?: number;
    trials?: number;
    rounds?: number;
    clock?: Clock;
    /** The time of the default schedule in the search, and its program in place of the reference. */
    base?: MeasureResult;
    baseProgram?: ProgramBytes;
  } = {},
) {
  const asked: Turns[] = [];
  const { path, count = 3, trials = 40, rounds = paired.rounds, clock = systemClock } = o;
  const spec = specFor(toy, "grid", 0);
  await using log = path === undefined ? undefined : await openTuningLog(path, { spec, resume: scratchHas(path) });
  let summary: TuneSummary | undefined;
  const kinds: string[] = [];
  for await (const event of tune({
    task: o.baseProgram ? { ...toy, base: o.baseProgram } : toy,
    tuner: { name: "grid", seed: 0, tuner: tuners.grid({ space, seed: 0, isValid: () => true }) },
    measurer: scriptedMeasurer((input) => (input.sequence === 0 ? (o.base ?? timedResult(9)) : searched(input))),
    options,
    trials,
    inFlight: 4,
    session: "s",
    clock,
    signal: new AbortController().signal,
    ...(log ? { log } : {}),
    finalists: {
      count,
      paired: { ...paired, rounds },
      options,
      measure: (turns, more) => {
        asked.push(turns);
        return measure(turns, more);
      },
    },
  })) {
    kinds.push(event.kind);
    if (event.kind === "finished") summary = event.summary;
  }
  if (!summary) throw new Error("no summary");
  return {
    summary,
    kinds,
    asked: asked.map((turns) => [turns.program, ...turns.others].map((p) => numberOf(p as ProgramBytes))),
  };
}
const scratchHas = (path: string): boolean => {
  try {
    return readFileSync(path).length > 0;
  } catch {
    return false;
  }
};
const once =
  (time: (index: number) => number): MeasureInTurns =>
  async (turns) => [turnsResult(turns, time)];

describe("after a search", () => {
  test("its fastest programs are measured again, each once, and the winner is the best", async () => {
    const { summary, asked, kinds } = await search(once((at) => (at === 1 ? 0.4 : 1)));
    expect(asked).toEqual([[20, 0, 1]]);
    expect(kinds.slice(-2)).toEqual(["finalists", "finished"]);
    if (summary.finals?.kind !== "judged") throw new Error("not judged");
    expect(summary.best?.trial.config.index).toBe(1);
    expect(summary.best?.seconds).toBeCloseTo(0.4, 2);
    expect(summary.best?.gflops).toBeCloseTo(5, 1);
    expect(summary.finals.verdict.winner.config).toEqual(configAt(1));
    expect(summary.finals.verdict.tied).toEqual([]);
  });

  test("that took many times as long as in it is noted, and no other", async () => {
    const notesOf = async (slow: number) => {
      const { summary } = await search(once((at) => slow * (at === 20 ? 0.5 : 1 + at / 100)));
      return summary.finals?.kind === "judged" ? summary.finals.notes : undefined;
    };
    expect(await notesOf(6)).toEqual([expect.stringMatching(/^the finalists took [56]\.\d times as long as in the search, /)]);
    expect(await notesOf(2)).toEqual([]);
  });

  test("of equal times the first by their values are finalists", () => {
    const candidate = (at: number, seconds: number): Candidate => {
      const program = programOf(`program ${at}`);
      return { config: configAt(at), program: program.digest, seconds, bytes: () => program };
    };
    // As text 10 comes before 9.
    const fastest = fastestOf([candidate(9, 2), candidate(10, 2), candidate(2, 1)], 2);
    expect(fastest.map(({ config }) => config)).toEqual([configAt(2), configAt(10)]);
  });

  test("of those that cannot be told apart the first by its values wins", async () => {
    const { summary } = await search(once(() => 1));
    expect(summary.best?.trial.config.index).toBe(0);
    expect(summary.runnerUp?.trial.config.index).not.toBe(0);
    const tied = summary.finals?.kind === "judged" ? summary.finals.verdict.tied.map(({ config }) => JSON.stringify(config)) : [];
    expect(tied.toSorted()).toEqual([1, 20].map((at) => JSON.stringify(configAt(at))).toSorted());
  });

  test("one that fails is out, is named, and the others are measured without it", async () => {
    const wrong = failedResult(5, "output differs");
    const measure: MeasureInTurns = async (turns) => {
      const at = [turns.program, ...turns.others].findIndex((p) => numberOf(p as ProgramBytes) === 20);
      const result = at < 0 ? turnsResult(turns, (i) => 1 + i) : { ...wrong, failedProgram: at };
      return [result as MeasureResult];
    };
    const path = logPath();
    const { summary, asked } = await search(measure, { path });
    expect(asked).toEqual([
      [20, 0, 1],
      [0, 1],
    ]);
    expect((await search(measure, { path })).asked, "known from the log").toEqual([]);
    expect(summary.best?.trial.config.index).toBe(0);
    expect(summary.finals).toMatchObject({
      kind: "judged",
      finals: {
        failed: [{ config: configAt(20), message: "WRONG_ANSWER: output differs" }],
        finalists: [{ config: configAt(0) }, { config: configAt(1) }],
      },
    });
    const two = await search(measure, { count: 2 });
    expect(two.summary.finals).toMatchObject({ kind: "skipped", why: "the search left one program to compare" });
    expect(two.summary.best?.trial.config.index).toBe(0);
  });

  test("the time they take is not the search's, whose trials a second stay what they were", async () => {
    let now = 0;
    const clock: Clock = { ...systemClock, monotonic: () => now };
    const { summary } = await search(
      async (turns) => {
        now += 1_000_000;
        return [turnsResult(turns, () => 1)];
      },
      { clock },
    );
    expect(summary.finals?.kind).toBe("judged");
    expect(summary.wallSeconds).toBe(0);
  });

  test("what the farm cannot do is one sentence, and the search's best stays", async () => {
    const refused: MeasureInTurns = async () => {
      throw new FarmError("FAILED_PRECONDITION", "selector cuda is ambiguous");
    };
    const { summary } = await search(refused);
    expect(summary.best?.trial.config.index).toBe(20);
    expect(summary.finals).toMatchObject({ kind: "skipped", why: expect.stringContaining("is ambiguous") });
    const lost: MeasureInTurns = async () => {
      throw new FarmError("UNAVAILABLE", "no answer from the tracker");
    };
    await expect(search(lost)).rejects.toThrow("no answer");
    const given = await search(async () => [failedResult(8, "given up")]);
    expect(given.summary.finals).toMatchObject({ kind: "skipped", why: "UNKNOWN_ERROR: given up" });
  });

  test("a runner that answers another question is no finalist's time", async () => {
    const { summary } = await search(async () => [timedResult(1)]);
    expect(summary.finals).toMatchObject({
      kind: "skipped",
      why: expect.stringContaining("did not give the costs of 3 interleaved programs"),
    });
  });
});

/** The longest that is measured with the finalists. */
const quickDefault = timedResult(0.1);

describe("the default schedule", () => {
  const inRounds = (at: number) => (Number.isNaN(at) ? 3 : at === 1 ? 0.4 : 1);

  test("is in the finalists' rounds, whose ratio is the speed-up, not that of times of different moments", async () => {
    const { summary, asked } = await search(once(inRounds), { base: quickDefault });
    expect(asked).toEqual([[20, 0, 1, Number.NaN]]);
    const alone = await search(once(inRounds));
    if (summary.finals?.kind !== "judged" || alone.summary.finals?.kind !== "judged") throw new Error("not judged");
    expect(summary.speedUp?.estimate).toBeCloseTo(7.5, 1);
    expect(summary.speedUp?.low).toBeLessThan(summary.speedUp?.estimate ?? 0);
    expect(summary.default?.score?.seconds).toBeCloseTo(3, 1);
    expect(summary.default?.score?.gflops).toBeCloseTo(2 / 3, 1);
    const { default: measured, ...verdict } = summary.finals.verdict;
    expect(measured?.ratio).toEqual(summary.speedUp);
    expect(verdict, "it is no contender").toEqual(alone.summary.finals.verdict);
    expect(summary.best).toEqual(alone.summary.best);
  });

  test("is left out where a run of it is longer than a tenth of a second, or where it could not be timed", async () => {
    for (const base of [timedResult(0.1 + 1e-6), failedResult(7)]) {
      const { summary, asked } = await search(once(inRounds), { base });
      expect(asked).toEqual([[20, 0, 1]]);
      expect(summary.speedUp).toBeUndefined();
      expect(summary.default?.result).toEqual(base);
      expect(summary.best?.trial.config.index).toBe(1);
    }
  });

  test("that fails there is out with a note, and no finalist is blamed", async () => {
    const measure: MeasureInTurns = async (turns) => {
      const at = turns.others.findIndex((program) => Number.isNaN(numberOf(program as ProgramBytes)));
      const failed = { ...failedResult(7, "too slow"), failedProgram: at + 1 } as MeasureResult;
      return [at < 0 ? turnsResult(turns, inRounds) : failed];
    };
    const { summary, asked } = await search(measure, { base: quickDefault });
    expect(asked).toEqual([
      [20, 0, 1, Number.NaN],
      [20, 0, 1],
    ]);
    expect(summary.finals).toMatchObject({
      finals: { failed: [], finalists: { length: 3 } },
      notes: ["the default schedule failed when it was measured again: RUN_TIMEOUT: too slow"],
    });
    expect(summary.best?.trial.config.index).toBe(1);
    expect(summary.speedUp).toBeUndefined();
    expect(summary.default?.score?.seconds).toBe(0.1);
  });

  test("that is a finalist's program is not measured twice", async () => {
    const { summary, asked } = await search(once(inRounds), { base: quickDefault, baseProgram: programOf("program 0") });
    expect(asked).toEqual([[0, 20, 1]]);
    expect(summary.speedUp?.estimate).toBeCloseTo(2.5, 1);
  });

  test("keeps its rounds in the log, and a resumed search its speed-up", async () => {
    const path = logPath();
    const first = await search(once(inRounds), { path, base: quickDefault });
    const again = await search(once(inRounds), { path, base: quickDefault });
    expect(again.asked).toEqual([]);
    expect(first.summary.speedUp).toBeDefined();
    expect(again.summary.speedUp).toEqual(first.summary.speedUp);
    const task = { id: "t", search: specFor(toy, "grid", 0), weight: 1 };
    const { defaultSeconds, best } = resultsOf(task, readLog(readFileSync(path, "utf8")));
    expect(defaultSeconds).toBeCloseTo(3, 1);
    expect(best?.seconds).toBeCloseTo(0.4, 2);
  });
});

describe("a log", () => {
  test("has the finals, in a row that AutoTVM skips; resumed, they are measured again only when they would be others", async () => {
    const path = logPath();
    const time = (at: number) => (at === 1 ? 0.4 : 1 + at);
    const first = await search(once(time), { path });
    const text = readFileSync(path, "utf8");
    const rows = text.split("\n").filter((line) => line.includes('{"finalists"'));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/^# warpfarm \{/);
    expect(readLog(text).records).toHaveLength(40);
    expect(() => decodeLine(text.split("\n").find((line) => line.startsWith("{")) ?? "")).not.toThrow();
    const again = await search(once(time), { path });
    expect(again.asked).toEqual([]);
    expect(again.kinds).not.toContain("finalists");
    if (first.summary.finals?.kind !== "judged" || again.summary.finals?.kind !== "judged") throw new Error("not judged");
    expect(again.summary.finals.verdict).toEqual(first.summary.finals.verdict);
    expect(again.summary.best).toEqual(first.summary.best);
    for (const other of [{ count: 4 }, { rounds: 23 }])
      expect((await search(once(time), { path, ...other })).asked).toHaveLength(1);
  });

  test("of a run that goes on has new finals when others lead", async () => {
    const path = logPath();
    await search(
      once((at) => 1 + at),
      { path, trials: 5 },
    );
    expect(
      (
        await search(
          once((at) => 1 + at),
          { path, trials: 40 },
        )
      ).asked,
    ).toEqual([[20, 0, 1]]);
    // Of two finals in a log the later is that of its leaders.
    const again = await search(
      once((at) => 1 + at),
      { path, trials: 40 },
    );
    expect(again.asked).toEqual([]);
  });
});
