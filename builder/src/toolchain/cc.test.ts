import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Cc, ccFlags, findCc, idOf, withoutPaths } from "./cc.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-find-cc-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function script(name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

describe("looking for a compiler", () => {
  test("none: a sentence with what was looked for and what to do", async () => {
    const search = await findCc(folder, folder);
    expect(search).toEqual({
      kind: "missing",
      why: 'no working C compiler: looked for cc, gcc, clang in PATH; install one, for instance "apt-get install gcc libc6-dev" or "dnf install gcc"',
    });
  });
  test("one that does not work is named with its words", async () => {
    script(
      "gcc",
      'case "$1" in -dumpmachine) echo x86_64-linux-gnu;; --version) echo "gcc (GCC) 9.9.9";; *) echo "error: no assembler" >&2; exit 1;; esac',
    );
    const search = await findCc(`${folder}:/bin`, folder);
    if (search.kind === "found") return expect(search.facts.path).not.toBe(join(folder, "gcc"));
    expect(search.why).toContain(
      `${join(folder, "gcc")} does not compile a kernel with OpenMP (gcc 9.9.9 exited with code 1: error: no assembler)`,
    );
  });
  test.each([
    ["*-v[234]*", 1],
    ["*-v4*", 3],
    ["nothing", 4],
  ])("one that refuses %s has the first %i levels", async (refused, count) => {
    script(
      "cc",
      `case "$*" in -dumpmachine) echo x86_64-linux-gnu;; --version) echo "gcc (GCC) 9.9.9";; ${refused}) exit 1;; *-o*) : >kernel.so;; esac`,
    );
    const targets = ["v1", "v2", "v3", "v4"].slice(0, count).map((level) => `cpu/x86-64-${level}`);
    expect(await findCc(folder, folder)).toMatchObject({ kind: "found", facts: { id: "gcc 9.9.9", targets } });
  });
  test("one for another machine is not taken", async () => {
    script("cc", "echo riscv64-linux-gnu");
    const search = await findCc(folder, folder);
    expect(search).toMatchObject({ kind: "missing", why: expect.stringContaining("compiles for riscv64-linux-gnu") });
  });
});

test.each([
  ["cc (Debian 12.2.0-14+deb12u1) 12.2.0", "gcc 12.2.0"],
  ["gcc (GCC) 13.2.1 20231011 (Red Hat 13.2.1-4)", "gcc 13.2.1"],
  ["gcc-14 (Ubuntu 14.2.0-4ubuntu2~24.04) 14.2.0", "gcc 14.2.0"],
  ["Debian clang version 15.0.6", "clang 15.0.6"],
  ["Ubuntu clang version 18.1.3 (1ubuntu1)\nTarget: x86_64-pc-linux-gnu", "clang 18.1.3"],
  ["something else", "gcc of unknown version"],
])("the version line %j is %s", (line, id) => {
  expect(idOf(line)).toBe(id);
});

test("a compile has processor time for its deadline and five seconds more, and no core", async () => {
  script("cc", 'echo "$(ulimit -t) $(ulimit -c)"; exit 1');
  const cc = new Cc({ kind: "cc", id: "gcc 1", path: join(folder, "cc"), searchPath: "/usr/bin:/bin", targets: [] });
  const text = { language: "c", text: "", kernels: [], buffers: [], notes: [] } as const;
  const job = { text, clientText: "refused", target: "cpu/x86-64-v1", directory: folder, timeoutMs: 6_400 } as const;
  expect(await cc.compile(job)).toMatchObject({ ok: false, log: "12 0\n" });
});

test("paths of this machine do not leave it; what is no path stays", () => {
  const log =
    "/tmp/w/job/kernel.c:3: error: in '/usr/lib/gcc/x86_64-linux-gnu/12/include/x.h'\n/usr/bin/ld: cannot find -lz\na / b // c\n";
  expect(withoutPaths(log, "/tmp/w/job")).toBe("kernel.c:3: error: in 'x.h'\nld: cannot find -lz\na / b // c\n");
  expect(withoutPaths("x=/tmp/w/job/a y=/tmp/w/job/b", "/tmp/w/job")).toBe("x=a y=b");
});

test("the level of the target is asked for, never the machine's own", () => {
  const march = (target: string) => ccFlags(target).filter((flag) => flag.startsWith("-m"));
  expect(["v1", "v2", "v3", "v4"].map((v) => march(`cpu/x86-64-${v}`))).toEqual([
    ["-march=x86-64"],
    ["-march=x86-64-v2"],
    ["-march=x86-64-v3"],
    ["-march=x86-64-v4"],
  ]);
  expect(march("cpu/arm64")).toEqual(["-march=armv8-a"]);
});
