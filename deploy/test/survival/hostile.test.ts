/**
 * Hostile and broken programs on several runners, beside an honest tune, in the product's own processes: one each of four kinds
 * on two runners in npm test (runner/src/worker/host.test.ts has the others, one at a time); `npm run campaign`: four of every
 * kind on three, with a runner's default limits. The honest run completes, no
 * node changes its state, and every hostile client receives the fault of its own program, in the campaign within its own limits
 * and 30 s. WARPFARM_SEED sets another order.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { type MeasureResult, Random, systemClock } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { expect, onTestFinished, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { isFull, some } from "../../../test-support/campaign.ts";
import { ScriptedClient } from "../../../test-support/farm/scripted-client.ts";
import { needs } from "../../../test-support/needs.ts";
import { watchNodeStates } from "../../../test-support/node-states.mjs";
import { until } from "../../../test-support/until.ts";
import { quickTune, tinyTask } from "../faults/campaign.ts";
import { bin, type Finished, Place, run } from "../warpfarm-process.ts";
import { type Hostile, hostile, hostileKinds } from "./hostile-programs.ts";
import { Party } from "./party.ts";

const seed = Number(process.env.WARPFARM_SEED ?? 1);
const target = "cpu/x86-64-v1";
const runners = isFull ? 3 : 2;
/** Crashing and endless computations, endless candidates and compiles: what can take a node from others. */
const kinds = some(hostileKinds, 0, 1, 4, 9);
/** Of hostile clients; each waits for what it is told before the next one comes. */
const atOnce = 3;
const referenceMs = isFull ? 60_000 : 2_000;

/** What a user with a bad template has: its default schedule crashes as every candidate does. */
const template = `
import { defineTemplate, whole } from "@warpfarm/templates";
import { at, compute, floorDiv, graphOf, placeholder } from "@warpfarm/compiler";
export const shares = defineTemplate({
  name: "shares",
  summary: "quotients of whole numbers, some of which are zero",
  targets: ["cpu"],
  args: { rows: whole(2048) },
  graph: ({ args: { rows } }) => {
    const [total, parts] = [placeholder("total", [rows], "int32"), placeholder("parts", [rows], "int32")];
    return graphOf([total, parts], [compute("share", [["i", rows]], (i) => floorDiv(at(total, i), at(parts, i)))]);
  },
  space: (space) => ({ width: space.choice("width", [1, 2, 4, 8]) }),
  schedule: (schedule, { width }) => {
    const [i] = schedule.axes(schedule.stage("share"));
    schedule.split(i, [null, width]);
  },
});
`;

interface Told {
  readonly who: Hostile;
  readonly words: string;
  readonly ms: number;
}
const wordsOf = (result: MeasureResult | undefined): string =>
  result?.kind === "failed" ? `${result.errorNo} ${result.rule}` : (result?.kind ?? "nothing");

/** One client's session with one program. */
async function meet(address: string, who: Hostile): Promise<Told> {
  const client = new ScriptedClient(address);
  const begun = systemClock.monotonic();
  try {
    await client.open(who.options, { selector: "cpu", maxInFlight: 4 });
    client.stream();
    client.send(1, who.program, who.reference);
    await until(() => client.results.size > 0 || client.error !== undefined, `what "${who.kind}" is told`, 600_000);
    const words = client.error ? `${client.error.code}: ${client.error.message}` : wordsOf(client.results.get(1));
    return { who, words, ms: systemClock.monotonic() - begun };
  } finally {
    await client.finish().catch(() => {});
    await client.close();
  }
}

interface Farm {
  readonly address: string;
  readonly place: Place;
  readonly parts: readonly Party[];
}

/** Begins a command with a host name of its own: a farm takes one runner of a host's processor. */
function ownHosts(): readonly string[] | undefined {
  const ways = [
    ["unshare", "--uts"],
    ["unshare", "--uts", "--map-root-user"],
  ];
  return ways.find(([command = "", ...flags]) => spawnSync(command, [...flags, "hostname", "another"]).status === 0);
}

