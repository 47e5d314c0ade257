/**
 * Records docs/tutorial.md: `npm run build && node scripts/tutorial.mjs` runs its commands in the folder of examples and puts
 * their output into the page. `--check` ends with 1 when the page differs; `--program FILE` runs another executable, such as the
 * tests' bundle. The commands measure nothing, so their output is the same on every machine. The times come from
 * bench/results/gpu-tutorial.json (bench/gpu/tutorial.mjs); without it the page has no table.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { recorded, say, surroundings } from "./first-hour.mjs";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const page = at("docs/tutorial.md");
const measured = at("bench/results/gpu-tutorial.json");

/** The table of the measured steps, between two marks. */
function withTimes(text) {
  const marks = /(<!-- times -->\n)[\s\S]*?(<!-- end of times -->)/;
  if (!existsSync(measured)) return text.replace(marks, "$1$2");
  const { device, date, figures } = JSON.parse(readFileSync(measured, "utf8"));
  const [{ n, gflops: first }] = figures.steps;
  const rows = figures.steps.map(
    ({ step, dtype, us, gflops }) =>
      `| ${step} | ${dtype} | ${us.toFixed(us < 1000 ? 1 : 0)} us | ${(gflops / 1000).toFixed(1)} TFLOPS | ${(gflops / first).toFixed(1)} |`,
  );
  const table = [
    `Measured on one ${device.name}, ${date.slice(0, 10)}, at ${n} x ${n} x ${n} (\`node bench/gpu/tutorial.mjs\`):`,
    "",
    "| step | operands | time | speed | times step 1 |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ];
  return text.replace(marks, (_, begin, end) => `${begin}\n${table.join("\n")}\n\n${end}`);
}

const home = mkdtempSync(join(tmpdir(), "tutorial-"));
try {
  const env = surroundings(home, process.env);
  const { values } = parseArgs({ options: { check: { type: "boolean" }, program: { type: "string" } } });
  const program = `${process.execPath} ${values.program ?? at("bin/warpfarm.js")}`;
  const before = readFileSync(page, "utf8");
  const after = recorded(
    withTimes(before),
    () => {},
    (command) => say(command.replaceAll("npx warpfarm", program), at("examples"), env),
  );
  if (after === before) console.log("all as the page says");
  else if (values.check) {
    console.log("docs/tutorial.md is not what its commands say: npm run build && node scripts/tutorial.mjs");
    process.exitCode = 1;
  } else {
    writeFileSync(page, after);
    console.log("docs/tutorial.md");
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
