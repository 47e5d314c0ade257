/**
 * Section tune of the proof: random trials of the tutorial's convolution on the embedded farm, and what a trial costs beyond its
 * timed events.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cores } from "./shared/device-host.mjs";
import { peer, scratch, taskName, us } from "./shared/proof-facts.mjs";
import { flag, outFolder, percent, table } from "./shared/sections.mjs";
import { tuningLogFacts } from "./shared/tuning-log-facts.mjs";

const flop = 231_501_312;
const command = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));

/** Runs the command line to its end or its time, with SIGINT then; resolves with its code and the JSON it printed, if any. */
function warpfarm(args, env, seconds) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    const timer = setTimeout(() => child.kill("SIGINT"), seconds * 1000);
    child.on("close", (code) => {
      clearTimeout(timer);
      const line = text.split("\n").find((l) => l.startsWith("{"));
      resolve({ code, report: line === undefined ? undefined : JSON.parse(line) });
    });
  });
}

export async function tuneSection() {
  const device = flag("device") ?? "cuda:0";
  const onGpu = device !== "cpu";
  const [task, trials] = onGpu ? [taskName, 250] : ["conv2d_nchw_cpu", 8];
  const log = join(outFolder, "proof-tune.jsonl");
  writeFileSync(log, "");
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[name] = join(scratch, name);
    mkdirSync(env[name]);
  }
  const args = [
    "tune",
    task,
    "--device",
    device,
    "--tuner",
    "random",
    "--trials",
    String(trials),
    "--seed",
    "1",
    "--finalists",
    "0",
  ];
  args.push(
    "--measure",
    `repeat=3,check=reference,min_repeat=${onGpu ? "100ms" : "20ms"}`,
    "--in-flight",
    String(4 * cores),
    "--log",
    log,
    "--json",
  );
  const begun = performance.now();
  const { code, report } = await warpfarm(args, env, 230);
  const withStart = (performance.now() - begun) / 1000;
  const facts = tuningLogFacts(log, report?.wall_seconds);
  const flops = report?.best ? report.best.gflops * report.best.seconds * 1e9 : flop;
  const gflops = facts.best ? flops / facts.best.seconds / 1e9 : 0;
  const rows = [
    ["trials", `${facts.trials} of ${trials}, exit ${code}, ${facts.timed} timed`],
    ["best", facts.best ? `index ${facts.best.index}: ${us(facts.best.seconds)}, ${gflops.toFixed(0)} GFLOPS` : "none"],
    ["candidates per second", facts.candidatesPerSecond.toFixed(2)],
    ["wall, first ask to last tell", `${facts.wallSeconds.toFixed(1)} s (command ${withStart.toFixed(1)} s)`],
    ["device busy", `${percent(facts.busyShare)} (from the first run on ${percent(facts.busyShareWhileRunning)})`],
    ["a trial", `${facts.secondsPerTrial.toFixed(3)} s; AutoTVM ${peer.secondsPerTrial} s for a valid one`],
    [
      "beyond timed events, a trial",
      `${facts.overheadMsPerTrial.toFixed(1)} ms of wall; at the runner ${facts.runnerExtraMs?.toFixed(1)} ms`,
    ],
    ["in failed runs", `${facts.failedRunSeconds.toFixed(1)} s`],
    [
      "device without a job",
      `${facts.idle.seconds.toFixed(1)} s: before the first ${facts.idle.beforeFirst.toFixed(1)}, nothing built ${facts.idle.waiting.toFixed(1)} (${percent(facts.idle.waiting / facts.wallSeconds)} of wall), between jobs ${facts.idle.handing.toFixed(1)} (median ${facts.idle.medianMs.toFixed(1)} ms)`,
    ],
    [
      "builds",
      `sum ${facts.buildSeconds.sum.toFixed(0)} s, median ${facts.buildSeconds.median.toFixed(2)}, worst ${facts.buildSeconds.worst.toFixed(1)}`,
    ],
  ];
  table(["tune", device], rows);
  for (const [kind, { count, examples }] of Object.entries(facts.errors)) {
    console.log(`error ${kind}: ${count}`);
    for (const { index, message } of examples) console.log(`    index ${index}: ${message.slice(0, 200)}`);
  }
  return { device, code, gflops, withStart, report, ...facts };
}
