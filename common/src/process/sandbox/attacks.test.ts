/**
 * What a hostile kernel or compiler tries beside its work, in a child that is up and confined by Landlock and seccomp, with and
 * without bubblewrap, under each limit of processes. test/fixtures/attacks.mjs has the attempts. Needs the compiled package.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { lacks, needs } from "../../../../test-support/needs.ts";
import { until } from "../../../../test-support/until.ts";
import { ChildHost } from "../child-host.ts";
import { findLayers } from "./find-layers.ts";
import type { Layers } from "./sandbox.ts";
import type { Contents } from "./seccomp.ts";

const fixture = fileURLToPath(new URL("../../../test/fixtures/attacks.mjs", import.meta.url));
const koffi = import.meta.resolve("koffi");
const { PATH = "" } = process.env;
const here = await findLayers({ koffi, searchPath: PATH });

const base = mkdtempSync(join(tmpdir(), "warpfarm-attacks-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const path = join(base, "token");
writeFileSync(path, "4711", { mode: 0o600 });
const given = { path, pid: process.pid, priority: getPriority() };

/** Each succeeds in a child of this user without a sandbox, or the machine refuses it to everybody. */
const real = [
  "open the token",
  "chmod the token",
  "chown the token",
  "the token's times",
  "truncate the token",
  "another name of the token",
  "the affinity of its host",
  "the scheduler of its host",
  "the priority of its host",
  "the I/O class of its host",
  "the limits of its host",
  "its own affinity",
  "a socket",
  "a pair of datagrams",
  "the environment of its host",
  "a handle of its host",
  "code in memory",
  "end its host",
  "end everybody",
  "have a file end its host",
] as const;
const others = [
  "chmod the token by the newer call",
  "an attribute of the token",
  "no attribute of the token",
  "the core scheduling of its host",
  "trace its host",
  "read its host",
  "the memory of its host",
  "an io_uring",
  "run a file that is open",
  "keys",
  "a namespace of users",
  "a process in a new namespace",
  "a mount",
  "another root",
  "a session",
  "a group",
  "another user",
  "end a thread of its host",
  "counters",
  "a program for the kernel",
  "faults for itself",
  "shared memory",
  "the newer clone",
] as const;

const any = { safeParse: (data: unknown) => ({ success: true, data }) as const };
type Attempt = (what: string) => Promise<string>;
interface Attacker extends AsyncDisposable {
  readonly attempt: Attempt;
}

