/**
 * A scripted client process. For each of its runs it uses the product's remote measurer on a separate connection, sends the run's
 * programs from 1 to `count`, and appends results to the run's log as they arrive. Started again with the same logs it continues
 * at their ends, as `tune --resume` does. With `gate` it sends at most as many programs as that file has bytes, so that a process
 * which a test will kill has work until then. Takes its plan as JSON in argv[2]; exits with 0 when every result is in its log, 3
 * when the farm was lost, 143 after SIGTERM.
 */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";

import { AsyncQueue, defaultMeasureOptions, FarmError, Random, systemClock } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { remoteMeasurer } from "../../client/dist/measure/remote.js";
import { programOf, saidBy, targetOf } from "./script.mjs";

const plan = JSON.parse(process.argv[2]);
const { runs, window = 16, seed = 1, patienceMs = 60_000, labels = "", keepalive, gate } = plan;
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));
process.stdin.resume().once("end", () => process.exit(1));

/** Drops an incomplete last line, which the log of a killed process may have. */
function linesOf(log) {
  const text = existsSync(log) ? readFileSync(log, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) truncateSync(log, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function measure({ address, run, count, log }, index) {
  const lines = linesOf(log);
  const done = new Set(lines.flatMap(({ sequence }) => sequence ?? []));
  const write = (line) => appendFileSync(log, `${JSON.stringify({ ...line, pid: process.pid })}\n`);
  const reference = programOf(run, 0);
  const inputs = new AsyncQueue(count + 1);
  const programs = new Map();
  for (let i = 1; i <= count; i++) {
    if (done.has(i)) continue;
    programs.set(i, programOf(run, i));
  }
  const feed = async () => {
    const open = () => (gate ? (statSync(gate, { throwIfNoEntry: false })?.size ?? 0) : count);
    for (let i = 1; i <= count; i++) {
      if (done.has(i)) continue;
      while (i > open()) await systemClock.sleep(20);
      inputs.tryPush({ sequence: i, program: programs.get(i), reference });
    }
    inputs.close();
  };
  void feed();
  const measurer = remoteMeasurer({
    farm: connect({ address, ...(keepalive ? { keepalive, connectMs: 2 * keepalive.timeMs } : {}) }).farm,
    task: run,
    selector: `${targetOf(run)}${labels}`,
    options: defaultMeasureOptions("cpu"),
    maxInFlight: window,
    clock: systemClock,
    random: new Random(seed + index), // alike they would all come back in the same moment, again and again
    patienceMs,
    leftBehind: lines.flatMap(({ session }) => session ?? []),
    onSession: async (session) => write({ session }),
    onLost: (error, retryInMs) => process.stderr.write(`${run} lost: ${error.message}; again in ${retryInMs} ms\n`),
  });
  for await (const { sequence, result } of measurer.measure(inputs, { signal: stop.signal }))
    write({
      sequence,
      program: programs.get(sequence).digest,
      said: saidBy(result),
      attempt: result.attempt,
      at: systemClock.now(),
    });
}

process.stdout.write("ready\n");
try {
  await Promise.all(runs.map(measure));
  process.exit(stop.signal.aborted ? 143 : 0);
} catch (error) {
  if (stop.signal.aborted) process.exit(143);
  process.stderr.write(`${error.stack}\n`);
  process.exit(error instanceof FarmError ? 3 : 1);
}
