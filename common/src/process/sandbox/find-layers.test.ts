/** What is an answer about the sandbox, and what is none. The probe's programs are scripts that behave as the test says. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { pidsGroup, sweep } from "./cgroup.ts";
import { findLayers } from "./find-layers.ts";
import { confines, describeLayers, type Layers, noSandbox } from "./sandbox.ts";

const koffi = import.meta.resolve("koffi");
const base = mkdtempSync(join(tmpdir(), "warpfarm-layers-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A folder of its own, with a launcher and, when it is given, a bwrap; each adds a letter to `tries` when it is started. */
function probes({ launcher, bwrap }: { readonly launcher: string; readonly bwrap?: string }) {
  const folder = mkdtempSync(join(base, "probe-"));
  const tries = join(folder, "tries");
  const count = `require("node:fs").appendFileSync(${JSON.stringify(tries)}, "k");`;
  writeFileSync(join(folder, "launch.cjs"), `${count}\n${launcher}`);
  if (bwrap !== undefined) writeFileSync(join(folder, "bwrap"), `#!/bin/sh\nprintf b >>'${tries}'\n${bwrap}\n`, { mode: 0o755 });
  return {
    find: (deadlineMs = 300_000) => findLayers({ koffi, searchPath: folder, launcher: join(folder, "launch.cjs"), deadlineMs }),
    tries: () => (existsSync(tries) ? readFileSync(tries, "utf8") : ""),
  };
}
const answers = (probed: object): string => `console.log(${JSON.stringify(JSON.stringify(probed))});`;
const all = answers({ landlock: 7, seccomp: true, processes: true });
const none = answers({ landlock: 0, seccomp: false, processes: true });
const killed = "process.kill(process.pid, 'SIGKILL');";

describe("a probe without an answer is tried four times and is then an error with its words", () => {
  test.each([
    ["is killed", killed, /kernel's probe failed 4 times, last: it was ended by SIGKILL; .*--no-sandbox/],
    ["fails", "throw new RangeError('no room for koffi');", /last: it exited with code 1: RangeError: no room for koffi;/],
    ["cannot be started again", "process.exit(3);", /last: it exited with code 3: ;/],
    ["says something else", "console.log('hello');", /last: it answered "hello"/],
  ])("when it %s", async (_, launcher, words) => {
    const { find, tries } = probes({ launcher, bwrap: "exit 0" });
    await expect(find()).rejects.toMatchObject({ code: "UNAVAILABLE", message: expect.stringMatching(words) });
    expect(tries()).toBe("kkkk");
  });

  test("when it is late, and then it is ended", async () => {
    const { find, tries } = probes({ launcher: "setInterval(() => {}, 1000);" });
    // It writes its letter before the deadline or not at all.
    await expect(find(200)).rejects.toMatchObject({ message: expect.stringContaining("it did not end within 200 ms") });
    expect(tries().length).toBeLessThanOrEqual(4);
  });

  test.each([
    ["bwrap is killed", "kill -9 $$", /bubblewrap's probe failed 4 times, last: it was ended by SIGKILL/],
    ["bwrap's words come with its end", "echo 'bwrap: half a word' >&2; kill -9 $$", /ended by SIGKILL: bwrap: half a word/],
  ])("when %s", async (_, bwrap, words) => {
    const { find, tries } = probes({ launcher: all, bwrap });
    await expect(find()).rejects.toMatchObject({ code: "UNAVAILABLE", message: expect.stringMatching(words) });
    expect(tries()).toBe("kbbbb");
  });

  test("an answer at the last try counts", async () => {
    const { find, tries } = probes({
      launcher: `if (require("node:fs").readFileSync(__dirname + "/tries", "utf8").length < 4) ${killed} else ${all}`,
    });
    expect(await find()).toMatchObject({ landlock: 7, seccomp: true });
    expect(tries()).toBe("kkkk");
  });
});

test("a kernel that has none, and a bwrap that may make no namespaces, are answers", async () => {
  const refusing = "echo 'bwrap: No permissions to create new namespace' >&2\nexit 1";
  const { find, tries } = probes({ launcher: none, bwrap: refusing });
  const found = await find();
  expect(found).toMatchObject({ landlock: 0, seccomp: false });
  expect(found.bubblewrap).toBeUndefined();
  expect(found.missing.join("\n")).toMatch(/no Landlock.*\n.*no seccomp.*\n.*No permissions to create new namespace/);
  expect([confines(found), tries()]).toEqual([false, "kb"]);
  expect((await probes({ launcher: all }).find()).missing).toContain("no bwrap on the path");
});

test("Landlock confines with seccomp only, bubblewrap alone; --no-sandbox does not", () => {
  const landlock: Layers = { landlock: 7, seccomp: true, missing: [] };
  expect(confines(landlock)).toBe(true);
  expect(confines({ ...landlock, seccomp: false })).toBe(false);
  expect(confines({ ...landlock, landlock: 0 })).toBe(false);
  expect(confines({ landlock: 0, seccomp: false, bubblewrap: "/usr/bin/bwrap", missing: [] })).toBe(true);
  expect([confines(noSandbox), describeLayers(noSandbox)]).toEqual([false, "none"]);
});

describe("the folder of control groups", () => {
  const one = "8:pids:/a/b\n4:memory:/m\n0::/\n";
  const two = "0::/user.slice/app.scope\n";
  const mounts = [
    "24 1 0:1 / / rw - ext4 /dev/root rw",
    "33 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
    "34 32 0:31 / /sys/fs/cgroup/pids rw shared:9 - cgroup cgroup rw,pids",
    "36 32 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
  ].join("\n");
  const unified = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
  test.each([
    ["version 1", one, mounts, "/sys/fs/cgroup/pids/a/b"],
    [
      "version 1, two controllers",
      one.replace(":pids:", ":cpu,pids:"),
      mounts.replace("rw,pids", "rw,cpu,pids"),
      "/sys/fs/cgroup/pids/a/b",
    ],
    ["version 2", two, unified, "/sys/fs/cgroup/user.slice/app.scope"],
    ["a mount of a part", one, mounts.replace("0:31 / ", "0:31 /a "), "/sys/fs/cgroup/pids/b"],
    ["a mount of another part", one, mounts.replace("0:31 / ", "0:31 /ab "), undefined],
    ["not mounted", two, "24 1 0:1 / / rw - ext4 /dev/root rw", undefined],
    ["no groups", "", mounts, undefined],
  ])("with %s", (_, cgroups, mounted, folder) => expect(pidsGroup(cgroups, mounted)).toBe(folder));
});

test("groups that killed workers left are removed, and no other folder", () => {
  const folder = mkdtempSync(join(base, "groups-"));
  // No process has so large a number.
  const names = ["warpfarm-4194305-1", "warpfarm-4194305-20", `warpfarm-${process.pid}-1`, "warpfarm-x-1", "other"];
  for (const name of names) mkdirSync(join(folder, name));
  sweep(folder);
  expect(readdirSync(folder).sort()).toEqual(["other", `warpfarm-${process.pid}-1`, "warpfarm-x-1"].sort());
});
