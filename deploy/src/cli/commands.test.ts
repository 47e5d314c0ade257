/** Invalid use of the farm's own commands: one sentence each, exit code 2, before anything is opened or connected. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliContext, createProgram, type RegisterCommand, registerCommands, runProgram } from "@warpfarm/client/cli";
import { FarmError, randomId, systemClock } from "@warpfarm/common";
import { trackerFlags } from "@warpfarm/tracker";
import { Command } from "commander";
import { afterAll, describe, expect, test, vi } from "vitest";
import { commands as everyCommand } from "../main.ts";
import * as builder from "./builder.ts";
import * as demo from "./demo.ts";
import * as runner from "./runner.ts";
import { surroundings } from "./surroundings.ts";
import * as tracker from "./tracker.ts";
import { addWorkerFlags, bytesOf, workerOptions } from "./worker-flags.ts";

const commands: readonly { readonly register: RegisterCommand }[] = [builder, demo, runner, tracker];

/** Default directories are created before the command connects, so they must be inside the test's directory. */
const home = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function refused(argv: readonly string[]): Promise<{ readonly code: number; readonly words: string }> {
  let words = "";
  let asked = 0;
  const unused = () => Promise.reject(new FarmError("INTERNAL", "not of this test"));
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    words += String(text);
    return true;
  });
  try {
    const context: CliContext = {
      env: {},
      cwd: "/",
      home,
      stdout: process.stdout,
      stderr: process.stderr,
      clock: systemClock,
      newId: randomId,
      signal: new AbortController().signal,
      hostKey: unused,
      startFarm: unused,
      buildHere: unused,
      probeMachine: unused,
      setExitCode: (code) => {
        asked = code;
      },
    };
    const program = createProgram(context, "0.0.0");
    for (const command of commands) command.register(program, context);
    const code = await runProgram(program, argv, context);
    return { code: code === 0 ? asked : code, words };
  } finally {
    spy.mockRestore();
  }
}

test("a flag that takes a time takes its unit: no name and no value says in which unit a number is", async () => {
  const { context } = surroundings("warpfarm");
  const program = createProgram(context, "0.0.0");
  await registerCommands(program, context, everyCommand, ["completion"]);
  const flags = program.commands.flatMap((command) => command.options.map((option) => `${command.name()} ${option.flags}`));
  expect(flags.length).toBeGreaterThan(100);
  expect(
    flags.filter((text) => /--[\w-]+-(ms|seconds|secs|minutes|hours|days)\b|<(s|ms|seconds|minutes)>|SECONDS/.test(text)),
  ).toEqual([]);
});

const { context } = surroundings("warpfarm");

/** What a command line prints. */
async function printed(...argv: readonly string[]): Promise<string> {
  let text = "";
  const ours = { ...context, stdout: { write: (words: string | Uint8Array) => (text += words) } };
  const program = createProgram(ours, "0.0.0");
  await registerCommands(program, ours, everyCommand, argv);
  expect([argv, await runProgram(program, argv, ours)]).toEqual([argv, 0]);
  return text;
}

test("the tracker's help is like all others, with every flag it takes", async () => {
  const help = await printed("tracker", "--help-all");
  expect(help).toMatch(/^Usage: warpfarm tracker \[options\]\n/);
  const shared = ["token-file", "tls-ca", "tls-cert", "tls-key"];
  for (const flag of Object.keys(trackerFlags))
    expect(help).toMatch(shared.includes(flag) ? new RegExp(`--${flag}\\b`) : new RegExp(`^  --${flag} `, "m"));
});

test("the help of every command of a farm has at most 30 lines, and the list of commands a line for each", async () => {
  const farms = [
    ["tracker"],
    ["builder"],
    ["runner"],
    ["demo"],
    ["view"],
    ["token"],
    ["token", "create"],
    ["token", "list"],
    ["keys"],
  ];
  const lines = await Promise.all(farms.map(async (words) => (await printed(...words, "--help")).trimEnd().split("\n").length));
  expect(lines.map((count, at) => [farms[at], count] as const).filter(([, count]) => count > 30)).toEqual([]);
  const list = (await printed("--help")).trimEnd().split("\n");
  expect(list).toHaveLength(Object.keys(everyCommand).length + 5);
});

test("completion knows the commands of a group, and their flags", async () => {
  const script = await printed("completion", "bash");
  const offers = (...words: readonly string[]) => {
    const asked = `COMP_WORDS=(warpfarm "$@"); COMP_CWORD=$#; _warpfarm; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${script}\n${asked}`, "bash", ...words], { encoding: "utf8" })
      .trim()
      .split(" ");
  };
  expect(offers("suite", "")).toEqual(expect.arrayContaining(["run", "settle", "from-onnx"]));
  expect(offers("suite", "se")).toEqual(["settle"]);
  expect(offers("suite", "run", "--ba")).toEqual(["--baseline"]);
  expect([offers("records", "best", "--dev"), offers("best", "--dev")]).toEqual([["--device", "--device-name"], [""]]);
  expect(offers("tune", "conv2d")).toContain("conv2d");
  expect(offers("space", "conv2d")).not.toContain("conv2d");
  expect(offers("tune", "--tri")).toEqual(["--trials"]);
});

