import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { clientCommands } from "../index.ts";
import { createProgram, registerCommands } from "../run.ts";
import { sharedOf, takes } from "./shared-flags.ts";

describe("flags of many commands", () => {
  test("stand before and after the command, and the last of one counts", async () => {
    const [before, after] = [
      ["--tracker", "nowhere:0x", "nodes"],
      ["nodes", "--tracker=nowhere:0x"],
    ];
    for (const argv of [before, after])
      expect(oneSentence(await runCli(argv)), argv.join(" ")).toMatch(
        /^warpfarm nodes: --tracker is "nowhere:0x"; it takes host:port/,
      );
    expect((await runCli(["--json", "tasks", "matmul_derived"])).stdout).toMatch(/^\[\{"name":"matmul_derived"/);
    const said = await runCli(["nodes", "--tracker", "127.0.0.1:1", "--tracker", "127.0.0.1:2"]);
    expect([said.code, oneSentence(said)]).toEqual([3, expect.stringContaining("127.0.0.1:2")]);
  });

  test.each([
    [["tasks", "--tracker", "a:1"], "warpfarm tasks: tasks takes no --tracker; leave it out"],
    [["completion", "bash", "--json"], "warpfarm completion: completion takes no --json; leave it out"],
    [["records", "export", "--json"], "warpfarm records: export takes no --json; leave it out"],
    [["nodes", "--logs", "x"], "warpfarm nodes: nodes takes no --logs; leave it out"],
    [["score", "--allow-include", "x"], "warpfarm score: score takes no --allow-include; leave it out"],
  ])("%j: one that the command has no use for is refused", async (argv, message) => {
    const said = await runCli(argv);
    expect([said.code, oneSentence(said)]).toEqual([2, message]);
  });

  test("--allow-include is kept each time it is given", async () => {
    const program = createProgram({ stdout: process.stdout, stderr: process.stderr } as never, "0");
    let got: unknown;
    takes(program.command("some"), "allowInclude", "json").action((flags) => {
      got = flags;
    });
    await program.parseAsync(["some", "--allow-include", "a", "--json", "--allow-include", "b"], { from: "user" });
    expect(got).toEqual({ allowInclude: ["a", "b"], json: true });
  });

  test("a connection's value is the flag's, else the environment's, else the file's", async () => {
    const home = scratch();
    const config = (text: string) => {
      mkdirSync(join(home, ".config/warpfarm"), { recursive: true });
      writeFileSync(join(home, ".config/warpfarm/config.yaml"), text);
    };
    const sentence = async (argv: readonly string[], env: Record<string, string>) =>
      oneSentence(await runCli(["nodes", ...argv], { home, env }));
    config("tracker: 127.0.0.1:1\ntoken_file: /of-file\ntls_ca: /of-file\n");
    const { WARPFARM_TLS_CA, ...env } = { WARPFARM_TRACKER: "127.0.0.1:2", WARPFARM_TLS_CA: "/of-env" };
    expect(await sentence([], {})).toContain('--tls-ca names "/of-file"');
    expect(await sentence([], { ...env, WARPFARM_TLS_CA })).toContain('--tls-ca names "/of-env"');
    expect(await sentence(["--tls-ca", "/of-flag"], { ...env, WARPFARM_TLS_CA })).toContain('--tls-ca names "/of-flag"');
    config("tracker: 127.0.0.1:1\ntoken_file: /of-file\n");
    expect(await sentence([], { WARPFARM_TOKEN_FILE: "/of-env" })).toContain('--token-file names "/of-env"');
    expect(await sentence(["--token-file", "/of-flag"], { WARPFARM_TOKEN_FILE: "/of-env" })).toContain("/of-flag");
    config("tracker: 127.0.0.1:1\n");
    expect(await sentence([], {})).toContain("cannot reach the tracker at 127.0.0.1:1:");
    expect(await sentence([], env)).toContain("cannot reach the tracker at 127.0.0.1:2:");
    expect(await sentence(["--tracker", "127.0.0.1:3"], env)).toContain("cannot reach the tracker at 127.0.0.1:3:");
  });
});

describe("help", () => {
  let commands: readonly (readonly [words: string, command: Command])[] = [];
  beforeAll(async () => {
    const program = createProgram({ stdout: process.stdout, stderr: process.stderr } as never, "0");
    await registerCommands(program, {} as never, clientCommands, ["completion"]);
    const below = (command: Command, words: readonly string[]): readonly (readonly [string, Command])[] =>
      command.commands.flatMap((each) => [
        [[...words, each.name()].join(" "), each] as const,
        ...below(each, [...words, each.name()]),
      ]);
    commands = [["", program], ...below(program, [])];
  });

  test("of every command has at most 30 lines, and with --help-all every flag", async () => {
    expect(commands.length).toBeGreaterThan(30);
    const lines: [string, number][] = [];
    for (const [words, command] of commands) {
      const argv = words.split(" ").filter(Boolean);
      const short = await runCli([...argv, "--help"]);
      expect([words, short.code, short.stderr]).toEqual([words, 0, ""]);
      lines.push([words, short.stdout.trimEnd().split("\n").length]);
      const full = await runCli([...argv, "--help-all"]);
      expect([words, full.code, full.stderr]).toEqual([words, 0, ""]);
      for (const { long } of command.options) expect(full.stdout, `${words} ${long}`).toMatch(new RegExp(`^ .*${long}\\b`, "m"));
      for (const { long } of sharedOf(command))
        expect(full.stdout, `${words} ${long}`).toContain(`${long}`.startsWith("--tls-") ? "--tls-*" : long);
    }
    expect(lines.filter(([, count]) => count > 30)).toEqual([]);
  });

  test("of tune says how many flags it leaves out, and which it shares", async () => {
    const { stdout } = await runCli(["tune", "--help"]);
    for (const flag of ["--trials", "--device-time", "--measure", "--log", "--resume", "--device"])
      expect(stdout).toContain(flag);
    expect(stdout).not.toContain("--in-flight");
    const [, hidden] = /--help-all shows (\d+) more flags/.exec(stdout.replace(/\s+/g, " ")) ?? [];
    const tune = commands.find(([words]) => words === "tune")?.[1];
    const shown = tune?.options.filter(({ long }) => new RegExp(`^ +(-\\w, )?${long}\\b`, "m").test(stdout)) ?? [];
    expect(Number(hidden)).toBe((tune?.options.length ?? 0) - shown.length);
    const all = (await runCli(["tune", "--help-all"])).stdout;
    expect(all).toMatch(/^Finalists:\n +--finalists <k> /m);
    expect(await runCli(["help", "tune"])).toMatchObject({ code: 0, stdout });
  });

  test("no flag of a command has the name of one that is declared for all", () => {
    const [, program] = commands[0] as (typeof commands)[number];
    const shared = new Set(program.options.map(({ long }) => long));
    for (const [words, command] of commands.slice(1))
      expect([words, command.options.filter(({ long }) => shared.has(long)).map(({ long }) => long)]).toEqual([words, []]);
  });
});
