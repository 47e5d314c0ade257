/** `warpfarm token` on its own file: what it writes and prints, and that a tracker never reads an incomplete change. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { type CliContext, createProgram, runProgram } from "@warpfarm/client/cli";
import { FarmError, randomId, systemClock } from "@warpfarm/common";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { register } from "./token.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-token-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});
const file = () => join(folder, "tokens");
const textOf = () => readFileSync(file(), "utf8");
const lines = () =>
  textOf()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
const hashOf = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;

async function token(...words: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  const to = (name: keyof typeof said) =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          said[name] += String(chunk);
          done();
        },
      }),
      { isTTY: false },
    ) as unknown as CliContext["stdout"];
  const unused = () => Promise.reject(new FarmError("INTERNAL", "not of this test"));
  const context: CliContext = {
    env: {},
    cwd: folder,
    home: folder,
    stdout: to("stdout"),
    stderr: to("stderr"),
    clock: systemClock,
    newId: randomId,
    signal: new AbortController().signal,
    hostKey: unused,
    startFarm: unused,
    buildHere: unused,
    probeMachine: unused,
    setExitCode: () => {},
  };
  const program = createProgram(context, "0.0.0");
  register(program, context);
  const code = await runProgram(program, ["token", ...words, "--file", "tokens"], context);
  return { code, ...said };
}

describe("warpfarm token", () => {
  test("create makes the file, tells the token once and keeps its hash alone; nobody else reads the file", async () => {
    const made = await token("create", "client", "alice");
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const secret = made.stdout.trim();
    expect(secret).toMatch(/^[\x21-\x7e]{20,512}$/);
    expect(lines()).toEqual([`client alice ${hashOf(secret)}`]);
    expect(textOf()).not.toContain(secret);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const certificate = await token("create", "runner", "gpu1.example.com", "--certificate");
    expect([certificate.code, certificate.stdout]).toEqual([0, ""]);
    expect(lines()).toEqual([`client alice ${hashOf(secret)}`, "runner gpu1.example.com certificate"]);
    expect((await token("create", "client", "bob")).stdout.trim()).not.toBe(secret);
  });

  test("list tells who there is and how they prove it, rotate and revoke change one of them", async () => {
    const first = (await token("create", "client", "alice")).stdout.trim();
    await token("create", "admin", "boss", "--certificate");
    const second = (await token("rotate", "alice", "--keep-old")).stdout.trim();
    expect(lines().filter((line) => line.startsWith("client alice "))).toEqual(
      [first, second].map((t) => `client alice ${hashOf(t)}`),
    );
    const third = (await token("rotate", "alice")).stdout.trim();
    const listed = JSON.parse((await token("list", "--json")).stdout);
    expect(listed.principals).toEqual([
      { role: "admin", name: "boss", proof: "certificate" },
      { role: "client", name: "alice", proof: `${hashOf(third).slice(0, 19)}…` },
    ]);
    const revoked = await token("revoke", "alice");
    expect([revoked.code, revoked.stderr]).toEqual([0, "alice is let in no more: 1 line removed\n"]);
    expect(lines()).toEqual(["admin boss certificate"]);
  });

  test.each([
    [["create", "king", "alice"], /the role is "king"; allowed: client, builder, runner, admin/],
    [["create", "client", "local"], /the name is "local"; allowed: .* not "local"/],
    [["create", "client", "boss"], /boss is in .*tokens already, as admin; "token rotate" gives it a new token/],
    [["rotate", "boss"], /boss shows a certificate; there is no token to rotate/],
    [["revoke", "nobody"], /nobody is not in .*tokens; it has boss/],
  ])("%j is bad input, and changes nothing", async (words, why) => {
    await token("create", "admin", "boss", "--certificate");
    const before = textOf();
    const refused = await token(...words);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(why)]);
    expect([textOf(), readdirSync(folder)]).toEqual([before, ["tokens"]]);
  });

  test("a change is one rename: who has the file open goes on with the old one; rights and links stay", async () => {
    await token("create", "admin", "boss", "--certificate");
    renameSync(file(), join(folder, "real"));
    symlinkSync("real", file());
    const before = statSync(file());
    writeFileSync(file(), `# of the farm\n${textOf()}`);
    chmodSync(file(), 0o640);
    await token("create", "client", "alice");
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
    expect(statSync(file()).ino).not.toBe(before.ino);
    expect(statSync(file()).mode & 0o777).toBe(0o640);
    expect(textOf()).toMatch(/^# of the farm\n/);
    expect(lines()).toHaveLength(2);
  });

  test("two changes at a time are one after the other: the second is told of the first, and nothing is lost", async () => {
    await token("create", "admin", "boss", "--certificate");
    writeFileSync(join(folder, "tokens.new"), "half");
    const refused = await token("create", "client", "alice");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("another process is changing the token file; remove it if none is"),
    ]);
    expect(existsSync(join(folder, "tokens.new"))).toBe(true);
    rmSync(join(folder, "tokens.new"));
    const names = Array.from({ length: 8 }, (_, i) => `c${i}`);
    const made = await Promise.all(names.map((name) => token("create", "client", name)));
    const there = names.filter((_, i) => made[i]?.code === 0);
    expect(there.length).toBeGreaterThan(0);
    expect(lines().map((line) => line.split(" ")[1])).toEqual(expect.arrayContaining(["boss", ...there]));
    expect(lines()).toHaveLength(1 + there.length);
  });
});
