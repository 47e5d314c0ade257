/**
 * `npm run mutants -- [NAME...] [--list] [--check] [--again] [--json FILE]`: plants the faults of test-support/mutants one at a
 * time in a copy of the repository and runs the tests that should notice. A fault is found by its text, which must stand exactly
 * once in the sources of its package, so files may move. Ends with 1 when a fault was not noticed, or is not found any more;
 * --check only looks for the texts, as lint does.
 *
 * Outcomes are kept in FILE (default: .mutants.json), so a run that was cut off goes on; --again forgets them. NAME is the
 * beginning of a fault's name: `compiler`, `compiler/quotient`.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    check: { type: "boolean" },
    again: { type: "boolean" },
    json: { type: "string", default: join(root, ".mutants.json") },
  },
});

/** Every fault of the table, with the package named by its file, before a subject where it has several. */
async function readTable() {
  const folder = join(root, "test-support/mutants");
  const table = [];
  for (const file of readdirSync(folder).sort()) {
    const home = file.replace(/(-\w+)?\.mjs$/, "");
    const { faults } = await import(pathToFileURL(join(folder, file)).href);
    table.push(...faults.map((fault) => ({ ...fault, name: `${home}/${fault.name}`, home })));
  }
  return table;
}

const sourcesOf = (home) =>
  readdirSync(join(root, home, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !/\.(?:test|testing)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** The one file that has the fault's text, or the reason why there is none. */
function placeOf({ home, find }) {
  const places = sourcesOf(home).flatMap((path) =>
    Array.from({ length: readFileSync(path, "utf8").split(find).length - 1 }, () => relative(root, path)),
  );
  if (places.length === 1) return { path: places[0] };
  return {
    lack:
      places.length === 0
        ? "its text stands nowhere"
        : `its text stands ${places.length} times: ${[...new Set(places)].join(", ")}`,
  };
}

/** A copy that shares the installed packages; the links between our packages point into the copy. */
function copyRepository() {
  const copy = mkdtempSync(join(tmpdir(), "warpfarm-mutants-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 1e9,
  });
  for (const path of listed
    .toString()
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  const modules = join(copy, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@warpfarm") symlinkSync(join(root, "node_modules", name), join(modules, name));
  cpSync(join(root, "node_modules/@warpfarm"), join(modules, "@warpfarm"), { recursive: true, verbatimSymlinks: true });
  for (const { name } of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    if (existsSync(join(root, name, "dist"))) cpSync(join(root, name, "dist"), join(copy, name, "dist"), { recursive: true });
  return copy;
}

let running;
function runIn(copy, command, ...args) {
  return new Promise((resolve) => {
    running = spawn(command, args, { cwd: copy, stdio: "ignore", detached: true, env: { ...process.env, WARPFARM_REQUIRE: "" } });
    running.on("exit", (code) => resolve(code));
    running.on("error", () => resolve(-1));
  });
}

/**
 * The first test that fails, or undefined when all pass. A test that hangs counts as failed: half a minute is many times its
 * usual duration.
 */
async function noticedBy(copy, fault) {
  const report = join(copy, ".report.json");
  rmSync(report, { force: true });
  if (fault.built && (await runIn(copy, "npx", "tsc", "-b")) !== 0) return "tsc";
  const limits = ["--bail=1", "--testTimeout=30000", "--hookTimeout=60000"];
  const tests = fault.tests ?? [`${fault.home}/`];
  const code = await runIn(copy, "npx", "vitest", "run", ...tests, ...limits, "--reporter=json", `--outputFile=${report}`);
  if (code === 0) return undefined;
  if (!existsSync(report)) return "vitest ended without a report";
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed) return `${relative(copy, name)} > ${failed.fullName}`;
    if (message) return `${relative(copy, name)}: ${message.split("\n")[0]}`;
  }
  return "a test outside any file";
}

const table = (await readTable()).filter(({ name }) => names.length === 0 || names.some((begin) => name.startsWith(begin)));
if (table.length === 0) {
  process.stderr.write(`no fault's name begins with ${names.join(" or ")}; see --list\n`);
  process.exit(2);
}
const lost = table.filter((fault) => placeOf(fault).lack);
for (const fault of lost) process.stdout.write(`${fault.name}: ${placeOf(fault).lack}\n`);
if (flags.list) for (const { name, why } of table) process.stdout.write(`${name}  ${why}\n`);
if (flags.list || flags.check || lost.length > 0) process.exit(lost.length > 0 ? 1 : 0);

const outcomes = !flags.again && existsSync(flags.json) ? JSON.parse(readFileSync(flags.json, "utf8")) : {};
const copy = copyRepository();
const clean = () => rmSync(copy, { recursive: true, force: true });
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    if (running?.pid) process.kill(-running.pid, "SIGKILL");
    clean();
    process.exit(130);
  });
for (const [i, fault] of table.entries()) {
  const { path, lack } = placeOf(fault);
  if (path === undefined) throw new Error(`${fault.name}: ${lack}`);
  const text = readFileSync(join(root, path), "utf8");
  const planted = text.replace(fault.find, () => fault.to);
  if (outcomes[fault.name]?.find === fault.find && outcomes[fault.name].to === fault.to && outcomes[fault.name].by) continue;
  const from = performance.now();
  writeFileSync(join(copy, path), planted);
  const by = await noticedBy(copy, fault);
  writeFileSync(join(copy, path), text);
  if (fault.built) await runIn(copy, "npx", "tsc", "-b");
  outcomes[fault.name] = { find: fault.find, to: fault.to, by: by ?? null };
  writeFileSync(flags.json, `${JSON.stringify(outcomes, null, 2)}\n`);
  const seconds = Math.round((performance.now() - from) / 1000);
  process.stdout.write(`${i + 1}/${table.length} ${fault.name}: ${by ? `noticed by ${by}` : "NOT NOTICED"} (${seconds} s)\n`);
}
clean();
const equivalent = table.filter(({ equivalent }) => equivalent !== undefined);
const noticed = table.filter(({ name }) => outcomes[name]?.by);
const missed = table.filter(({ name, equivalent }) => !outcomes[name]?.by && equivalent === undefined);
process.stdout.write(`${noticed.length} of ${table.length} noticed, ${equivalent.length} change nothing that can be seen\n`);
for (const { name, why } of missed) process.stdout.write(`not noticed: ${name} (${why})\n`);
process.exit(missed.length > 0 ? 1 : 0);