async function startFarm(hosts: readonly string[]): Promise<Farm> {
  const place = new Place();
  const parts: Party[] = [];
  onTestFinished(async () => {
    for (const part of parts) part.kill("SIGKILL");
    await Promise.all(parts.map((part) => part.ended));
    place[Symbol.dispose]();
  });
  const env = { ...place.env, XDG_RUNTIME_DIR: place.path("run") };
  mkdirSync(place.path("run"));
  const part = (args: readonly string[], ready: RegExp, [command, ...before]: readonly string[] = [process.execPath]): Party => {
    const made = new Party(command ?? "", [...before, ...args], ready, env);
    parts.push(made);
    return made;
  };
  const tracker = part(
    [bin(), "tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", place.path("store")],
    /^tracker ready /,
  );
  const address = /grpc=(\S+)/.exec(await tracker.ready)?.[1] ?? "";
  const builder = part(
    [bin(), "builder", "--tracker", address, "--cache", place.path("builds"), "--slots", "2"],
    /^builder ready /,
  );
  const workers = Array.from({ length: runners }, (_, i) => {
    const options = {
      tracker: address,
      device: "cpu",
      threads: 1,
      node: `runner-${i}`,
      cacheDirectory: place.path(`cache-${i}`),
    };
    const limits = isFull ? {} : { limits: { reference: referenceMs } };
    const all = [bundled("runner"), JSON.stringify({ ...options, ...limits })];
    return part(all, /^runner ready /, [...hosts, "sh", "-c", `hostname host-${i} && exec "$@"`, "sh", process.execPath]);
  });
  await Promise.all([builder, ...workers].map(({ ready }) => ready));
  return { address, place, parts };
}

test(`hostile programs of ${kinds.length} kinds against ${runners} runners`, { timeout: 3_000_000 }, async (ctx) => {
  needs(ctx, "cc");
  const hosts = ownHosts();
  if (hosts === undefined) return ctx.skip("no host names of their own for runners (unshare --uts) are permitted here");
  const { address, place, parts } = await startFarm(hosts);
  const random = new Random(seed);
  const variants = isFull ? [0, 1, 2, 3] : [random.below(4)];
  const waiting = random.shuffle(kinds.flatMap((kind) => variants.map((variant) => hostile(kind, variant, target))));
  // In the short form those that take their whole time come first, and the others beside them.
  if (!isFull) waiting.sort((a, b) => a.limitMs(referenceMs) - b.limitMs(referenceMs));
  const count = waiting.length;
  await using tracker = connect({ address });
  const nodes = watchNodeStates(tracker, systemClock);

  const told: Told[] = [];
  const clients = Array.from({ length: atOnce }, async () => {
    for (let who = waiting.pop(); who !== undefined; who = waiting.pop()) told.push(await meet(address, who));
  });
  writeFileSync(place.path("shares.ts"), template);
  const tuned = run(place, ["tune", "./shares.ts", "--tracker", address, "--trials", "16", ...quickTune]);
  /** One run after the other, while anybody hostile is still to come; in npm test only one. */
  const honest: Finished[] = [];
  const trials = isFull ? 12 : 3;
  const work = (async () => {
    while (waiting.length > 0 && (isFull || honest.length < 1)) {
      const flags = [
        "--trials",
        String(trials),
        "--seed",
        String(honest.length),
        "--log",
        `honest-${honest.length}.jsonl`,
        "--json",
      ];
      honest.push(await run(place, ["tune", ...tinyTask, "--tracker", address, ...flags, ...quickTune]));
    }
  })();
  const refused = await tuned;
  await Promise.all(clients);
  await work;
  const states = await nodes.stop();

  const slowest = told.reduce((most, { ms }) => Math.max(most, ms), 0);
  console.log(
    `seed ${seed}: ${told.length} hostile programs, the slowest told after ${(slowest / 1000).toFixed(1)} s; ${honest.length} honest runs beside them`,
  );
  const wrong = told.filter(({ who, words }) => !who.told.test(words)).map(({ who, words }) => `${who.kind}: ${words}`);
  const said = parts.map((part) => part.said.slice(-2_000)).join("\n--\n");
  expect([told.length, wrong], said).toEqual([count, []]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /shares \[2048\] cannot be measured: the computation of share \(int32\[2048\]\) from total .* was ended by SIGFPE/,
    ),
  ]);
  for (const { code, stdout, stderr } of honest) {
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ trials, errors: { NO_ERROR: trials } });
  }
  // Nobody was in doubt, and nobody came back as another.
  expect([...states.keys()].map((words) => words.replace(/ \S+/, "")).sort()).toEqual([
    "builder ACTIVE",
    ...Array(runners).fill("runner ACTIVE"),
  ]);
  expect(parts.map(({ exit }) => exit)).toEqual(parts.map(() => undefined));
});
