/**
 * Section drift of in-use: the runner's role over this GPU, given jobs without a pause, as the tracker would; the clock of its
 * looks at the node's own kernels is the script's, so that the minutes between two looks at a device that never rests pass at
 * once. The runner shares: else the stranger would be seen at once (taken), and not by what it does.
 */
import { hostname } from "node:os";
import { createTask } from "../../client/dist/index.js";
import { defaultDriftRules } from "../../runner/dist/drift.js";
import { RunnerRole } from "../../runner/dist/runner-role.js";
import { DeviceHost } from "../../runner/dist/worker/host.js";
import { cores, hostSettings, measureOptions, openBuilds, targetHere } from "./shared/device-host.mjs";
import { Expectations, stranger } from "./shared/expectations.mjs";
import { peer, TASK, us } from "./shared/proof-facts.mjs";
import { median, percent, spread, table } from "./shared/sections.mjs";

const indices = [peer.bestIndex, 4_881_186, 3_605_182];
const options = { ...measureOptions, repeat: 2, minRepeatMs: 20 };
/** A device that never rests is looked at again by then. */
const lookDueSeconds = (2 * defaultDriftRules.everyMs) / 1000 + 1;
const sleep = (seconds) => new Promise((next) => setTimeout(next, seconds * 1000));

export async function driftSection() {
  const wanted = new Expectations();
  const target = targetHere();
  const task = createTask(TASK, undefined, target);
  const builds = await openBuilds(cores);
  const programs = indices.map((index) => task.instantiate(task.space.toIndex(index)).value.program);
  const built = await Promise.all([task.reference, ...programs].map((program) => builds.build(program)));
  await builds.close();
  const [reference, ...candidates] = built.map(({ artifact }) => artifact);
  const byDigest = new Map(built.map(({ artifact }) => [artifact.digest, artifact]));

  const host = new DeviceHost({ node: hostname(), settings: { ...hostSettings, allowShared: true }, env: process.env });
  const description = await host.start({ wait: true });
  const told = [];
  const role = new RunnerRole({
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
    onTrouble: () => told.push(role.trouble()),
  });

  let phase = "alone";
  let isOver = false;
  const outcomes = [];
  const { signal } = new AbortController();
  /** Two of these: one job runs, one waits. */
  const jobs = async (first) => {
    for (let i = first; !isOver; i++) {
      const artifact = candidates[i % candidates.length];
      const job = {
        kind: "run",
        device: 0,
        artifact: artifact.digest,
        reference: reference.digest,
        options,
        attempt: 1,
        buildMs: 0,
      };
      const at = phase;
      const outcome = await role.work({ job }, { signal, begin() {} });
      outcomes.push({ phase: at === phase ? at : "between", index: indices[i % indices.length], outcome });
      // A tracker gives nothing to a node in trouble.
      if (outcome.kind === "fault") await sleep(0.2);
    }
  };
  const working = [jobs(0), jobs(1)];
  let now = 0;
  /** So many seconds later by the runner's clock. */
  const look = async (seconds) => {
    now += seconds * 1000;
    await role.lookAfter(now, { signal });
    return role.trouble();
  };
  const times = (of, index) =>
    outcomes.flatMap((o) =>
      o.phase === of && o.index === index && o.outcome.result?.kind === "timed" ? [median(o.outcome.result.costs)] : [],
    );

  try {
    await sleep(4);
    await look(0);
    wanted.expect(
      "alone: the first look, and two that are due",
      (await look(lookDueSeconds)) + (await look(lookDueSeconds)) === "",
      "no trouble",
    );
    await sleep(4);
    phase = "between";
    const other = await stranger("busy");
    await sleep(0.5);
    phase = "beside a stranger";
    await sleep(5);
    const once = await look(lookDueSeconds);
    wanted.expect("beside a busy stranger one slow look is no trouble", once === "" && told.length === 0, `"${once}"`);
    const twice = await look(10);
    wanted.expect("two are", /^of the node's own kernels .* more than/.test(twice) && told[0] === twice, twice);
    phase = "in trouble";
    await sleep(2);
    wanted.expect("it stays so while the stranger works", (await look(10)) !== "", role.trouble());
    phase = "between";
    await other.leave();
    const since = await look(10);
    wanted.expect("the stranger ends: the next look clears it", since === "" && told.at(-1) === "", `"${since}"`);
    phase = "after";
    await sleep(4);
  } finally {
    isOver = true;
    await Promise.all(working);
    await host[Symbol.asyncDispose]();
  }

  const phases = ["alone", "beside a stranger", "after"];
  const rows = indices.map((index) => [
    index,
    ...phases.flatMap((of) => {
      const all = times(of, index);
      return all.length === 0 ? ["none", ""] : [`${us(median(all))} of ${all.length}`, percent(spread(all))];
    }),
  ]);
  table(["config", ...phases.flatMap((of) => [of, "spread"])], rows);
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
  const moved = indices.map((index) => Math.abs(median(times("after", index)) / median(times("alone", index)) - 1));
  wanted.expect("times after are those before, within 3 %", Math.max(...moved) < 0.03, moved.map(percent).join(", "));
  return { expectations: wanted.end(), rows };
}