describe("refusals", () => {
  test.each([
    [["tracker", "--listen", "here"], /^warpfarm tracker: address "here" is not host:port/],
    [["tracker", "--listen", "0.0.0.0:9290"], /^warpfarm tracker: --listen 0\.0\.0\.0:9290 is not loopback: give --tls-cert/],
    [["tracker", "--listen=0.0.0.0:1", "--insecure", "--lease-ttl", "0s"], /^warpfarm tracker: --lease-ttl is "0s"/],
    [["tracker", "--tls-cert", "/a"], /^warpfarm tracker: --tls-cert and --tls-key go together/],
    [["tracker", "--lease-ttl", "0s"], /^warpfarm tracker: --lease-ttl is "0s"; it takes a time such as .*, from 1s to 1d/],
    [
      ["tracker", "--token-file", "/nonexistent"],
      /^warpfarm tracker: --token-file \/nonexistent cannot be read: there is no such file or folder\n/,
    ],
    [["tracker", "--database-url", "mysql://here"], /^warpfarm tracker: --database-url must be postgres:/],
    [["tracker", "--database-url=postgres://here/x", "--listen", "here"], /^warpfarm tracker: address "here" is not host:port/],
    [["tracker", "--prot", "1"], /^warpfarm tracker: unknown option '--prot'; see warpfarm tracker --help/],
    [["builder", "--tracker", "here"], /^warpfarm builder: --tracker is "here"; it takes host:port/],
    [["builder", "--slots", "0"], /--slots is "0"; it takes an integer from 1 to 1024/],
    [["builder", "--label", "x"], /--label is "x"; it takes name=value/],
    [["builder", "--cache-mb", "-5"], /--cache-mb is "-5"/],
    [["builder", "--device", "cpu"], /unknown option '--device'/],
    [["builder", "--tls-ca", "/nonexistent"], /\/nonexistent/],
    [["runner", "--device", "tpu"], /^warpfarm runner: .*"tpu"/],
    [["runner", "--yield-to-others"], /--yield-to-others: nobody tells who else uses device cpu; it is for GPUs/],
    [
      ["runner", "--device=cuda:0", "--allow-shared", "--yield-to-others"],
      /--yield-to-others waits for others .* give one of them/,
    ],
    [["runner", "--threads", "many"], /--threads is "many"; it takes an integer from 1 to 1024/],
    [["runner", "--tracker", "a:b"], /--tracker is "a:b"/],
    [["runner", "--label", "=x"], /--label is "=x"/],
    [["runner", "--cache", "/proc/nowhere"], /the cache directory \/proc\/nowhere cannot be made: nothing can be made there/],
    [["builder", "--cache", "/proc/nowhere"], /the cache directory \/proc\/nowhere cannot be made: nothing can be made there/],
    [["runner", "cpu"], /too many/],
    [["demo", "--trials", "0"], /^warpfarm demo: --trials is "0"/],
    [["demo", "--seed", "1.5"], /--seed is "1\.5"/],
    [["demo", "--tuner", "ga"], /unknown option '--tuner'/],
    [["demo", "conv"], /too many/],
    [["demo", "--kep"], /unknown option '--kep' \(Did you mean --keep\?\)/],
  ])("%j", async (argv, message) => {
    const { code, words } = await refused(argv);
    expect(words).toMatch(message);
    expect(words.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(2);
  });
});

test.each([true, false])("a worker is started without a sandbox only by --no-sandbox: %s", async (sandbox) => {
  const { context } = surroundings("warpfarm");
  const { shared } = await workerOptions({ sandbox }, { ...context, env: {}, home });
  expect(shared.withoutSandbox).toBe(!sandbox);
});

test("a worker's flags win over the environment, and each label that is given counts", async () => {
  const { context } = surroundings("warpfarm");
  const env = { WARPFARM_TRACKER: "env:1", WARPFARM_TLS_CA: "env.pem" };
  const { shared: fromEnv } = await workerOptions({ sandbox: true }, { ...context, env, home });
  expect([await fromEnv.tracker, fromEnv.tlsCa]).toEqual(["env:1", "env.pem"]);
  const flags = { sandbox: true, tracker: "flag:2", tlsCa: "flag.pem" };
  const { shared } = await workerOptions(flags, { ...context, env, home });
  expect([await shared.tracker, shared.tlsCa]).toEqual(["flag:2", "flag.pem"]);
  const command = addWorkerFlags(new Command()).parse(["--label", "site=lab", "--label", "rack=1"], { from: "user" });
  expect(command.opts().label).toEqual({ site: "lab", rack: "1" });
});

test("a flag's MiB are 1,048,576 bytes each", () => {
  expect([1, 2048, undefined].map(bytesOf)).toEqual([1_048_576, 2_147_483_648, undefined]);
});
