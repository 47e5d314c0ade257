/**
 * Section drift of in-use: the runner's role over this GPU, given jobs without a pause, as the tracker would; the clock of its
 * looks at the node's own kernels is the script's, so that the minutes between two looks at a device that never rests pass at
 * once. The runner shares: else the other process would be seen at once (taken), and not by what it does.
 */
import { hostname } from "node:os";
import { toLeaseId } from "../../common/dist/index.js";
import { defaultDriftRules } from "../../runner/dist/drift.js";
import { RunnerRole } from "../../runner/dist/runner-role.js";
import { DeviceHost } from "../../runner/dist/worker/host.js";
import { createTask } from "../../templates/dist/index.js";
import { valueIn } from "../value-in.mjs";
import { cores, hostEnv, hostSettings, measureOptions, openBuilds, targetHere } from "./shared/device-host.mjs";
import { Expectations, otherProcess } from "./shared/expectations.mjs";
import { peer, taskName, us } from "./shared/proof-facts.mjs";
import { median, percent, spread, table } from "./shared/sections.mjs";

const indices = [peer.bestIndex, 4_881_186, 3_605_182];
const options = { ...measureOptions, repeat: 2, minRepeatMs: 20 };
/** A device that never rests is looked at again by then. */
const lookDueSeconds = (2 * defaultDriftRules.everyMs) / 1000 + 1;
const sleep = (seconds) => new Promise((next) => setTimeout(next, seconds * 1000));

/** The reference's artifact, and one of each config. */
async function builtArtifacts() {
  const task = createTask(taskName, undefined, targetHere());
  const builds = await openBuilds(cores);
  const programs = indices.map((index) => valueIn(task.instantiate(task.space.toIndex(index))).program);
  const built = await Promise.all([task.reference, ...programs].map((program) => builds.build(program)));
  await builds.close();
  return built.map(({ artifact, refused }) => {
    if (!artifact) throw new Error(refused.message);
    return artifact;
  });
}

/** A runner's role that is never without a job: `phase` is said of each outcome when it began and ended in the same. */
class BusyRunner {
  phase = "alone";
  /** What the role said of its trouble, as it changed. */
  told = [];
  outcomes = [];
  #artifacts;
  #host;
  #role;
  #now = 0;
  #isOver = false;
  #working = [];
  #signal = new AbortController().signal;

  static async start(artifacts) {
    const host = new DeviceHost({ node: hostname(), settings: { ...hostSettings, allowShared: true }, env: hostEnv });
    return new BusyRunner(artifacts, host, await host.start({ wait: true }));
  }

  constructor(artifacts, host, description) {
    this.#artifacts = artifacts;
    this.#host = host;
    const byDigest = new Map(artifacts.map((artifact) => [artifact.digest, artifact]));
    this.#role = new RunnerRole({
      node: hostname(),
      labels: {},
      description,
      host,
      ahead: 1,
      cache: {
        get: async (digest) => byDigest.get(digest),
        changes: () => ({ added: [], dropped: [] }),
        trouble: "",
        probe: async () => {},
      },
      drift: defaultDriftRules,
      onTrouble: () => this.told.push(this.trouble()),
    });
    // One job runs, one waits.
    this.#working = [this.#jobs(0), this.#jobs(1)];
  }

  async #jobs(first) {
    const [reference, ...candidates] = this.#artifacts;
    for (let i = first; !this.#isOver; i++) {
      const { digest: artifact } = candidates[i % candidates.length];
      const at = this.phase;
      const outcome = await this.#role.work(
        {
          leaseId: toLeaseId(`drift-${i}`),
          epoch: 1,
          ttlMs: 60_000,
          job: { kind: "run", device: 0, artifact, reference: reference.digest, options, attempt: 1, buildMs: 0, owner: "bench" },
        },
        { signal: this.#signal, begin() {} },
      );
      this.outcomes.push({ phase: at === this.phase ? at : "between", index: indices[i % indices.length], outcome });
      // A tracker gives nothing to a node in trouble.
      if (outcome.kind === "fault") await sleep(0.2);
    }
  }

  trouble() {
    return this.#role.trouble();
  }
  /** The role's look that many seconds later by its clock. */
  async look(seconds) {
    this.#now += seconds * 1000;
    await this.#role.lookAfter(this.#now, { signal: this.#signal });
    return this.trouble();
  }
  /** Medians of what a config took in that phase. */
  times(phase, index) {
    const mine = this.outcomes.filter((o) => o.phase === phase && o.index === index && o.outcome.result?.kind === "timed");
    return mine.map(({ outcome }) => median(outcome.result.costs));
  }
  async end() {
    this.#isOver = true;
    await Promise.all(this.#working);
    await this.#host[Symbol.asyncDispose]();
  }
}

