/**
 * The worst candidates and compiles, in the product's own builder and runner processes: kernels that hang, write out of bounds,
 * allocate all memory or crash; compiles that never end or allocate all memory; children of both killed from outside; full disks.
 * Each candidate gets its own verdict, the valid ones between them are timed as usual, and faults of the machine are blamed on no
 * candidate. Part of the campaign; npm test has the same faults one process at a time (runner/src/worker/host.test.ts,
 * builder/src/build-executor.test.ts, tracker/test/workers.test.ts).
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type MeasureOptions,
  type MeasureResult,
  manifestVersions,
  measureErrorNo,
  type ProgramBytes,
  Random,
  systemClock,
} from "@warpfarm/common";
import { add, at, compute, defaultSchedule, encodeProgram, graphOf, placeholder } from "@warpfarm/compiler";
import { encodeManifest } from "@warpfarm/proto";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { isFull } from "../../../test-support/campaign.ts";
import { type Answer, programOf, runOf, ScriptedWorker, timedResult } from "../../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../../test-support/farm/scripted-client.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { fillDisk, noMount, smallDisk } from "../../../test-support/small-disk.ts";
import { until } from "../../../test-support/until.ts";
import { childrenOf } from "../process-tree.ts";
import { Party } from "./party.ts";
import { ScriptedFarm } from "./scripted-farm.ts";

/** Of each fault: they do not alternate, as those of other files. */
const repeats = 100;
/** Of a child; each second one is SIGTERM. */
const kills = 2 * repeats;
const slow = { timeout: 4 * 3_600_000 };
/** The most time for a result on a machine that is busy with other work. */
const patienceMs = 900_000;
const target = "cpu/x86-64-v1";
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** In a word what came of it. */
const verdict = (result: MeasureResult | undefined): string =>
  result?.kind !== "failed" ? `${result?.kind}` : `${result?.errorNo} ${result?.rule}`;

function possible(ctx: TestContext): void {
  needs(ctx, "cc");
  if (!isFull) ctx.skip("part of the campaign: npm test has the same faults one process at a time");
}

