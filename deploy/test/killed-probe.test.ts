/**
 * The probe of the sandbox is killed each time, here by a bwrap that ends itself: nothing goes on without a sandbox, unless it is
 * told to, and doctor tells it apart from a machine that has none.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { parseWarpfarm } from "./deployment/flag-parsers.ts";
import { Place } from "./warpfarm-process.ts";

const tools = new Place();
mkdirSync(tools.path("bin"));
writeFileSync(tools.path("bin/bwrap"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
const place = new Place({ PATH: `${tools.path("bin")}:${process.env.PATH}` }, { isAlone: true });
afterAll(() => {
  for (const one of [place, tools]) one[Symbol.dispose]();
});
const words = /could not find out whether this machine has a sandbox .* 4 times, last: it was ended by SIGKILL; .*--no-sandbox/;

test("a build on this machine ends with 3 and the probe's words", async (ctx) => {
  needs(ctx, "cc");
  const args = '{"M":32,"N":32,"K":32}';
  const { code, stderr } = await command(place, [
    "build",
    "matmul_derived",
    "--target",
    "cpu",
    "--args",
    args,
    "--index",
    "0",
    "-o",
    "k.so",
  ]);
  expect(stderr).toMatch(words);
  expect(code).toBe(3);
});

test("doctor names it as missing", async () => {
  const { code, stdout } = await command(place, ["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] };
  expect(checks.find(({ name }) => name === "sandbox")).toMatchObject({ state: "missing", detail: expect.stringMatching(words) });
  expect(code).toBe(4);
});

test.each(["builder", "runner"])("--no-sandbox is a flag of the %s, which looks for one by default", async (role) => {
  expect((await parseWarpfarm([role])).options).toMatchObject({ sandbox: true });
  expect((await parseWarpfarm([role, "--no-sandbox"])).options).toMatchObject({ sandbox: false });
});
