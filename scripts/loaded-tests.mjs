/**
 * `node scripts/loaded-tests.mjs [TIMES]` runs `npm test`, by default three times, beside two busy loops for each processor, and
 * says of each run how it ended, how long it took and its processor time. No test's verdict may depend on what runs beside it.
 * Arguments after `--` go to vitest. Each run's output is kept in a file that the summary names. Exit code 1: a run failed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const own = process.argv.slice(2);
const [before, after] = own.includes("--") ? [own.slice(0, own.indexOf("--")), own.slice(own.indexOf("--") + 1)] : [own, []];
const { positionals } = parseArgs({ args: before, allowPositionals: true, options: {} });
const [word = "3", ...more] = positionals;
const times = Number(word);
if (!Number.isInteger(times) || times < 1 || more.length > 0) {
  console.error(`loaded-tests: TIMES is ${JSON.stringify(positionals.join(" "))}; it is one whole number from 1`);
  process.exit(2);
}

const loops = Array.from({ length: 2 * availableParallelism() }, () =>
  // It ends with this process, whatever ends that.
  spawn(
    process.execPath,
    ["-e", `for (let i = 0; ; i++) if (i % 1e8 === 0 && process.ppid !== ${process.pid}) process.exit();`],
    { stdio: "ignore" },
  ),
);
const logs = mkdtempSync(join(tmpdir(), "warpfarm-loaded-"));

async function run(/** @type {number} */ number) {
  const path = join(logs, `${number}.log`);
  const file = createWriteStream(path);
  const from = performance.now();
  const child = spawn("npm", ["test", "--", ...after], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
      file.write(chunk);
    });
  const [code] = await once(child, "close");
  file.end();
  const minutes = ((performance.now() - from) / 60_000).toFixed(1);
  const [counts = "no counts"] = /^\d+ passed, \d+ failed, \d+ skipped$/m.exec(said) ?? [];
  const [processor = "no processor time"] = /^Processor time: \d+ s$/m.exec(said) ?? [];
  console.log(`run ${number} of ${times}: exit code ${code}; ${counts}; ${minutes} min; ${processor}; ${path}`);
  return code === 0;
}

console.log(`${loops.length} busy loops beside npm test, on ${availableParallelism()} processors`);
try {
  for (let number = 1; number <= times; number++) if (!(await run(number))) process.exitCode = 1;
} finally {
  for (const loop of loops) loop.kill();
}
