import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layers } from "@warpfarm/common/process";
import { afterAll, expect, test } from "vitest";
import { openSandbox } from "./open-sandbox.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-open-sandbox-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const none: Layers = { landlock: 0, seccomp: false, missing: ["no Landlock", "no bwrap"] };
const landlock: Layers = { landlock: 7, seccomp: true, missing: ["no bwrap"] };

/** What it says, and the sandbox or its refusal. */
async function opened(given: { readonly layers?: Layers; readonly tracker?: string; readonly [flag: string]: unknown }) {
  const said: string[] = [];
  const log = {
    info: (_: object, message: string) => void said.push(`info ${message}`),
    warn: (_: object, message: string) => void said.push(`warn ${message}`),
  };
  const options = { tracker: "127.0.0.1:9290", cacheDirectory: base, searchPath: "", ...given };
  const sandbox = await openSandbox(options, log).catch((error: unknown) => error as Error);
  return { said, sandbox };
}

const others = [
  { tracker: "farm.example.com:9290" },
  { tracker: "127.0.0.1:9290,10.0.0.7:9290" },
  { tokenFile: "token" },
  { tlsCa: "ca.pem" },
  { tlsCert: "own.pem" },
];

test.each(others)("a machine without one refuses to serve others: %j", async (given) => {
  const { sandbox, said } = await opened({ layers: none, ...given });
  expect(sandbox).toMatchObject({
    code: "FAILED_PRECONDITION",
    message: expect.stringMatching(/no Landlock; no bwrap.*--no-sandbox/),
  });
  expect(said).toEqual([]);
});

test.each(others)("with --no-sandbox it serves them, and says what that means: %j", async (given) => {
  const { sandbox, said } = await opened({ layers: none, withoutSandbox: true, ...given });
  expect([sandbox, said]).toEqual([undefined, ["warn --no-sandbox: kernels can read and change what this user can"]]);
});

test("on loopback it warns and goes on", async () => {
  const { sandbox, said } = await opened({ layers: none, tracker: "127.0.0.1:9290,localhost:9291" });
  expect(sandbox).toMatchObject({ layers: none });
  expect(said).toEqual(["warn no sandbox for kernels: kernels can read and change what this user can"]);
});

test("a machine with one serves everybody; the child's folder is removed at the end", async () => {
  const { sandbox, said } = await opened({ layers: landlock, tracker: "farm.example.com:9290" });
  if (sandbox === undefined || sandbox instanceof Error) throw new Error(`no sandbox: ${sandbox?.message}`);
  expect(said).toEqual(["info runs kernels in a sandbox"]);
  expect(existsSync(sandbox.directory)).toBe(true);
  await sandbox[Symbol.asyncDispose]();
  expect(existsSync(sandbox.directory)).toBe(false);
});
