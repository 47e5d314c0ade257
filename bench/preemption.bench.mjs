/**
 * What it costs that a runner is told to end again and again, as a pod of low priority is: trials a second of one search on this
 * machine's processor, undisturbed and with SIGTERM every EVERY (20) seconds, each for SECONDS (60), the runner begun anew at
 * once. Wanted: nothing lost, and at least 80 % of the rate. `load`: the machine's load average; a start takes seconds of a
 * processor.
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { linesOf, openHome, ready, until } from "./gpu/shared/command.mjs";
import { table } from "./table.mjs";

const { SECONDS = "60", EVERY = "20" } = process.env;
const [seconds, every] = [Number(SECONDS), Number(EVERY)];

async function rate(isDisturbed) {
  const { home, start, tracker, end } = openHome("preemption");
  const at = ["--tracker", (await tracker()).address];
  start("builder", ...at, "--slots", "1");
  const log = join(home, "tune.jsonl");
  const results = () => linesOf(log).map((line) => line.warpfarm);
  let runner = start("runner", ...at, "--device", "cpu", "--threads", "1");
  await ready(/^(runner) ready/m, runner);
  const how = ["--args", '{"M":256,"N":256,"K":256}', "--measure", "repeat=3,min_repeat=10ms"];
  how.push("--tuner", "random", "--finalists", "0");
  const search = start("tune", "matmul_derived", ...how, ...at, "--trials", "100000", "--log", log);
  await until("the first results", 120, () => results().length >= 5);
  const [before, begun] = [results().length, performance.now()];
  let ends = 0;
  const elapsed = () => (performance.now() - begun) / 1000;
  while (elapsed() < seconds) {
    await sleep(Math.min(every, seconds - elapsed()) * 1000);
    if (!isDisturbed || elapsed() >= seconds) continue;
    runner.kill("SIGTERM");
    await runner.ended;
    ends++;
    runner = start("runner", ...at, "--device", "cpu", "--threads", "1");
  }
  const perSecond = (results().length - before) / elapsed();
  search.kill("SIGINT");
  await search.ended;
  await end();
  const all = results();
  const lost = all.filter(({ rule }) => rule?.startsWith("farm.")).length;
  const twice = all.length - new Set(all.map(({ sequence }) => sequence)).size;
  return { perSecond, ends, lost, twice };
}

export async function run() {
  const rows = [];
  for (const isDisturbed of [false, true]) {
    const { perSecond, ends, lost, twice } = await rate(isDisturbed);
    const share = perSecond / (rows[0]?.per_s ?? perSecond);
    rows.push({
      runner: isDisturbed ? `ended every ${every} s` : "undisturbed",
      per_s: perSecond,
      ends,
      lost,
      twice,
      share,
      load: loadavg()[0],
    });
  }
  table("preemption", rows);
}
