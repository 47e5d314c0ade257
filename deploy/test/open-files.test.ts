/** A process that may open too few files says so in one sentence with the remedy, whatever it was doing; never with a stack. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitCodeOf, sentenceOf } from "@warpfarm/client/cli";
import { outOfFilesWords } from "@warpfarm/common";
import { ChildHost } from "@warpfarm/common/process";
import { statusOf } from "@warpfarm/proto";
import { httpError } from "@warpfarm/web";
import { afterAll, describe, expect, it } from "vitest";
import { Place, shipped } from "./warpfarm-process.ts";

const folder = mkdtempSync(join(tmpdir(), "warpfarm-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const refused = (code: string) =>
  Object.assign(new Error(`${code}: too many open files, open '/home/u/secret'`), {
    code,
    syscall: "open",
    path: "/home/u/secret",
  });

describe.each([
  "tracker --data memory",
  "builder --tracker 127.0.0.1:1",
  "runner --tracker 127.0.0.1:1",
  "tune matmul_derived",
])("%s", (words) => {
  it("that may open 24 files ends with code 3 and the remedy", () => {
    using place = new Place();
    const script = `ulimit -n 24 && exec "$@"`;
    const command = [process.execPath, shipped, ...words.split(" ")];
    const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", script, "sh", ...command], {
      encoding: "utf8",
      env: { ...place.env },
    });
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^warpfarm.*: .*too few files open: raise the limit \(ulimit -n 1024\)$/),
    ]);
    expect([status, stdout]).toEqual([3, ""]);
  });
});

describe.each(["EMFILE", "ENFILE"])("%s", (code) => {
  it("of a command is one sentence without the path, and code 3", () => {
    expect([sentenceOf(refused(code)), exitCodeOf(refused(code))]).toEqual([outOfFilesWords, 3]);
  });
  it("of a call is UNAVAILABLE, which is tried again, and over HTTP 503", () => {
    expect(statusOf(refused(code))).toMatchObject({ code: 14, details: outOfFilesWords });
    expect(httpError(refused(code))).toEqual({ status: 503, code: "UNAVAILABLE", message: outOfFilesWords });
  });
  it("of a child that does not start is told in place of its stack", async () => {
    const module = join(folder, `${code}.mjs`);
    writeFileSync(module, `const e = new Error("${code}: too many open files, open '/x/y.js'"); throw e;`);
    const any = { safeParse: (data: unknown) => ({ success: true, data }) as const };
    await using host = new ChildHost<object, object>({
      module,
      name: "a child",
      speaks: { answer: any, progress: any },
      env: {},
    });
    await expect(host.start()).rejects.toThrow(`a child did not start: ${outOfFilesWords}`);
  });
});

it("another error of the system keeps its code, and is told in words", () => {
  expect([sentenceOf(refused("EACCES")), exitCodeOf(refused("EACCES"))]).toEqual([
    "/home/u/secret: this user has no right to it",
    2,
  ]);
  expect(statusOf(refused("EACCES"))).toMatchObject({ code: 13 });
  expect(httpError(refused("EACCES")).status).toBe(500);
});
