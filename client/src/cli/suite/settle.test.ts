/**
 * `suite settle`: two runs get one file of choices, by rounds whose true times are known; what is refused; what a kill leaves.
 */
import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FarmError } from "@warpfarm/common";
import { type Bucket, choicesText, type Pack, packOf } from "@warpfarm/records/packs";
import { type Entity, type Finals, nameOfConfig } from "@warpfarm/records/suites";
import { describe, expect, it } from "vitest";
import { SuiteDirectory } from "../../suite/directory.ts";
import { entityAt, indexOf, isNamed, kernelAt, roundsOf, suiteIn, tasks } from "../../suite/pack.testing.ts";
import { appendRounds, bucketOf, packIn, writePack } from "../../suite/pack-folder.ts";
import { scratch } from "../context.testing.ts";
import type { Rivals } from "./measure-pairs.ts";
import { type MeasureRivals, settleRuns } from "./settle.ts";

/** The true times are those of index 3 first; 2 and 4 differ by less than anybody can see. */
const trueTime = (shape: number) => (config: Entity) =>
  [1e-6, 1.0001e-6, 9e-7, 1e-6][[2, 4, 3].indexOf(indexOf(shape, config))] ?? 2e-6;
/** t0: 2 or 3, within the noise. t1: both take 4. t2: 2 or 4, far apart in each run. */
const times = {
  a: [
    [1, 1.002, 3],
    [3, 2, 1],
    [1, 3, 2],
  ].map((row) => row.map((each) => each * 1e-6)),
  b: [
    [1.004, 1, 3],
    [3, 2, 1],
    [2, 3, 1],
  ].map((row) => row.map((each) => each * 1e-6)),
};
const silent = { stderr: { write: () => true } };

async function twoRuns() {
  const home = scratch();
  const runs = [];
  for (const [name, all] of Object.entries(times)) runs.push({ name, directory: await suiteIn(join(home, name), all) });
  const [a, b] = runs as [(typeof runs)[number], (typeof runs)[number]];
  return { home, a, b };
}

/** Measures with true times, and remembers what it was asked; fails after `most` buckets. */
function measurer(most = Number.POSITIVE_INFINITY) {
  const asked: Rivals[] = [];
  const known: ReadonlyMap<string, readonly Finals[]>[] = [];
  const measure: MeasureRivals = async (_, rivals, before, keep) => {
    known.push(before);
    const found = new Map<string, Finals>();
    for (const rival of rivals) {
      asked.push(rival);
      if (found.size === most) throw new FarmError("UNAVAILABLE", "the farm is gone");
      const { id } = rival.bucket;
      const finals = before.get(id)?.at(-1) ?? roundsOf(rival.kernels, trueTime(Number(id.slice(1))));
      found.set(id, finals);
      if (!before.has(id)) await keep(rival.bucket, finals);
    }
    return found;
  };
  return { asked, known, measure };
}

const choicesIn = ({ directory }: { readonly directory: SuiteDirectory }) => readFileSync(join(directory.path, "choices.json"));

it("measures what differs, and both runs have the same bytes", async () => {
  const { a, b } = await twoRuns();
  const before = [await packIn(a.directory, "a"), await packIn(b.directory, "b")];
  expect(before.map((pack) => [chosenIn(pack, 1), chosenIn(pack, 2)])).toEqual([
    [entityAt(1, 4), entityAt(2, 2)],
    [entityAt(1, 4), entityAt(2, 4)],
  ]);
  const { asked, measure } = measurer();
  const settled = await settleRuns(silent, [a, b], measure);
  expect(choicesIn(a).equals(choicesIn(b))).toBe(true);
  const differed = asked.map(({ bucket }) => bucket.id);
  expect(settled).toMatchObject({ buckets: 3, differed: differed.length, measured: differed.length, apart: 0 });
  expect(differed).toContain("t2");
  // 2 and 4 cannot be told apart: the first by the text of its values wins, and the other is tied.
  const [, , last] = (await packIn(a.directory, "a")).choices.buckets as readonly Bucket[];
  const pair = [kernelAt(2, 2), kernelAt(2, 4)].sort((x, y) => (nameOfConfig(x.config) < nameOfConfig(y.config) ? -1 : 1));
  expect(last?.choice).toEqual({ kind: "config", ...pair[0], tied: [pair[1]] });
  const [one, two] = [await packIn(a.directory, "a"), await packIn(b.directory, "b")];
  expect(one.evidence.map(({ rounds }) => rounds.length)).toEqual(two.evidence.map(({ rounds }) => rounds.length));
  const again = measurer();
  expect(await settleRuns(silent, [b, a], again.measure)).toMatchObject({ differed: 0, measured: 0, choices: settled.choices });
  expect(again.asked).toEqual([]);
});

