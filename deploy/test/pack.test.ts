/**
 * The packed file is complete: installed outside the repository, it tunes, gives types to templates, and does what
 * docs/first-hour.md shows. `npm test` lays it out by the lock that travels with it; the full campaign does what
 * a stranger does, word for word and from the registry, with install scripts on and off.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { page, plain, say, stepsOf, surroundings } from "../../scripts/first-hour.mjs";
import { isFull } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { packedFile, packedInstallation } from "./packed.testing.ts";
import { Place } from "./warpfarm-process.ts";

const execute = promisify(execFile);
const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));

const newPlace = (): Place => {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  return place;
};

/** The installed packages, seen from another folder. */
const linkInstalled = (place: Place) => symlinkSync(join(packedInstallation(), "node_modules"), place.path("node_modules"));

/** These start a farm for each of four tasks, or read their logs; scripts/first-hour.mjs --check has time to run them. */
const isLong = (command: string): boolean => /^for |all\.jsonl/.test(command);
/** In npm test the package tunes and shows what it found. The other commands are those of every checkout. */
const isRun = (command: string): boolean => (isFull ? !isLong(command) : /stages|--version/.test(command));

/** Runs the page's commands again, except the installation. */
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

test("the packed file tunes outside the repository and gives types to an editor", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  const place = newPlace();
  linkInstalled(place);
  // The first command on a machine makes two stores, each in ten seconds of a processor. In npm test they are those of the build.
  if (!isFull)
    for (const name of ["records", "tracker"])
      cpSync(join(root, name, "dist/template"), place.path(".cache/warpfarm/stores"), { recursive: true });
  // It tunes, among the rest.
  firstHour(place);
  expect(readFileSync(join(place.directory, "stages.jsonl"), "utf8").match(/"sequence":/g)).toHaveLength(12);
  cpSync(join(root, "examples", "dense-relu.ts"), place.path("mine.ts"));
  // Only TypeScript is installed beside it, without types of Node, and every declaration that a template imports is checked too.
  const options = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [] };
  const listed = ["writing-a-template.md", "library.md"].flatMap((guide) =>
    [...readFileSync(join(root, "docs", guide), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = ""], i) => {
      // Programs await at their top level.
      const name = `${guide}-${i}.${guide === "library.md" ? "mts" : "ts"}`;
      writeFileSync(place.path(name), text);
      return name;
    }),
  );
  expect(listed.length).toBeGreaterThanOrEqual(7);
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

test("the packed file holds our packages alone, and what is not source", async () => {
  expect(statSync(packedFile()).size).toBeLessThan(1_650_000);
  const { stdout } = await execute("tar", ["tf", packedFile()], { maxBuffer: 2 ** 24 });
  const names = stdout.trim().split("\n");
  const others = names.filter(
    (name) => /\/node_modules\/(?!@warpfarm\/)|\.(?:map|tsbuildinfo|ts)$/.test(name) && !/\.d\.ts$/.test(name),
  );
  expect([others, names.length < 1_600]).toEqual([[], true]);
  for (const name of ["package.json", "npm-shrinkwrap.json", "bin/warpfarm.js", "index.js", "index.d.ts", "LICENSE", "README.md"])
    expect(names).toContain(`package/${name}`);
});

test("where npm left out a package's binaries for this platform, the answer names it", { timeout: 300_000 }, async (ctx) => {
  needs(ctx, "cc");
  const place = newPlace();
  const modules = place.path("node_modules");
  mkdirSync(modules);
  const others = readdirSync(join(packedInstallation(), "node_modules")).filter((name) => !/^@(?:koromix|esbuild)$/.test(name));
  // Links: a copy of 2,000 files takes seconds.
  await execute("cp", ["-al", ...others.map((name) => join(packedInstallation(), "node_modules", name)), modules]);
  cpSync(join(root, "examples", "dense-relu.ts"), place.path("mine.ts"));
  const run = (...args: string[]) =>
    execute(process.execPath, [join(modules, "warpfarm", "bin", "warpfarm.js"), ...args], {
      cwd: place.directory,
      env: { ...place.env },
    }).then(
      () => [0, ""],
      ({ code, stderr }: { readonly code: number; readonly stderr: string }) => [code, stderr],
    );
  const platform = `${process.platform}-${process.arch}`;
  const esbuild = `template file ./mine.ts: esbuild, which bundles it, does not run here: Error: The package "@esbuild/${platform}"`;
  expect(await run("space", "./mine.ts")).toEqual([2, expect.stringContaining(esbuild)]);
  const koffi = expect.stringContaining(`koffi has no binary for ${platform} here`);
  expect(await run("runner", "--tracker", "127.0.0.1:1", "--device", "cpu")).toEqual([2, koffi]);
  expect(await run("builder", "--tracker", "127.0.0.1:1")).toEqual([2, koffi]);
});

test.for(["--ignore-scripts=false", "--ignore-scripts"])(
  "a stranger's installation from the registry, %s",
  { timeout: 900_000 },
  async (scripts, ctx) => {
    if (!isFull) ctx.skip("part of the campaign: it fetches from the registry");
    const place = newPlace();
    cpSync(packedFile(), place.path("warpfarm-0.1.0.tgz"));
    const env = { ...place.env, npm_config_cache: place.path("npm"), npm_config_update_notifier: "false" };
    await execute("npm", ["install", scripts, "./warpfarm-0.1.0.tgz"], { cwd: place.directory, env });
    const { stdout } = await execute("npx", ["warpfarm", "demo"], { cwd: place.directory, env });
    expect(stdout).toMatch(/speed-up/);
  },
);
