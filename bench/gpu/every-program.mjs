/**
 * Programs of every kind through a farm on this GPU, each compared with its reference there: every primitive, element type,
 * template and kind of intrinsic, and 200 random schedules.
 *
 *   node bench/gpu/every-program.mjs [--dry]
 *
 * deploy/test/programs, with the device in place of the scripted runner. `--dry`: without a GPU, and without the random
 * schedules.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dry } from "./shared/device-host.mjs";
import { outFolder, runSections } from "./shared/sections.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The tests as vitest runs them. */
async function programs() {
  const args = ["node_modules/vitest/vitest.mjs", "run", "deploy/test/programs", "-t", "on cuda", "--no-color"];
  const required = dry ? {} : { WARPFARM_REQUIRE: "gpu,nvcc,cc", WARPFARM_CAMPAIGN: "full" };
  const env = { ...process.env, NO_COLOR: "1", ...required };
  const child = spawn(process.execPath, [...args, "--reporter=verbose"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  writeFileSync(join(outFolder, "every-program.txt"), text);
  const lines = text.split("\n").map((line) => line.trim());
  const tests = lines.filter((line) => /^(?:✓|×) /.test(line));
  const failures = lines.filter((line) => /^(?:FAIL|Error:|AssertionError|\+ {3})/.test(line)).slice(0, 60);
  const last = lines.filter((line) => /^(?:Tests|Duration) /.test(line));
  for (const line of [...tests, ...failures, ...last]) console.log(line.slice(0, 300));
  if (last.length === 0) console.log(text.slice(-2000));
  if (code !== 0) throw new Error(`exit code ${code}; ${join(outFolder, "every-program.txt")} has all of it`);
  return { tests, last };
}

await runSections(fileURLToPath(import.meta.url), "every-program", { programs: { seconds: 530, run: programs } });
