/**
 * `runner --yield-to-others` beside a second process of this GPU:
 *
 *   npm run build && node bench/gpu/beside.mjs [--budget 200s] [--dry]
 *
 *   idle      one config of matmul_simt, measured several times while nobody else is there
 *   beside    the same while a neighbour comes for 0.3 s, again and again: times within 2 % of the idle ones, and the records say
 *             how many windows were waited for and how many repeats thrown away; or the measurement waits
 *   stays     a neighbour that stays 75 s: the job goes back as `device busy`, `nodes` says so, and the job is done afterwards
 *   refused   where NVML does not show others here, the flag is refused by name, and that is all there is to see
 *
 * At most 200 s. --dry tries the script on this machine's processor, whose runner refuses the flag, and then without
 * it: the neighbour sleeps 3 s at most, and nobody is thrown away or busy. What was measured is written when a part fails or the
 * budget is spent, too. Exit code 1 when something is not as expected. Writes bench/results/gpu-beside.json ($OUT with it).
 */
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { measure, openFarm } from "../../index.js";
import { saveResults } from "../results.mjs";
import { openHome, until } from "./shared/command.mjs";
import { median, timeFlag } from "./shared/sections.mjs";

const script = fileURLToPath(new URL("shared/neighbour.mjs", import.meta.url));
const dry = process.argv.includes("--dry");
const staysSeconds = dry ? 3 : 75;
const neighbour = (seconds) => {
  const [command, ...args] = dry ? ["sleep", String(seconds)] : [process.execPath, script, "0", String(seconds)];
  const child = spawn(command, args, { stdio: "inherit" });
  return new Promise((done) => child.on("close", done));
};
const published = /** @type {const} */ ("published");
const config = /** @type {const} */ ({
  ...(dry
    ? { task: "matmul_derived", args: { M: 128, N: 128, K: 128 } }
    : { task: "matmul_tma", args: { M: 4096, N: 4096, K: 4096 } }),
  config: dry ? 5 : published,
  // Longer than one window beside the neighbour below, so that somebody comes in the middle of each measurement.
  measure: { repeat: dry ? 20 : 60, precision: 0, min_repeat: dry ? "2ms" : "20ms", run_timeout: "60s" },
});
const rounds = 5;
/** @type {{ rows: any[], ratio: any[], refused: any[] }} */
const figures = { rows: [], ratio: [], refused: [] };
let failures = 0;
function expect(what, holds, found) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}: ${found}`);
  if (!holds) failures++;
}

const { start, tracker, end } = openHome("beside");
const runnerOf = (...flags) => start("runner", "--tracker", address, ...flags);
/** The exit code of a runner that ends at once; undefined for one that is ready. */
async function codeOf(runner) {
  let code;
  runner.ended.then((end) => {
    ({ code } = end);
  });
  await until("the runner", 120, () => runner.said().includes("ready") || code !== undefined);
  return code;
}

const { address } = await tracker();
const spent = new Promise((_, reject) => {
  const budget = timeFlag("budget") ?? 200;
  setTimeout(() => reject(new Error(`the budget of ${budget} s is spent`)), budget * 1000).unref();
});
try {
  start("builder", "--tracker", address);
  await Promise.race([seen(), spent]);
} catch (error) {
  expect("every part ends", false, error.message);
} finally {
  await end();
}
console.table(figures.rows);
if (!dry || process.env.OUT) saveResults("gpu-beside", "node bench/gpu/beside.mjs", figures, { gpu: !dry });
process.exit(failures > 0 ? 1 : 0);

async function seen() {
  const yielding = runnerOf("--device", dry ? "cpu" : "cuda:0", "--yield-to-others");
  const code = await codeOf(yielding);
  if (code !== undefined) {
    const named = /--yield-to-others(?: cannot be kept on |: nobody tells ).*/.exec(yielding.said())?.[0];
    expect("refused at start", named !== undefined, named ?? yielding.said());
    figures.refused.push({ why: named ?? yielding.said() });
    if (!dry) return;
    await codeOf(runnerOf("--device", "cpu", "--threads", "1"));
  }
  await beside();
}

async function beside() {
  const farm = await openFarm({ address });
  const once = async (state) => {
    const result = await measure(farm, config);
    if (result.kind !== "timed") throw new Error(result.kind === "failed" ? result.message : "it was slower than the best");
    const { windowsWaited = 0, repeatsThrownAway = 0 } = result.observations;
    figures.rows.push({ state, us: median(result.costs) * 1e6, windowsWaited, repeatsThrownAway });
  };
  for (let i = 0; i < rounds; i++) await once("idle");
  let isOver = false;
  const coming = (async () => {
    while (!isOver) {
      await neighbour(0.3);
      await pause(1_500);
    }
  })();
  for (let i = 0; i < rounds; i++) await once("beside");
  isOver = true;
  await coming;
  const of = (state) => figures.rows.filter((row) => row.state === state);
  const ratio = median(of("beside").map(({ us }) => us)) / median(of("idle").map(({ us }) => us));
  figures.ratio.push({ ratio });
  expect("beside / idle", dry || Math.abs(ratio - 1) <= 0.02, ratio.toFixed(4));
  const thrown = of("beside").reduce((sum, row) => sum + row.repeatsThrownAway, 0);
  const idle = of("idle").reduce((sum, row) => sum + row.repeatsThrownAway, 0);
  expect("repeats thrown away beside a neighbour, and none without", (dry || thrown > 0) && idle === 0, `${thrown}, ${idle}`);
  const staying = neighbour(staysSeconds);
  await pause(2_000);
  const late = once("after one that stayed");
  const isBusy = async () => dry || (await start("nodes", "--tracker", address).ended).stdout.includes("device busy");
  const { seconds } = await until("device busy", staysSeconds + 10, isBusy);
  expect("`nodes` says device busy", true, `after ${seconds.toFixed(0)} s`);
  await staying;
  await late;
  expect("the job is done afterwards", true, `${figures.rows.at(-1)?.us.toFixed(1)} us`);
  await farm[Symbol.asyncDispose]();
}
