/** The scripts, run by the shells they are for. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runCli } from "../context.testing.ts";
import { clientCommands } from "../index.ts";

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

async function completedByBash(...words: string[]): Promise<string[]> {
  const { stdout } = await runCli(["completion", "bash"]);
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(warpfarm ${line}); COMP_CWORD=${words.length}; _warpfarm; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = spawnSync("bash", ["--norc", "-c", `${stdout}\n${ask}`], { encoding: "utf8", cwd: "/" });
  expect(said.stderr).toBe("");
  return said.stdout.split("\n").filter((word) => word !== "");
}

test.runIf(has("bash"))("bash: commands, flags of the command, tasks", async () => {
  expect(await completedByBash("")).toEqual(expect.arrayContaining(Object.keys(clientCommands)));
  expect(await completedByBash("tu")).toEqual(["tune"]);
  expect(await completedByBash("tune", "--tra")).toEqual(["--transfer", "--tracker"]);
  expect(await completedByBash("best", "--to")).toEqual(["--top"]);
  expect(await completedByBash("space", "matmul_d")).toEqual(["matmul_derived"]);
  expect(await completedByBash("nodes", "matmul_d")).toEqual([]);
  expect(await completedByBash("help", "doc")).toEqual(["doctor"]);
});
test("zsh takes its script", async (ctx) => {
  if (!has("zsh")) ctx.skip("no zsh on the PATH");
  const { stdout } = await runCli(["completion", "zsh"]);
  expect(spawnSync("zsh", ["-f", "-c", `autoload -U compinit; compinit -D; ${stdout}`], { encoding: "utf8" }).stderr).toBe("");
});
test("fish: commands and flags", async (ctx) => {
  if (!has("fish")) ctx.skip("no fish on the PATH");
  const { stdout } = await runCli(["completion", "fish"]);
  const ask = (line: string) => spawnSync("fish", ["-N", "-c", `${stdout}\ncomplete -C '${line}'`], { encoding: "utf8" }).stdout;
  expect(ask("warpfarm tu")).toMatch(/^tune\t/);
  expect(ask("warpfarm best --to")).toMatch(/^--top\t/);
});
test("fish's script names every command and flag once", async () => {
  const { stdout } = await runCli(["completion", "fish"]);
  for (const name of Object.keys(clientCommands))
    expect(stdout.split("\n").filter((line) => line.includes(`__fish_use_subcommand' -f -a ${name} `))).toHaveLength(1);
});
test("another shell is refused", async () => {
  const said = await runCli(["completion", "tcsh"]);
  expect([said.code, said.stderr]).toEqual([2, expect.stringContaining("Allowed choices are bash, zsh, fish")]);
});