/** Alone, beside a busy other process, and after it. */
async function scene(runner, wanted) {
  await sleep(4);
  await runner.look(0);
  const due = [await runner.look(lookDueSeconds), await runner.look(lookDueSeconds)];
  wanted.expect("alone: the first look, and two that are due", due.join("") === "", "no trouble");
  await sleep(4);
  runner.phase = "between";
  const other = await otherProcess("busy");
  await sleep(0.5);
  runner.phase = "beside another process";
  await sleep(5);
  const once = await runner.look(lookDueSeconds);
  wanted.expect("beside a busy other process one slow look is no trouble", once === "" && runner.told.length === 0, `"${once}"`);
  const twice = await runner.look(10);
  wanted.expect("two are", /^of the node's own kernels .* more than/.test(twice) && runner.told[0] === twice, twice);
  runner.phase = "in trouble";
  await sleep(2);
  wanted.expect("it stays so while the other process works", (await runner.look(10)) !== "", runner.trouble());
  runner.phase = "between";
  await other.leave();
  const since = await runner.look(10);
  wanted.expect("the other process ends: the next look clears it", since === "" && runner.told.at(-1) === "", `"${since}"`);
  runner.phase = "after";
  await sleep(4);
}

function expectOutcomes(runner, wanted) {
  const { outcomes } = runner;
  const inTrouble = outcomes.filter((o) => o.phase === "in trouble");
  const refused = inTrouble.filter(({ outcome }) => outcome.kind === "fault" && outcome.suspect);
  wanted.expect(
    "in trouble every job is handed back, none begun",
    inTrouble.length > 0 && refused.length === inTrouble.length,
    `${refused.length} of ${inTrouble.length}`,
  );
  const blamed = outcomes.filter(({ outcome }) => outcome.kind === "run" && outcome.result.kind !== "timed");
  wanted.expect(
    "no config is blamed",
    blamed.length === 0,
    `${outcomes.length} jobs, ${blamed.length} failed${blamed.length > 0 ? `: ${JSON.stringify(blamed[0].outcome.result)}` : ""}`,
  );
  const moved = indices.map((index) => Math.abs(median(runner.times("after", index)) / median(runner.times("alone", index)) - 1));
  wanted.expect("times after are those before, within 3 %", Math.max(...moved) < 0.03, moved.map(percent).join(", "));
}

export async function driftSection() {
  const wanted = new Expectations();
  const runner = await BusyRunner.start(await builtArtifacts());
  try {
    await scene(runner, wanted);
  } finally {
    await runner.end();
  }
  const phases = ["alone", "beside another process", "after"];
  const rows = indices.map((index) => [
    index,
    ...phases.flatMap((phase) => {
      const all = runner.times(phase, index);
      return all.length === 0 ? ["none", ""] : [`${us(median(all))} of ${all.length}`, percent(spread(all))];
    }),
  ]);
  table(["config", ...phases.flatMap((phase) => [phase, "spread"])], rows);
  expectOutcomes(runner, wanted);
  return { expectations: wanted.end(), rows };
}
