/** Which packages a command loads before it works; they determine its start-up time. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { clientCommands, createProgram } from "@warpfarm/client/cli";
import { describe, expect, test } from "vitest";
import { commands } from "../main.ts";

const bin = fileURLToPath(new URL("../../../bin/warpfarm.js", import.meta.url));

/** Modules that the command line loads, each with its package. */
function packagesOf(argv: readonly string[]): ReadonlySet<string> {
  const hooks = `import { writeSync } from "node:fs";
    export async function load(url, context, next) { writeSync(1, "LOADS " + url + "\\n"); return next(url, context); }`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(register)}`, bin, ...argv],
    {
      encoding: "utf8",
    },
  );
  const urls = [...stdout.matchAll(/^LOADS (.*)$/gm)].map(([, url = ""]) => url);
  return new Set(
    urls.map((url) => /node_modules\/([^/]+)\//.exec(url)?.[1] ?? /([^/]+)\/(?:dist|bin)\//.exec(url)?.[1] ?? "of Node"),
  );
}

describe("what is loaded", () => {
  test.each([["--version"], ["--help"], ["help"], ["doctr"]])("%s: no compiler, no farm", (word) => {
    const found = packagesOf([word]);
    expect(found).toContain("commander");
    for (const heavy of ["compiler", "proto", "runner", "tracker", "zod", "@grpc"]) expect(found).not.toContain(heavy);
  });
  test("space: the compiler, no farm and no reader of logs", () => {
    const found = packagesOf(["space", "matmul_derived"]);
    expect(found).toContain("compiler");
    for (const heavy of ["proto", "tracker", "zod", "@grpc"]) expect(found).not.toContain(heavy);
  });
});

test("a reader that went away, as head does, ends no command with an error", async () => {
  const child = spawn(process.execPath, [bin, "completion", "bash"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  expect([await once(child, "close"), said]).toEqual([[0, null], ""]);
});

test("each command has the name by which it is listed, and leaves what help says of it to the list", async () => {
  expect(Object.keys(commands)).toEqual(expect.arrayContaining(Object.keys(clientCommands)));
  for (const [name, { about, load }] of Object.entries(commands)) {
    const program = createProgram({ stdout: process.stdout, stderr: process.stderr } as never, "0.0.0");
    (await load()).register(program, {} as never);
    expect([program.commands[0]?.name(), program.commands[0]?.description()]).toEqual([name, ""]);
    expect(about).not.toBe("");
  }
});