/** `own`: how many processes and threads it may have. */
function attacker(contents: Contents, layers?: Layers, own = 64): Attacker {
  const directory = mkdtempSync(join(base, "child-"));
  const sandbox = () => ({
    ...{ layers: layers as Layers, koffi, contents, processes: own, directory },
    ...{ readable: [fixture], writable: [directory] },
  });
  const host = new ChildHost<object, string>({
    module: fixture,
    name: "an attacker",
    args: [contents],
    env: {},
    startTimeoutMs: 300_000,
    speaks: { answer: any, progress: any },
    ...(layers === undefined ? { cwd: directory } : { sandbox }),
  });
  const attempt = async (what: string): Promise<string> => {
    const outcome = await host.call({ what, ...given });
    if (outcome.kind !== "answered") throw new Error(JSON.stringify(outcome));
    return outcome.value;
  };
  return { attempt, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

test("without a sandbox the attempts succeed: they are real", async () => {
  await using child = attacker("compilers");
  for (const what of real) expect([what, await child.attempt(what)]).toEqual([what, expect.stringMatching(/^got/)]);
  writeFileSync(path, "4711");
});

/** EPERM, ENOENT, ESRCH, EACCES, EINVAL, ENOSYS: of seccomp, Landlock, or a namespace that has no such process or file. */
const refusal = /^refused: (?:errno (?:1|2|3|13|22|38)|EPERM|EACCES|ENOENT)$/;

const ways = [
  ["Landlock and seccomp", false],
  ["all layers", true],
] as const;

describe.each(ways)("in %s", (_, isInBubblewrap) => {
  beforeEach((ctx) => {
    if (here.landlock === 0) lacks(ctx, "landlock");
    if (isInBubblewrap) needs(ctx, "bubblewrap");
  });
  const layers = (): Layers => {
    const { bubblewrap, ...rest } = here;
    if (isInBubblewrap && bubblewrap === undefined) throw new Error(`bwrap works, and was not found: ${here.missing.join("; ")}`);
    return isInBubblewrap ? here : rest;
  };

  test.each([
    "kernels",
    "compilers",
  ] as const)("%s are refused all of them, and nothing of the host has changed", async (contents) => {
    const before = statSync(path);
    await using child = attacker(contents, layers());
    for (const what of [...real, ...others])
      expect([what, await child.attempt(what)]).toEqual([what, expect.stringMatching(refusal)]);
    const { mode, uid, size, mtimeMs, ctimeMs, nlink } = statSync(path);
    expect({ mode, uid, size, mtimeMs, ctimeMs, nlink }).toMatchObject({
      ...{ mode: before.mode, uid: before.uid, size: before.size, nlink: before.nlink },
      ...{ mtimeMs: before.mtimeMs, ctimeMs: before.ctimeMs },
    });
    expect(getPriority()).toBe(given.priority);
  });

  describe.each(["a control group", "the user's limit"] as const)("under %s", (limit) => {
    const limited = (ctx: { skip(note?: string): never }): Layers => {
      const { processes } = here;
      if (limit === "the user's limit") return { ...layers(), processes: "rlimit" };
      if (typeof processes !== "object") return ctx.skip("this process may make no control group for pids");
      return { ...layers(), processes };
    };
    /** Of a shared user the others' share is added, and the limit is found in steps of 16. */
    const most = 64 + (process.getuid?.() === 0 || isInBubblewrap || limit === "a control group" ? 16 : 300);

    test("a kernel starts no process, and as many threads as it may", async (ctx) => {
      await using child = attacker("kernels", limited(ctx));
      expect(await child.attempt("300 processes")).toBe("got: 0");
      const threads = Number((await child.attempt("300 threads")).replace("got: ", ""));
      expect(threads).toBeGreaterThan(32);
      expect(threads).toBeLessThanOrEqual(most);
    });

    test("a compiler starts as many processes as it may; another child is not concerned", async (ctx) => {
      const where = limited(ctx);
      await using child = attacker("compilers", where);
      const started = Number((await child.attempt("300 processes")).replace("got: ", ""));
      expect(started).toBeGreaterThan(32);
      expect(started).toBeLessThanOrEqual(most);
      await using other = attacker("compilers", where);
      expect(await other.attempt("300 processes")).toMatch(/^got: (?!0$)/);
    });
  });
});

test("children of root are users of their own, in bubblewrap too, where each has the same process id", async (ctx) => {
  if (process.getuid?.() !== 0) return ctx.skip("this process is not root's");
  if (here.landlock === 0) lacks(ctx, "landlock");
  const { bubblewrap, ...rest } = here;
  const users: string[] = [];
  for (const layers of [rest, rest, ...(bubblewrap === undefined ? [] : [here, here])]) {
    await using child = attacker("kernels", layers);
    users.push(await child.attempt("its user"));
  }
  for (const user of users) expect(Number(user.replace("got: ", ""))).toBeGreaterThanOrEqual(0x7000_0000);
  expect(new Set(users).size).toBe(users.length);
});

test("a child's control group goes with it", async (ctx) => {
  const { processes } = here;
  if (typeof processes !== "object") return ctx.skip("this process may make no control group for pids");
  const groups = () => readdirSync(processes.groups).filter((name) => name.startsWith(`warpfarm-${process.pid}-`));
  await until(() => groups().length === 0, "the groups of earlier children to go");
  {
    await using child = attacker("compilers", here);
    await child.attempt("300 processes");
    expect(groups()).toHaveLength(1);
  }
  await until(() => groups().length === 0, "the child's group to go");
});
