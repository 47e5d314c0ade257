/**
 * Random programs that the copy engine feeds, on this GPU: boxes, products of warps and products of warpgroups in roles, 400 of
 * each, whose sums of small whole numbers are exact, so each must equal its reference to the bit; as they are, with warps held up
 * at random, and 150 of each under racecheck. Then 24 of each with a wait or a barrier taken out: how many are noticed by their
 * values, by racecheck and by synccheck.
 *
 *   node bench/gpu/hopper-fuzz.mjs [--only boxes,warpgroups] [--budget 535s] [--resume --from DIR] [--dry]
 *
 * compiler/test/fuzz/gpu.test.ts, one kind a section, each under 9 minutes. `--dry`: without a GPU; all is skipped.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dry } from "./shared/device-host.mjs";
import { outFolder, runSections, table } from "./shared/sections.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const kinds = {
  boxes: "of boxes",
  warps: "of tensor cores fed by the copy engine",
  warpgroups: "of warpgroups fed by the copy engine",
};

/** Runs one test of the file by its name; the lines that it prints are the results. */
async function run(name, title) {
  const args = ["node_modules/vitest/vitest.mjs", "run", "compiler/test/fuzz/gpu.test.ts", "-t", title, "--no-color"];
  const required = dry ? {} : { WARPFARM_REQUIRE: "gpu,nvcc", WARPFARM_CAMPAIGN: "full" };
  const env = { ...process.env, NO_COLOR: "1", ...required };
  const child = spawn(process.execPath, [...args, "--reporter=verbose", "--disable-console-intercept"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  const file = join(outFolder, `hopper-fuzz-${name}.txt`);
  writeFileSync(file, text);
  const lines = text.split("\n").map((line) => line.trim());
  const found = lines.filter((line) => /\d+ as they are in|taken out: \d+|stays away: \d+/.test(line));
  const skipped = lines.filter((line) => line.startsWith("↓")).length;
  for (const line of found) console.log(line.slice(0, 400));
  if (code !== 0) {
    for (const line of lines.filter((one) => /^(?:FAIL|Error:|AssertionError|seed )/.test(one)).slice(0, 40))
      console.log(line.slice(0, 300));
    throw new Error(`exit code ${code}; ${file} has all of it`);
  }
  return { found, skipped };
}

const sections = Object.fromEntries(
  Object.entries(kinds).flatMap(([name, words]) => [
    [name, { seconds: 530, run: () => run(name, `random schedules ${words} agree`) }],
    [`${name}-spoilt`, { seconds: 530, run: () => run(`${name}-spoilt`, `schedules ${words} that lack`) }],
  ]),
);
await runSections(fileURLToPath(import.meta.url), "hopper-fuzz", sections, {
  budget: 535,
  last: (results) =>
    table(
      ["section", "what was found"],
      Object.entries(results).map(([name, { found }]) => [name, found.join("; ") || "nothing ran here"]),
    ),
});
