// ResNet-50's 23 convolutions as one suite, on this machine's GPU, in parts that go on from one another: each call runs for
// --minutes and stops in order; the next call, on the same --dir, goes on. Each part writes the report so far.
//
//   node bench/gpu/resnet-suite.mjs --dir DIR [--minutes 9] [--trials 64] [--dry]
//
// --dry: prints what it would run, and starts nothing.
// Printed at the end of each part: tasks ended, trials, device time, geometric means over the default schedule. To compare it
// with the library run bench/gpu/shapes.mjs with group resnet there.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    minutes: { type: "string", default: "9" },
    trials: { type: "string", default: "64" },
    dry: { type: "boolean", default: false },
  },
});
if (values.dir === undefined) throw new Error("--dir DIR: where plan, logs and progress are kept between parts");
const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
const dir = resolve(values.dir);
const { resnet50 } = await import("../../client/dist/suite/shipped/resnet50.js");
const file = `${dir}.yaml`;
const suite = {
  ...resnet50,
  tasks: resnet50.tasks.filter(({ task }) => task !== "conv2d_nchw_cpu"),
  budget: { trials: Number(values.trials) },
};
const begins = !existsSync(join(dir, "suite.json"));
const args = begins ? ["suite", "run", file, "--dir", dir, "--device", "cuda"] : ["suite", "resume", dir, "--device", "cuda"];
if (values.dry) {
  console.log(`${suite.tasks[0].shapes.length} convolutions of ${suite.tasks[0].task}, ${values.trials} trials each`);
  console.log(`warpfarm ${args.join(" ")}   (SIGINT after ${values.minutes} min)`);
} else {
  if (begins) writeFileSync(file, JSON.stringify(suite));
  const { status, signal } = spawnSync(process.execPath, [bin, ...args], {
    stdio: "inherit",
    timeout: Number(values.minutes) * 60_000,
    killSignal: "SIGINT",
  });
  const isWhole = status === 0;
  console.log(isWhole ? "all tasks have ended" : `part over (${signal ?? `exit ${status}`}); the same command goes on`);
  spawnSync(process.execPath, [bin, "suite", "report", dir, "-o", `${dir}-report`], { stdio: "inherit" });
}