it("knows the rounds that either run kept, those of the other after its own", async () => {
  const { a, b } = await twoRuns();
  const [, , bucket] = (await packIn(a.directory, "a")).choices.buckets as readonly Bucket[];
  const rounds = [3e-6, 4e-6].map((seconds) => roundsOf([kernelAt(2, 2), kernelAt(2, 4)], () => seconds));
  await appendRounds(b.directory, bucket as Bucket, rounds[1] as Finals);
  await appendRounds(a.directory, bucket as Bucket, rounds[0] as Finals);
  const { known, measure } = measurer();
  await settleRuns(silent, [a, b], measure);
  expect(known[0]?.get("t2")?.map(({ runs }) => runs)).toEqual(rounds.map(({ runs }) => runs));
});

const chosenIn = ({ choices }: Pack, at: number) => {
  const { choice } = choices.buckets[at] as Bucket;
  return choice.kind === "config" ? choice.config : choice.kind;
};

it("gives the same bytes whichever run is named first, and takes the faster of two that are apart", async () => {
  const { home, a, b } = await twoRuns();
  for (const name of ["a", "b"]) cpSync(join(home, name), join(home, `${name}2`), { recursive: true });
  const copy = (name: string) => ({ name, directory: new SuiteDirectory(join(home, name)) });
  const faster: MeasureRivals = async (_, rivals) =>
    new Map(
      rivals.map(({ bucket, kernels }) => {
        const slow = kernelAt(2, 2).config;
        return [bucket.id, roundsOf(kernels, (config) => (isNamed(config, slow) ? 1.05e-6 : 1e-6))];
      }),
    );
  expect(await settleRuns(silent, [a, b], faster)).toMatchObject({ apart: 1 });
  await settleRuns(silent, [copy("b2"), copy("a2")], faster);
  expect(choicesIn(a).equals(choicesIn(copy("a2")))).toBe(true);
  const last = (await packIn(a.directory, "a")).choices.buckets[2] as Bucket;
  expect(last.choice).toEqual({ kind: "config", ...kernelAt(2, 4), tied: [] });
});

/** A run of one bucket, which a template serves. */
async function runOf(name: string, template: string, seconds: number, choice?: Bucket["choice"], trials = 8) {
  const directory = new SuiteDirectory(scratch());
  const { search } = tasks[0] as (typeof tasks)[number];
  const task = {
    ...{ id: "matmul-x", weight: 1, operator: { name: "matmul", args: [4, 16, 8, "float32", "NN"] } },
    search: { ...search, task: { template } },
  };
  const bucket = bucketOf(task, choice ?? { kind: "config", ...kernelAt(0, 2), tied: [] }, "scripted");
  const evidence = { id: task.id, trials, seconds, low: seconds * 0.98, high: seconds * 1.02, rounds: [] };
  await writePack(directory.path, packOf("ops", [{ bucket, evidence }]));
  return { name, directory };
}

