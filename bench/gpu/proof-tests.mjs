/** Section tests of the proof: the tests that need a GPU. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dry } from "./shared/device-host.mjs";
import { outFolder } from "./shared/sections.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The tests of what needs a GPU or its compiler, as vitest runs them. */
export async function testsSection() {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "runner/src/device/cuda",
    "builder/src/toolchain/cuda",
    "compiler/test/fuzz/gpu",
    "--no-color",
    "--maxWorkers=4",
  ];
  const env = { ...process.env, NO_COLOR: "1", ...(dry ? {} : { WARPFARM_REQUIRE: "gpu" }) };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  writeFileSync(join(outFolder, "proof-tests.txt"), text);
  const lines = text.split("\n").map((line) => line.trim());
  const failures = lines.filter((line) => /^(?:FAIL|×|Error:|AssertionError)/.test(line));
  const last = lines.filter((line) => /^(?:Test Files|Tests|Duration) /.test(line));
  for (const line of [...failures.slice(0, 40), ...last]) console.log(line.slice(0, 300));
  if (last.length === 0) console.log(text.slice(-2000));
  return { code, failures, last };
}
