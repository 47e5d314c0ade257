/** What a log of `tune` says about a run as a whole: speed, how busy the device was, errors. Plain JSON in, plain numbers out. */
import { readFileSync } from "node:fs";
import { median } from "./sections.mjs";

/**
 * `wallSeconds`: first ask to last tell, as `tune --json` says; without it (a run that was cut off), from the log's own times.
 */
export function tuningLogFacts(path, wallSeconds) {
  const trials = [];
  let byDefault;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.startsWith("# warpfarm ")) byDefault = JSON.parse(line.slice(11)).default ?? byDefault;
    else if (line.startsWith("{") && line.endsWith("}")) {
      const { config, warpfarm } = JSON.parse(line);
      trials.push({ index: config.index, ...warpfarm });
    }
  }
  const results = byDefault === undefined ? trials : [byDefault, ...trials];
  const timed = trials.filter((t) => t.kind === "timed");
  const failed = trials.filter((t) => t.kind !== "timed");
  const firstMs = Math.min(...results.map((t) => t.timestamp_ms - t.run_ms - t.build_ms));
  const firstRunMs = Math.min(...results.map((t) => t.timestamp_ms - t.run_ms));
  const lastMs = Math.max(...results.map((t) => t.timestamp_ms));
  const wall = wallSeconds ?? (lastMs - firstMs) / 1000;
  const busy = results.reduce((sum, t) => sum + (t.busy_ms ?? 0), 0) / 1000;
  const errors = {};
  for (const { error_no: no, rule = "", message, index } of failed) {
    const kind = `${no} ${rule}`.trim();
    errors[kind] ??= { count: 0, examples: [] };
    errors[kind].count++;
    if (errors[kind].examples.length < 2) errors[kind].examples.push({ index, message });
  }
  const best = timed.reduce((a, b) => (a === undefined || b.seconds < a.seconds ? b : a), undefined);
  return {
    trials: trials.length,
    timed: timed.length,
    best: best && { index: best.index, seconds: best.seconds, costs: best.costs, observations: best.observations },
    wallSeconds: wall,
    candidatesPerSecond: trials.length / wall,
    busySeconds: busy,
    busyShare: busy / wall,
    /** From the first run's begin on: builds have filled the queue. */
    busyShareWhileRunning: busy / ((lastMs - firstRunMs) / 1000),
    secondsPerTrial: wall / Math.max(1, trials.length),
    overheadMsPerTrial: (1000 * (wall - busy)) / Math.max(1, trials.length),
    /** At the runner: what a timed trial costs beyond its timed events. */
    runnerExtraMs: timed.length > 0 ? median(timed.map((t) => t.run_ms - t.busy_ms)) : null,
    runnerBusyMs: timed.length > 0 ? median(timed.map((t) => t.busy_ms)) : null,
    idle: idleOf(results, wall, firstMs),
    failedRunSeconds: failed.reduce((sum, t) => sum + t.run_ms, 0) / 1000,
    buildSeconds: {
      sum: results.reduce((sum, t) => sum + t.build_ms, 0) / 1000,
      median: median(results.map((t) => t.build_ms)) / 1000,
      worst: Math.max(...results.map((t) => t.build_ms)) / 1000,
    },
    default: byDefault,
    errors,
    bestSoFar: bestSoFar(trials, firstMs),
  };
}

/** A device that waits longer than this between two jobs had none that was built; a shorter time is the farm's own. */
const handingMs = 50;

/** Seconds in which the device had no job, by cause. */
function idleOf(results, wall, firstMs) {
  const ran = results.filter((t) => t.run_ms > 0).sort((a, b) => a.timestamp_ms - b.timestamp_ms);
  if (ran.length === 0) return { seconds: wall, beforeFirst: wall, waiting: 0, handing: 0, medianMs: 0 };
  const gaps = ran.slice(1).map((t, i) => Math.max(0, t.timestamp_ms - t.run_ms - ran[i].timestamp_ms));
  const sum = (list) => list.reduce((a, b) => a + b, 0) / 1000;
  const beforeFirst = (ran[0].timestamp_ms - ran[0].run_ms - firstMs) / 1000;
  return {
    seconds: beforeFirst + sum(gaps),
    beforeFirst,
    waiting: sum(gaps.filter((gap) => gap > handingMs)),
    handing: sum(gaps.filter((gap) => gap <= handingMs)),
    medianMs: gaps.length > 0 ? median(gaps) : 0,
  };
}

/** Best seconds after a number of trials, and when. */
function bestSoFar(trials, firstMs) {
  const points = [];
  let best = Number.POSITIVE_INFINITY;
  trials.forEach((trial, i) => {
    if (trial.kind === "timed") best = Math.min(best, trial.seconds);
    if ([20, 50, 100, 150, 200, 250].includes(i + 1) || i === trials.length - 1)
      points.push({
        trials: i + 1,
        seconds: Number.isFinite(best) ? best : null,
        atSeconds: (trial.timestamp_ms - firstMs) / 1000,
      });
  });
  return points;
}