it("settles a third run with one that was settled, also where that one has the choices of its first partner", async () => {
  const [a, b] = [await runOf("a", "matmul_mma", 2e-6), await runOf("b", "matmul_tma", 1e-6)];
  const before = choicesIn(b);
  await settleRuns(silent, [a, b], measurer().measure);
  expect(choicesIn(a).equals(before)).toBe(true);
  const c = await runOf("c", "matmul_tma", 1e-6, { kind: "library" });
  await settleRuns(silent, [a, c], measurer().measure);
  for (const { name, directory } of [a, c])
    expect((await packIn(directory, name)).choices.buckets[0]?.choice).toEqual({ kind: "library" });
});

it("takes the faster search where the runs chose different templates, and the same whichever is named first", async () => {
  const templateIn = async ({ name, directory }: Awaited<ReturnType<typeof runOf>>) =>
    (await packIn(directory, name)).choices.buckets[0]?.task;
  for (const [a, b, chosen] of [
    [2e-6, 1e-6, "matmul_tma"],
    [1e-6, 2e-6, "matmul_mma"],
    // Their intervals overlap: the name decides.
    [1.01e-6, 1e-6, "matmul_mma"],
  ] as const) {
    const runs = [await runOf("a", "matmul_mma", a), await runOf("b", "matmul_tma", b)] as const;
    const copies = [await runOf("a", "matmul_mma", a), await runOf("b", "matmul_tma", b)] as const;
    const { asked, measure } = measurer();
    expect(await settleRuns(silent, runs, measure)).toMatchObject({ differed: 1, unpaired: 1, measured: 0 });
    await settleRuns(silent, [copies[1], copies[0]], measure);
    expect(asked).toEqual([]);
    const all = [...runs, ...copies];
    expect(await Promise.all(all.map(templateIn))).toEqual(all.map(() => ({ template: chosen })));
    for (const each of all) expect(choicesIn(each).equals(choicesIn(runs[0]))).toBe(true);
  }
});

it("leaves each run the trials that it had", async () => {
  const runs = [await runOf("a", "matmul_mma", 2e-6), await runOf("b", "matmul_tma", 1e-6, undefined, 5)] as const;
  await settleRuns(silent, runs, measurer().measure);
  const packs = await Promise.all(runs.map(({ name, directory }) => packIn(directory, name)));
  expect(packs.map(({ evidence }) => evidence[0]?.trials)).toEqual([8, 5]);
});

it("takes two configs of one program for one choice, with the ties of both runs, the same whichever run is named first", async () => {
  const kernels = Array.from({ length: 48 }, (_, i) => kernelAt(0, i));
  const two = kernels.find(({ program }, i) => kernels.findIndex((each) => each.program === program) < i) ?? kernelAt(0, 0);
  const one = kernels.find(({ program }) => program === two.program) ?? two;
  expect(nameOfConfig(two.config)).not.toBe(nameOfConfig(one.config));
  const ties = kernels.filter(({ program }) => program !== one.program).slice(0, 2);
  const run = async (name: string, own: typeof one) => {
    const directory = new SuiteDirectory(scratch());
    const [task] = tasks as [(typeof tasks)[number]];
    const tied = ties.slice(name === "a" ? 0 : 1, name === "a" ? 1 : 2);
    const bucket = bucketOf(task, { kind: "config", ...own, tied }, "scripted");
    await writePack(directory.path, packOf("s", [{ bucket, evidence: { id: task.id, trials: 8, rounds: [] } }]));
    return { name, directory };
  };
  const { asked, measure } = measurer();
  const all = [await run("a", one), await run("b", two), await run("b", two), await run("a", one)] as const;
  expect(await settleRuns(silent, [all[0], all[1]], measure)).toMatchObject({ differed: 0, measured: 0 });
  await settleRuns(silent, [all[2], all[3]], measure);
  expect(asked).toEqual([]);
  for (const each of all) expect(choicesIn(each).equals(choicesIn(all[0]))).toBe(true);
  const { choice } = (await packIn(all[0].directory, "a")).choices.buckets[0] as Bucket;
  expect(choice.kind === "config" && choice.tied.map(({ config }) => nameOfConfig(config)).toSorted()).toEqual(
    ties.map(({ config }) => nameOfConfig(config)).toSorted(),
  );
});

