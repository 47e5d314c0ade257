/**
 * The package that `npm pack` makes is complete: installed in an empty directory without a registry, it tunes, gives types to
 * templates, and does what docs/first-hour.md shows. In npm test its files are copied as npm would; the full campaign has npm
 * pack and install them, and compares.
 */
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { page, plain, say, stepsOf, surroundings } from "../../scripts/first-hour.mjs";
import { isFull } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { installPacked } from "./packed.testing.ts";
import { Place } from "./warpfarm-process.ts";

const execute = promisify(execFile);
const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
/** npm compresses at level 9, which takes ten seconds and tests nothing. */
const unpressed = new URL("./store-only-gzip.mjs", import.meta.url).href;
/** npm asks the registry for no newer version of itself. */
const quiet = { npm_config_update_notifier: "false" };
/** The npm beside this node: the PATH of a test may have another one, or none. */
const npm = async (place: Place, args: readonly string[], cwd: string, nodeOptions = "") =>
  execute("npm", args as string[], {
    cwd,
    // One thread for npm's thousands of small files: several threads spend their time waiting for each other in the kernel.
    env: {
      ...place.env,
      npm_config_cache: place.path("npm"),
      ...quiet,
      UV_THREADPOOL_SIZE: "1",
      NODE_OPTIONS: nodeOptions,
    },
  });

async function installByNpm(place: Place): Promise<void> {
  // Built already: npm test does it.
  await npm(place, ["pack", "--ignore-scripts", "--pack-destination", place.directory], root, `--import ${unpressed}`);
  const [tarball] = readdirSync(place.directory).filter((name) => name.endsWith(".tgz"));
  expect(tarball).toBe("warpfarm-0.1.0.tgz");
  // The file as npm install TARBALL writes it. With the tarball on its command line npm would unpack it once more for its name.
  const elsewhere = { name: "elsewhere", private: true, dependencies: { warpfarm: `file:${tarball}` } };
  writeFileSync(place.path("package.json"), JSON.stringify(elsewhere));
  await npm(place, ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], place.directory);
  const copied = new Place();
  onTestFinished(() => copied[Symbol.dispose]());
  installPacked(root, copied.directory);
  const { stdout } = await execute("tar", ["tf", place.path(tarball ?? "")], { maxBuffer: 2 ** 26 });
  const made = copied.path("node_modules/warpfarm");
  const files = readdirSync(made, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  expect(compared(files.map(({ name, parentPath }) => relative(made, join(parentPath, name))))).toEqual(
    compared(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.slice("package/".length)),
    ),
  );
}

/** Without the tests and changes of others' packages, some of which npm leaves out. */
const compared = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !/(?<!@warpfarm\/.*)(?:\/test\/|\/CHANGE)/.test(name)).sort();

/** These start a farm for each of four tasks, or read their logs; scripts/first-hour.mjs --check has time to run them. */
const isLong = (command: string): boolean => /^for |all\.jsonl/.test(command);
/** In npm test the package tunes and shows what it found. The other commands are those of every checkout. */
const isRun = (command: string): boolean => (isFull ? !isLong(command) : /stages|--version/.test(command));

/** Runs the page's commands again, except the installation, which the test does at its start. */
function firstHour(place: Place): void {
  const { PATH, ...env } = surroundings(place.directory, process.env);
  const bin = join(place.directory, "node_modules", ".bin");
  let commands = 0;
  for (const step of stepsOf(readFileSync(page, "utf8")))
    if (step.kind === "file") writeFileSync(place.path(step.name), step.text);
    else if (!step.command.startsWith("npm install") && isRun(step.command)) {
      commands++;
      const { command, output } = step;
      // Runs the executable that npx would find, because npx takes half a second to find it.
      const said = say(command.replaceAll("npx warpfarm", "warpfarm"), place.directory, { ...env, PATH: `${bin}:${PATH}` });
      expect([command, ...plain(command, said)]).toEqual([command, ...plain(command, output)]);
    }
  expect(commands).toBeGreaterThanOrEqual(isFull ? 8 : 3);
}

test("the packed tarball installs without a registry and tunes outside the repository", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  // Built already: npm test does it.
  if (isFull) await installByNpm(place);
  else installPacked(root, place.directory);
  // It tunes, among the rest.
  firstHour(place);
  expect(readFileSync(join(place.directory, "stages.jsonl"), "utf8").match(/"sequence":/g)).toHaveLength(12);
  cpSync(join(root, "examples", "dense-relu.ts"), place.path("mine.ts"));
  // Only TypeScript is installed beside it, without types of Node, and every declaration that a template imports is checked too.
  const options = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [] };
  const guide = readFileSync(join(root, "docs", "writing-a-template.md"), "utf8");
  const listed = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = ""], i) => {
    writeFileSync(place.path(`listing-${i}.ts`), text);
    return `listing-${i}.ts`;
  });
  expect(listed.length).toBeGreaterThanOrEqual(4);
  const wrong = readFileSync(place.path("mine.ts"), "utf8").replace("schedule.parallel(", "schedule.paralel(");
  writeFileSync(place.path("wrong.ts"), wrong);
  const files = ["mine.ts", ...listed, "wrong.ts"];
  writeFileSync(place.path("tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  const tsc = join(root, "node_modules", ".bin", "tsc");
  // All files in one run: only the one with the type error is refused.
  const said = await execute(tsc, ["--noEmit"], { cwd: place.directory, env: { ...place.env } }).then(
    () => "",
    (error: { readonly stdout: string }) => error.stdout,
  );
  expect(said.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^wrong\.ts\(\d+,\d+\): error TS2551: Property 'paralel' does not exist .*'parallel'/),
  ]);
  const installed = join(place.directory, "node_modules", ".bin", "warpfarm");
  const mine = await execute(installed, ["space", "./mine.ts", "--json"], { cwd: place.directory, env: { ...place.env } });
  expect(JSON.parse(mine.stdout)).toMatchObject({ size: 60 });
});
