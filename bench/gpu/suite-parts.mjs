/**
 * A shipped suite on this machine's GPU, or on a farm, in parts that go on from one another: each call runs for --minutes and
 * stops in order; the next call, on the same --dir, goes on. Each part ends with the report so far. With --table a part does not
 * search: it measures the candidates for a dispatch table on the shapes that lack them, and writes the table.
 *
 *   node bench/gpu/suite-parts.mjs --suite resnet50 --dir DIR [--tracker ADDRESS] [--minutes 9] [--trials 64] [--table] [--dry]
 *
 * --tracker: on the farm there, of as many GPUs as it has. --dry: prints what it would run, and starts nothing. To compare
 * ResNet-50 with the library, run bench/gpu/shapes.mjs with group resnet there.
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    suite: { type: "string", default: "resnet50" },
    dir: { type: "string" },
    tracker: { type: "string" },
    minutes: { type: "string", default: "9" },
    trials: { type: "string", default: "64" },
    table: { type: "boolean", default: false },
    dry: { type: "boolean", default: false },
  },
});
if (values.dir === undefined) throw new Error("--dir DIR: where plan, logs and progress are kept between parts");
const { shippedSuites } = await import("../../client/dist/suite/shipped/index.js");
/** @type {any} */
const shipped = shippedSuites[values.suite];
if (shipped === undefined) throw new Error(`--suite ${values.suite}: the suites are ${Object.keys(shippedSuites).join(", ")}`);
const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
const dir = resolve(values.dir);
const file = `${dir}.yaml`;
const suite = {
  ...shipped,
  tasks: shipped.tasks.filter((/** @type {{ task: string }} */ { task }) => !task.endsWith("_cpu")),
  budget: { trials: Number(values.trials) },
  measure: { repeat: 3, min_repeat: "10ms" },
  finalists: 0,
};
const begins = !existsSync(join(dir, "suite.json"));
const words = values.table ? ["table", dir, "--measure"] : begins ? ["run", file, "--dir", dir] : ["resume", dir];
const args = ["suite", ...words, ...(values.tracker === undefined ? ["--device", "cuda"] : ["--tracker", values.tracker])];
if (values.dry) {
  console.log(`${suite.tasks[0].shapes.length} shapes of ${suite.tasks[0].task}, ${values.trials} trials each`);
  console.log(`warpfarm ${args.join(" ")}   (SIGINT after ${values.minutes} min)`);
} else {
  if (begins) writeFileSync(file, JSON.stringify(suite));
  const { status, signal } = spawnSync(process.execPath, [bin, ...args], {
    stdio: "inherit",
    timeout: Math.round(Number(values.minutes) * 60_000),
    killSignal: "SIGINT",
  });
  console.log(status === 0 ? "all is done" : `part over (${signal ?? `exit ${status}`}); the same command goes on`);
  if (!values.table) spawnSync(process.execPath, [bin, "suite", "report", dir], { stdio: "inherit" });
}