it("measures as many kernels of a bucket as finals have, both choices among them", async () => {
  const run = async (name: string, own: number, ...tied: readonly number[]) => {
    const directory = new SuiteDirectory(scratch());
    const [task] = tasks as [(typeof tasks)[number]];
    const bucket = bucketOf(task, { kind: "config", ...kernelAt(0, own), tied: tied.map((i) => kernelAt(0, i)) }, "scripted");
    await writePack(directory.path, packOf("s", [{ bucket, evidence: { id: task.id, trials: 8, rounds: [] } }]));
    return { name, directory };
  };
  const { asked, measure } = measurer();
  await settleRuns(silent, [await run("a", 1, 2, 3, 4), await run("b", 5, 6, 7, 8)], measure);
  const [rivals] = asked;
  const { program: a } = kernelAt(0, 1);
  const { program: b } = kernelAt(0, 5);
  expect(rivals?.kernels).toHaveLength(5);
  expect(rivals?.kernels.slice(0, 2).map(({ program }) => program)).toEqual([a, b]);
});

it("the text of choices follows from the choices: sizes in the order of numbers, ties in that of their values", () => {
  const parts = (order: readonly number[], ties: readonly number[]) =>
    order.map((shape) => {
      const task = tasks[shape] as (typeof tasks)[number];
      const choice = { kind: "config" as const, ...kernelAt(shape, 2), tied: ties.map((i) => kernelAt(shape, i)) };
      return { bucket: bucketOf(task, choice, "scripted"), evidence: { id: task.id, trials: 1, rounds: [] } };
    });
  const { choices } = packOf("s", parts([2, 0, 1], [5, 3, 4]));
  expect(choices.buckets.map(({ args }) => args[0])).toEqual([4, 8, 16]);
  expect(choicesText(choices)).toBe(choicesText(packOf("s", parts([1, 2, 0], [4, 5, 3])).choices));
});

describe("a kill loses nothing", () => {
  it("while it measures: the rounds that were kept are known to the next call", async () => {
    const { a, b } = await twoRuns();
    await expect(settleRuns(silent, [a, b], measurer(0).measure)).rejects.toThrow("the farm is gone");
    const first = measurer();
    const stopped: MeasureRivals = async (title, rivals, known, keep) => {
      await first.measure(title, rivals.slice(0, 1), known, keep);
      throw new FarmError("UNAVAILABLE", "the farm is gone");
    };
    await expect(settleRuns(silent, [a, b], stopped)).rejects.toThrow("the farm is gone");
    // Whichever run has them.
    const next = measurer();
    await settleRuns(silent, [b, a], next.measure);
    expect(next.known.map((known) => [...known.keys()])).toEqual([[first.asked[0]?.bucket.id]]);
    expect(choicesIn(a).equals(choicesIn(b))).toBe(true);
  });

  it("between the two packs: the next call writes the other one and measures nothing", async () => {
    for (const lost of ["a", "b"]) {
      const { home, a, b } = await twoRuns();
      for (const { name, directory } of [a, b]) await writePack(directory.path, await packIn(directory, name));
      cpSync(join(home, lost), join(home, "kept"), { recursive: true });
      await settleRuns(silent, [a, b], measurer().measure);
      const whole = choicesIn(a);
      for (const file of ["choices.json", "evidence.json"]) cpSync(join(home, "kept", file), join(home, lost, file));
      const next = measurer();
      await settleRuns(silent, [a, b], next.measure);
      expect(next.asked).toEqual([]);
      expect([choicesIn(a).equals(whole), choicesIn(b).equals(whole)]).toEqual([true, true]);
    }
  });

  it("between the two files of a pack: the new one is read", async () => {
    const { a, b } = await twoRuns();
    const folder = scratch();
    await writePack(folder, await packIn(a.directory, "a"));
    const next = await packIn(b.directory, "b");
    const other = scratch();
    await writePack(other, next);
    cpSync(join(other, "choices.json"), join(folder, "choices.json.new"));
    renameSync(join(other, "evidence.json"), join(folder, "evidence.json"));
    expect((await packIn(new SuiteDirectory(folder), "p")).choices).toEqual(next.choices);
    // Of a run's first pack the new choices alone are no pack: it follows from the logs as before.
    const before = await packIn(a.directory, "a");
    await writePack(a.directory.path, next);
    renameSync(join(a.directory.path, "choices.json"), join(a.directory.path, "choices.json.new"));
    expect(await packIn(a.directory, "a")).toEqual(before);
  });
});