describe("candidates at their worst", () => {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-worst-"));
  const kernels = new KernelFolder();
  const undo: (() => unknown)[] = [];
  /** A client cannot choose a builder, so the scripted and the real one have a farm each. */
  let running: ScriptedFarm;
  let building: ScriptedFarm;
  beforeAll(async () => {
    if (!isFull || !has("cc")) return;
    // No worker dies here, so a lease that expires shows that the machine is busy.
    const plan = { trackers: 1, postgres: has("postgres"), leaseSeconds: 120 };
    [running, building] = await Promise.all([ScriptedFarm.start(plan), ScriptedFarm.start(plan)]);
  }, 300_000);
  afterAll(async () => {
    for (const act of undo.reverse()) await act();
    await running?.[Symbol.asyncDispose]();
    await building?.[Symbol.asyncDispose]();
    kernels[Symbol.dispose]();
    rmSync(directory, { recursive: true, force: true });
  });
  const owned = (party: Party): Party => {
    undo.push(async () => {
      party.kill("SIGKILL");
      await party.ended;
    });
    return party;
  };

  /** Undefined where none can be mounted. */
  function ownDisk(name: string, kib: number): string | undefined {
    const disk = smallDisk(join(directory, name), kib);
    if (disk) undo.push(async () => disk.unmount());
    return disk?.path;
  }

  let runnerDisk: string | undefined;
  let runnerParty: Promise<Party> | undefined;
  /** The runner process, with its cache on a small disk where the machine allows one. */
  function theRunner(): Promise<Party> {
    const start = async (): Promise<Party> => {
      runnerDisk = ownDisk("runner-disk", 2_048);
      startBuilder(running);
      const cacheDirectory = join(runnerDisk ?? directory, "artifacts");
      const options = { tracker: running.address, device: "cpu", threads: 1, cacheDirectory, node: "worst" };
      const runtime = join(directory, "runtime");
      mkdirSync(runtime);
      const args = [bundled("runner"), JSON.stringify(options)];
      const party = owned(new Party(process.execPath, args, /^runner ready /, { XDG_RUNTIME_DIR: runtime }));
      await party.ready;
      return party;
    };
    runnerParty ??= start();
    return runnerParty;
  }
  /** A builder in this process, with C code compiled in advance for each kind of program: "kind/number". */
  const specs = [tensor("x", "in", "float32", [1000]), tensor("y", "out", "float32", [1000])];
  const good = "float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 1000; i++) y[i] = x[i] + 1;";
  const bodies = {
    good,
    slow: `extern int usleep(unsigned); usleep(20000); ${good}`,
    hangs: "for (volatile int i = 0;; i++);",
    "writes out of bounds": `${good} y[1000] = 1;`,
    "allocates everything": `extern void *malloc(unsigned long); extern void abort(void); while (malloc(1ul << 34)); abort(); ${good}`,
    crashes: `*(volatile int *)8 = 1; ${good}`,
  } as const;
  type Kind = keyof typeof bodies;
  function startBuilder(farm: ScriptedFarm): void {
    const ready = new Map(Object.entries(bodies).map(([kind, body]) => [kind, kernels.build(specs, body)]));
    const build: Answer = async ({ job }, { tracker }) => {
      if (job.kind !== "build") throw new Error("a builder was given a run");
      const name: string = JSON.parse(Buffer.from(job.program.bytes).toString()).graph.name;
      const built = ready.get(name.split("/")[1] ?? "");
      if (!built) throw new Error(`no kernel for ${name}`);
      await tracker.artifacts.upload(readFileSync(built.codePath));
      const { bytes, digest } = encodeManifest({ ...built.manifest, program: job.program.digest });
      await tracker.artifacts.upload(bytes);
      return { kind: "built", artifact: digest, buildMs: 1, cached: false };
    };
    const facts = {
      kind: "builder",
      slots: 4,
      targets: [target],
      toolchains: ["scripted"],
      compilerVersion: "0",
      programVersions: [1],
    } as const;
    const worker = new ScriptedWorker(farm.address, facts, build).start();
    undo.push(() => worker.kill());
  }
  /** A session whose stream is open. */
  async function opened(
    { address }: ScriptedFarm,
    selector: string,
    options: Partial<MeasureOptions> = {},
  ): Promise<ScriptedClient> {
    const client = new ScriptedClient(address);
    undo.push(() => client.close());
    await client.open({ ...options, check: "reference", minRepeatMs: 1, repeat: 1 }, { selector, maxInFlight: 1000 });
    client.stream();
    return client;
  }
  /** Waits for one result of each of the `count` inputs of a session and returns the verdicts in order. */
  async function verdictsOf(client: ScriptedClient, count: number): Promise<string[]> {
    await client.finish();
    if (client.error) throw client.error;
    expect(client.deliveries.toSorted((a, b) => a - b)).toEqual(upTo(count));
    return upTo(count).map((sequence) => verdict(client.results.get(sequence)));
  }
  /** Measures programs as one session's inputs, with `during` at the same time. Returns the verdicts in order. */
  async function measure(
    farm: ScriptedFarm,
    selector: string,
    programs: readonly ProgramBytes[],
    reference: ProgramBytes,
    during: (client: ScriptedClient) => Promise<void>,
  ): Promise<string[]> {
    const client = await opened(farm, selector);
    for (const [i, program] of programs.entries()) client.send(i + 1, program, reference);
    await during(client);
    return verdictsOf(client, programs.length);
  }
  /**
   * Each round has a program that never ends among others that do, and all their verdicts come before the next round. The endless
   * one has its own session with a short timeout, so that waiting for it takes little time; the others have the usual timeout.
   */
  async function rounds<K extends string>(
    farm: ScriptedFarm,
    selector: string,
    [endless, ...others]: readonly [K, ...K[]],
    programOf: (kind: K, sequence: number) => ProgramBytes,
    reference: ProgramBytes,
    shortTime: Partial<MeasureOptions>,
  ): Promise<{ readonly endless: string[]; readonly others: string[] }> {
    const [hung, sound] = [await opened(farm, selector, shortTime), await opened(farm, selector)];
    for (let round = 0; round < repeats; round++) {
      const before = round * others.length;
      for (const [i, kind] of others.entries()) sound.send(before + i + 1, programOf(kind, before + i + 1), reference);
      // By then the reference is built, within the time of the programs that end.
      await until(() => sound.results.size > before, `a result of round ${round}`, patienceMs);
      hung.send(round + 1, programOf(endless, round + 1), reference);
      const all = () => hung.results.size > round && sound.results.size === before + others.length;
      await until(all, `the results of round ${round}`, patienceMs);
    }
    return { endless: await verdictsOf(hung, repeats), others: await verdictsOf(sound, repeats * others.length) };
  }
  /**
   * Kills a child in the middle of each of `kills` runs of slow candidates; all candidates are measured nevertheless. Each kill
   * has its own run, because a job that is hit three times is given up.
   */
  async function killed(
    farm: ScriptedFarm,
    what: string,
    selector: string,
    slowOnes: (run: string, kill: number) => readonly ProgramBytes[],
    reference: ProgramBytes,
    victims: () => readonly number[],
    withinMs: number,
  ): Promise<void> {
    const random = new Random(what.length);
    for (let kill = 0; kill < kills; kill++) {
      const programs = slowOnes(`${what} ${kill}`, kill);
      const results = await measure(farm, selector, programs, reference, async (client) => {
        await until(() => client.results.size > 0, "a first result", patienceMs);
        await systemClock.sleep(random.below(withinMs));
        for (const child of victims()) process.kill(child, kill % 2 === 0 ? "SIGKILL" : "SIGTERM");
      });
      expect(results).toEqual(programs.map(() => "timed"));
    }
  }
  /** That worker takes no jobs and reports why; for one more second none of its jobs has a result. */
  async function isInTrouble(client: ScriptedClient, role: "builder" | "runner"): Promise<void> {
    const nodes = async () => (await client.tracker.farm.listNodes()).nodes;
    const says = async () => (await nodes()).find((node) => node.role === role && node.state === "SUSPECT")?.reason?.what ?? "";
    while (!/no space left|disk .* is full/i.test(await says())) await systemClock.sleep(50);
    await systemClock.sleep(1_000);
    expect(client.results.size).toBe(0);
  }
  /** While that worker's disk is full these have no results; when it has room again, all are measured. */
  async function waitForRoom(
    farm: ScriptedFarm,
    role: "builder" | "runner",
    disk: string,
    selector: string,
    programs: readonly ProgramBytes[],
    reference: ProgramBytes,
  ): Promise<void> {
    const filler = fillDisk(disk);
    const results = await measure(farm, selector, programs, reference, async (client) => {
      await isInTrouble(client, role);
      rmSync(filler);
    });
    expect(results).toEqual(programs.map(() => "timed"));
  }
  const byKind = (run: string, kinds: readonly Kind[]): readonly ProgramBytes[] =>
    kinds.map((kind, i) => programOf(`${run}/${kind}/${i}`, target));
  const referenceOf = (run: string): ProgramBytes => programOf(`${run} reference/good/0`, target);

  /** A program of the compiler whose C text the replacement of cc below recognizes by its extent. */
  function scheduled(n: number): ProgramBytes {
    const x = placeholder("x", [n]);
    const y = compute("y", [["i", n]], (i) => add(at(x, i), 1));
    const graph = graphOf([x], [y]);
    return encodeProgram(graph, defaultSchedule(graph, target).trace, target);
  }
  const extents = { good: 1_000, hangs: 771_000, allocates: 772_000, slow: 773_000 } as const;
  type CompileKind = keyof typeof extents;
  const programs = (kinds: readonly CompileKind[], first = 0) => kinds.map((kind, i) => scheduled(extents[kind] + first + i));
  /**
   * The builder process. Its compiler is a script that hangs or allocates for some programs. For the others it returns one
   * compiled kernel, or runs cc.
   */
  async function startBuilderProcess(name: string, temporary: string): Promise<Party> {
    const folder = join(directory, `${name}-bin`);
    mkdirSync(folder);
    const real = execFileSync("sh", ["-c", "command -v cc"]).toString().trim();
    const script = [
      "#!/bin/sh",
      'case "$*" in *--version*|*-dumpmachine*|*-fsyntax-only*) exec REAL "$@" ;; esac',
      'grep -q probe kernel.c && exec REAL "$@"',
      "grep -qwE '771[0-9]{3}' kernel.c && exec sleep 600",
      "grep -qwE '772[0-9]{3}' kernel.c && exec dd if=/dev/zero of=/dev/null bs=9G count=1",
      "grep -qwE '773[0-9]{3}' kernel.c && sleep 0.1",
      "exec cp READY kernel.so",
    ];
    // A confined compiler may read the folder that it is in.
    const ready = join(folder, "ready.so");
    copyFileSync(kernels.build(specs, good).codePath, ready);
    const cc = join(folder, "cc");
    writeFileSync(cc, `${script.join("\n").replaceAll("REAL", real).replaceAll("READY", ready)}\n`);
    chmodSync(cc, 0o755);
    const options = { tracker: building.address, slots: 1, cacheDirectory: join(directory, `${name}-cache`), node: name };
    const env = { XDG_RUNTIME_DIR: directory, TMPDIR: temporary, PATH: `${folder}:${process.env.PATH}` };
    const party = new Party(process.execPath, [bundled("builder"), JSON.stringify(options)], /^builder ready /, env);
    await owned(party).ready;
    return party;
  }
  let runners = 0;
  /** A device that gives every artifact a time. */
  function startScriptedRunner(who: string): void {
    const n = ++runners;
    const facts = { key: target, name: "scripted", uuid: `scripted-${n}`, node: who, driver: "none" };
    const run: Answer = (given) => {
      const { artifact, attempt } = runOf(given);
      return { kind: "run", result: timedResult(1e-3, facts, artifact, attempt) };
    };
    const devices = [{ device: 0, facts, memoryBytes: 2 ** 30, limits: { threads: 2 } }];
    const role = { kind: "runner", devices, manifestVersions } as const;
    const worker = new ScriptedWorker(building.address, role, run, { labels: { who } }).start();
    undo.push(() => worker.kill());
  }
  let builderDisk: string | undefined;
  let builderParty: Promise<Party> | undefined;
  /** The builder process, with temporary files on a small disk where the machine allows one, and a device. */
  function theBuilder(): Promise<Party> {
    const start = async (): Promise<Party> => {
      builderDisk = ownDisk("builder-disk", 4_096);
      startScriptedRunner("any");
      return startBuilderProcess("worst", builderDisk ?? directory);
    };
    builderParty ??= start();
    return builderParty;
  }

  // These run at the same time: each has its own farm, and most of their time is waiting.
  describe.concurrent("kernels", () => {
    test.sequential(
      `kernels that hang, write out of bounds, allocate everything or crash; the runner's child killed: ${repeats} times each`,
      slow,
      async (ctx) => {
        possible(ctx);
        const { pid } = await theRunner();
        const kinds = ["hangs", "good", "writes out of bounds", "allocates everything", "good", "crashes"] as const;
        const one = (kind: Kind, sequence: number) => programOf(`worst/${kind}/${sequence}`, target);
        const { endless, others } = await rounds<Kind>(running, "cpu", kinds, one, referenceOf("worst"), { runTimeoutMs: 500 });
        expect(endless).toEqual(upTo(repeats).map(() => `${measureErrorNo.RUN_TIMEOUT} run_timeout`));
        const device = measureErrorNo.RUNTIME_DEVICE;
        const expected = ["timed", `${device} out_of_bounds_write`, `${device} SIGABRT`, "timed", `${device} SIGSEGV`];
        expect(others).toEqual(upTo(repeats).flatMap(() => expected));

        const slowOnes = (run: string) => byKind(run, ["slow", "slow", "slow"]);
        await killed(running, "orphaned", "cpu", slowOnes, referenceOf("worst"), () => childrenOf(pid).slice(0, 1), 60);
      },
    );

    test.sequential(`a full disk at the runner, ${repeats} times: its jobs wait until there is room`, slow, async (ctx) => {
      possible(ctx);
      await theRunner();
      const disk = runnerDisk;
      if (disk === undefined) return ctx.skip(noMount);
      for (const n of upTo(repeats)) {
        // Its own old artifacts would make room.
        const cache = join(disk, "artifacts");
        // The folders are those in which children find the code of their jobs.
        for (const entry of readdirSync(cache, { withFileTypes: true })) if (entry.isFile()) rmSync(join(cache, entry.name));
        const asked = byKind(
          `full-${n}`,
          upTo(4).map((): Kind => "good"),
        );
        await waitForRoom(running, "runner", disk, "cpu", asked, referenceOf(`full-${n}`));
      }
    });
  });

  describe.concurrent("compiles", () => {
    test.sequential(
      `compiles that never end or allocate everything, and the compile child killed, ${repeats} times each`,
      slow,
      async (ctx) => {
        possible(ctx);
        const { pid } = await theBuilder();
        const kinds = ["hangs", "good", "allocates", "good"] as const;
        const one = (kind: CompileKind, sequence: number) => scheduled(extents[kind] + sequence);
        const { endless, others } = await rounds<CompileKind>(building, target, kinds, one, scheduled(500), {
          buildTimeoutMs: 400,
        });
        expect(endless).toEqual(upTo(repeats).map(() => `${measureErrorNo.BUILD_TIMEOUT} build_timeout`));
        expect(others).toEqual(upTo(repeats).flatMap(() => ["timed", `${measureErrorNo.COMPILE_DEVICE} build_memory`, "timed"]));

        const slowOnes = (_run: string, kill: number) => programs(["slow", "slow", "slow"], 3 * kill);
        await killed(building, "orphans", target, slowOnes, scheduled(501), () => childrenOf(pid), 100);
      },
    );

    test.sequential(`a full disk at the builder, ${repeats} times: its builds wait until there is room`, slow, async (ctx) => {
      possible(ctx);
      await theBuilder();
      const disk = builderDisk;
      if (disk === undefined) return ctx.skip(noMount);
      for (const n of upTo(repeats)) {
        // Beyond those of the rounds above.
        const asked = programs(["good", "good", "good"], 1_000 + 100 * n);
        await waitForRoom(building, "builder", disk, target, asked, scheduled(600 + n));
      }
    });
  });
});
