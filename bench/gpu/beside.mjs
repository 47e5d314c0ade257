/**
 * `runner --yield-to-others` beside a second process of this GPU:
 *
 *   npm run build && node bench/gpu/beside.mjs
 *
 *   idle      one config of matmul_simt, measured several times while nobody else is there
 *   beside    the same while a neighbour comes for 0.3 s, again and again: times within 2 % of the idle ones, and the records say
 *             how many windows were waited for and how many repeats thrown away; or the measurement waits
 *   stays     a neighbour that stays 75 s: the job goes back as `device busy`, `nodes` says so, and the job is done afterwards
 *   refused   where NVML does not show others here, the flag is refused by name, and that is all there is to see
 *
 * About four minutes. Exit code 1 when something is not as expected. Writes bench/results/gpu-beside.json.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure, openFarm } from "../../index.js";
import { saveResults } from "../results.mjs";
import { openHome, until } from "./shared/processes.mjs";
import { median } from "./shared/sections.mjs";

const script = fileURLToPath(new URL("shared/neighbour.mjs", import.meta.url));
const neighbour = (seconds) => {
  const child = spawn(process.execPath, [script, "0", String(seconds)], { stdio: "inherit" });
  return new Promise((done) => child.on("close", done));
};
const pause = (ms) => new Promise((next) => setTimeout(next, ms));
const published = /** @type {const} */ ("published");
const config = /** @type {const} */ ({
  ...{ task: "matmul_simt", args: { M: 2048, N: 2048, K: 2048 }, config: published },
  measure: { repeat: 20, min_repeat: "20ms", run_timeout: "60s" },
});
const rounds = 5;
let failures = 0;
function expect(what, holds, found) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}: ${found}`);
  if (!holds) failures++;
}

const { start } = openHome("beside");
const parts = [start("tracker", "--listen", "127.0.0.1:0", "--http", "none")];
const isReady = await until("the tracker", 60, () => /^tracker ready grpc=(\S+)/m.exec(parts[0].said()));
const [, address] = isReady.found;
parts.push(
  start("builder", "--tracker", address),
  start("runner", "--tracker", address, "--device", "cuda:0", "--yield-to-others"),
);
const [, , runner] = parts;
try {
  let code;
  runner.ended.then((end) => {
    ({ code } = end);
  });
  await until("the runner", 120, () => runner.said().includes("ready") || code !== undefined);
  if (code !== undefined) {
    const named = /--yield-to-others cannot be kept on .*/.exec(runner.said())?.[0];
    expect("refused at start", named !== undefined, named ?? runner.said());
  } else await beside();
} finally {
  for (const part of parts) part.kill("SIGTERM");
  await Promise.all(parts.map(({ ended }) => ended));
}
process.exitCode = failures > 0 ? 1 : 0;

async function beside() {
  const farm = await openFarm({ address });
  const once = async (state) => {
    const result = await measure(farm, config);
    if (result.kind !== "timed") throw new Error(result.kind === "failed" ? result.message : "it was slower than the best");
    const { windowsWaited = 0, repeatsThrownAway = 0 } = result.observations;
    return { state, us: median(result.costs) * 1e6, windowsWaited, repeatsThrownAway };
  };
  const rows = [];
  for (let i = 0; i < rounds; i++) rows.push(await once("idle"));
  let isOver = false;
  const coming = (async () => {
    while (!isOver) {
      await neighbour(0.3);
      await pause(1_500);
    }
  })();
  for (let i = 0; i < rounds; i++) rows.push(await once("beside"));
  isOver = true;
  await coming;
  console.table(rows);
  const of = (state) => rows.filter((row) => row.state === state);
  const ratio = median(of("beside").map(({ us }) => us)) / median(of("idle").map(({ us }) => us));
  expect("beside / idle", Math.abs(ratio - 1) <= 0.02, ratio.toFixed(4));
  const thrown = of("beside").reduce((sum, row) => sum + row.repeatsThrownAway, 0);
  expect(
    "repeats thrown away beside a neighbour, and none without",
    thrown > 0 && of("idle").every((r) => r.repeatsThrownAway === 0),
    thrown,
  );
  const staying = neighbour(75);
  await pause(2_000);
  const late = once("after one that stayed");
  const isBusy = async () => (await start("nodes", "--tracker", address).ended).stdout.includes("device busy");
  const { seconds } = await until("device busy", 80, isBusy);
  expect("`nodes` says device busy", true, `after ${seconds.toFixed(0)} s`);
  await staying;
  rows.push(await late);
  expect("the job is done afterwards", true, `${rows.at(-1)?.us.toFixed(1)} us`);
  await farm[Symbol.asyncDispose]();
  saveResults("gpu-beside", "node bench/gpu/beside.mjs", { rows, ratio: [{ ratio }] }, { gpu: true });
}