it("keeps a settled bucket until its log grows", async () => {
  const { a, b } = await twoRuns();
  await settleRuns(silent, [a, b], measurer().measure);
  const settled = (await packIn(b.directory, "b")).choices.buckets[2]?.choice;
  const log = b.directory.logOf("t2");
  expect((await packIn(b.directory, "b")).choices.buckets[2]?.choice).toEqual(settled);
  const lines = readFileSync(log, "utf8").trim().split("\n");
  writeFileSync(log, `${[...lines, lines[2]?.replace(/"sequence": ?3/, '"sequence": 4')].join("\n")}\n`);
  expect((await packIn(b.directory, "b")).choices.buckets[2]?.choice).toMatchObject({ config: entityAt(2, 4) });
});

describe("is refused by name", () => {
  const settle = async (more: Parameters<typeof suiteIn>[2], device = "scripted") => {
    const home = scratch();
    const one = { name: "one", directory: await suiteIn(join(home, "one"), times.a) };
    const other = { name: "other", directory: await suiteIn(join(home, "other"), times.b, more, { device }) };
    return settleRuns(silent, [one, other], measurer().measure);
  };
  it("for other suites, devices, conditions and shapes", async () => {
    await expect(settle({ name: "four" })).rejects.toThrow("different suites: three and four");
    await expect(settle({}, "Another")).rejects.toThrow(
      'matmul_derived [4,16,8,"float32","NN"] was measured on different devices: scripted and Another',
    );
    const flushed = tasks.map((task) => ({ ...task, search: { ...task.search, measure: { l2: "flushed" as const } } }));
    await expect(settle({ tasks: flushed })).rejects.toThrow(
      /matmul_derived \[4,16,8,"float32","NN"\] on scripted was measured under different conditions: .*"l2":"warm".* and .*"l2":"flushed"/,
    );
    await expect(settle({ tasks: tasks.slice(0, 2) })).rejects.toThrow(
      'one has the bucket matmul_derived [16,16,8,"float32","NN"] on scripted, and other has not',
    );
  });

  it("for files that are no pack, or were changed", async () => {
    const { a } = await twoRuns();
    const folder = scratch();
    await writePack(folder, await packIn(a.directory, "a"));
    const pack = { name: "p", directory: new SuiteDirectory(folder) };
    const [choices, file] = [(await packIn(a.directory, "a")).choices, join(folder, "choices.json")];
    const refused = async (text: string) => {
      writeFileSync(file, text);
      return settleRuns(silent, [a, pack], measurer().measure).then(
        () => "",
        (error: Error) => error.message,
      );
    };
    expect(await refused("{")).toMatch(/^p\/choices.json is not JSON/);
    expect(await refused("[]")).toMatch(/^p\/choices.json: the file: it is an empty list; it takes an object/);
    expect(await refused(choicesText({ ...choices, suite: "x" }))).toMatch(/has the digest sha256:.*one of them was changed/);
    const strange = { ...choices, buckets: choices.buckets.map((each) => ({ ...each, weight: 0 })) };
    expect(await refused(choicesText(strange))).toMatch(/buckets\[0\]\.weight: it is 0; it takes more than 0/);
    const empty = { name: "e", directory: new SuiteDirectory(scratch()) };
    const gone = { name: "g", directory: new SuiteDirectory(join(scratch(), "gone")) };
    for (const other of [empty, gone])
      await expect(settleRuns(silent, [a, other], measurer().measure)).rejects.toThrow(
        `${other.name} holds neither a suite nor a pack`,
      );
  });
});
