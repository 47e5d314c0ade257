/**
 * What it costs that a device gets a run of another session than before, and how often it does.
 *
 *   anew    on this machine's processor: the first run of a session holds its lease longer than later ones, by the time to fetch
 *           and run the reference and to fill inputs. The runner has measured another shape before.
 *   moved   simulated days (test-support/waiting-day.mjs) of 20 principals: the share of runs on a device that had served another
 *           session, with the tracker's choice of devices (tracker/src/policy/places.ts) and with that of the longest waiting
 */
import { join } from "node:path";
import { Random, toSessionId, toWorkerId } from "@warpfarm/common";
import { simulateDay } from "../test-support/waiting-day.mjs";
import { FairShare } from "../tracker/dist/policy/fair-share.js";
import { Places } from "../tracker/dist/policy/places.js";
import { playAhead } from "../tracker/dist/policy/play-ahead.js";
import { linesOf, notesOf, openHome, ready } from "./gpu/shared/command.mjs";
import { medianOf, table } from "./table.mjs";

const percent = (part) => `${(100 * part).toFixed(1)} %`;

function moved() {
  const rows = [64, 256, 1024].map((devices) => {
    const day = (places) => {
      const of = { principals: 20, devices, hours: 24, everyMs: 86_400_000 };
      return simulateDay({ FairShare, playAhead, toSessionId, toWorkerId, places }, new Random(1), of);
    };
    const [without, chosen] = [day(undefined), day(new Places())];
    const share = ({ moved: n, runs }) => percent(n / runs);
    return {
      devices,
      "busy share": percent(chosen.busyShare),
      runs: chosen.runs,
      "moved without": share(without),
      moved: share(chosen),
    };
  });
  table("moved", rows);
}

async function anew() {
  const { home, start, tracker, end } = openHome("workloads");
  const at = ["--tracker", (await tracker()).address];
  const builder = start("builder", ...at);
  const runner = start("runner", ...at, "--device", "cpu", "--threads", "1");
  await Promise.all([ready(/^(builder) ready/m, builder), ready(/^(runner) ready/m, runner)]);
  const rows = [];
  for (const size of [64, 128, 256, 512, 768]) {
    const log = join(home, `${size}.jsonl`);
    const how = ["--measure", "repeat=1,min_repeat=1ms,cutoff=none", "--finalists", "0", "--tuner", "random", "--log", log];
    const args = JSON.stringify({ M: size, N: size, K: size });
    const { code, stderr } = await start("tune", "matmul_derived", "--args", args, "--trials", "8", ...how, ...at).ended;
    if (code !== 0) throw new Error(stderr);
    const runs = [...notesOf(log).map((note) => note.default), ...linesOf(log).map((line) => line.warpfarm)]
      .flatMap((one) => (one?.lease ? [{ at: one.timestamp_ms, ms: one.lease.held_ms - (one.busy_ms ?? 0) }] : []))
      .sort((a, b) => a.at - b.at);
    const [first, ...later] = runs.map(({ ms }) => ms);
    const usual = medianOf(later);
    const megabytes = (12 * size ** 2) / 2 ** 20;
    // The first ones run code of the child that nobody ran before.
    if (size > 128)
      rows.push({
        product: size,
        "tensors MB": megabytes.toFixed(1),
        "first run, not timed ms": first.toFixed(0),
        "later, median ms": usual.toFixed(0),
        "anew ms": (first - usual).toFixed(0),
      });
  }
  await end();
  table("anew", rows);
}

export async function run() {
  moved();
  await anew();
}
