import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { isAlive, leftOf } from "../../../test-support/processes.ts";
import { ChildHost, type ChildHostOptions } from "./child-host.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));

interface Ask {
  readonly action: string;
  readonly value?: unknown;
}
interface Echo {
  readonly value: unknown;
  readonly served: number;
  readonly pid: number;
  readonly environment: readonly string[];
}

const any = { safeParse: (data: unknown) => ({ success: true, data }) as const };
const anything = { answer: any, progress: any };
const hosts: ChildHost<Ask, Echo>[] = [];
function makeHost(options: Partial<ChildHostOptions> = {}): ChildHost<Ask, Echo> {
  const host = new ChildHost<Ask, Echo>({
    module: bundled("child"),
    name: "test child",
    speaks: anything,
    env: { PATH: process.env.PATH ?? "" },
    ...options,
  });
  hosts.push(host);
  return host;
}
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function echo(host: ChildHost<Ask, Echo>, value: unknown = 1): Promise<Echo> {
  const outcome = await host.call({ action: "echo", value });
  if (outcome.kind !== "answered") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

describe("a child that answers", () => {
  test("serves request after request in one process, and bytes and NaN travel whole", async () => {
    const host = makeHost();
    const value = { bytes: new Uint8Array([0, 255, 7]), numbers: [Number.NaN, 1.5, -Infinity], text: "ü\u0000" };
    const first = await echo(host, value);
    expect(first.value).toEqual(value);
    const second = await echo(host, undefined);
    expect(second.pid).toBe(first.pid);
    expect(second.served).toBe(2);
  });

  test("sees no environment but what it was given", async () => {
    process.env.A_SECRET_OF_THE_HOST = "token";
    const { environment } = await echo(makeHost());
    delete process.env.A_SECRET_OF_THE_HOST;
    expect(environment).not.toContain("A_SECRET_OF_THE_HOST");
    expect(environment).toContain("PATH");
  });
});

describe("a child that dies", () => {
  test("is named by its exit code with its last words, and the next call is served by another", async () => {
    const host = makeHost();
    const { pid } = await echo(host);
    expect(await host.call({ action: "exit", value: 3 })).toEqual({ kind: "exited", code: 3, output: "last words\n" });
    const after = await echo(host);
    expect(after.pid).not.toBe(pid);
    expect(after.served).toBe(1);
  });

  test("is named by its signal", async () => {
    expect(await makeHost().call({ action: "crash", value: "SIGSEGV" })).toMatchObject({ kind: "signalled", signal: "SIGSEGV" });
  });

  test("is heard to the end, also when another child's end is what tells its host", async () => {
    const host = makeHost();
    await host.start();
    const seen: unknown[] = [];
    const onProgress = (value: unknown) => {
      seen.push(value);
      // Keeps this thread busy until the child has died. The host then looks after its children first, and reads their messages
      // later.
      if (seen.length === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    };
    const running = host.call({ action: "farewell" }, { onProgress });
    await new Promise((resolve) => setImmediate(resolve));
    spawnSync("sleep", ["0.3"]);
    expect(await running).toEqual({ kind: "signalled", signal: "SIGKILL", output: "last words\n" });
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  test("is killed at its deadline in a JavaScript loop and inside native code, and with it what it started", async () => {
    const host = makeHost({ spare: true });
    expect(await host.call({ action: "loop" }, { deadlineMs: 300 })).toEqual({ kind: "killed", deadlineMs: 300 });
    expect(await host.call({ action: "native" }, { deadlineMs: 300 })).toEqual({ kind: "killed", deadlineMs: 300 });
    let grandchild = 0;
    const outcome = await host.call(
      { action: "grandchild" },
      {
        onProgress: (value, setDeadline) => {
          grandchild = value as number;
          setDeadline(200);
        },
      },
    );
    expect(outcome).toEqual({ kind: "killed", deadlineMs: 200 });
    expect(await leftOf([grandchild])).toEqual([]);
    expect((await echo(host)).value).toBe(1);
  });

  test.each([
    ["exit", { kind: "exited", code: 3 }],
    ["SIGSEGV", { kind: "signalled", signal: "SIGSEGV" }],
  ])("by itself (%s) leaves nothing behind that it started", async (how, ending) => {
    let grandchild = 0;
    const outcome = await makeHost().call(
      { action: "orphan", value: how },
      {
        onProgress: (value) => {
          grandchild = value as number;
        },
      },
    );
    expect(outcome).toMatchObject(ending);
    expect(grandchild).toBeGreaterThan(0);
    expect(await leftOf([grandchild])).toEqual([]);
  });

  test("is given up on the caller's signal", async () => {
    const host = makeHost();
    const { pid } = await echo(host);
    const controller = new AbortController();
    const outcome = await host.call({ action: "loop" }, { signal: controller.signal, onProgress: () => controller.abort() });
    expect(outcome).toEqual({ kind: "cancelled" });
    expect(await leftOf([pid])).toEqual([]);
  });

  test.each([
    ["loop", { kind: "cancelled" }],
    ["steps", { kind: "answered", value: "done" }],
  ])("has its grace to end by itself (%s)", async (action, end) => {
    const host = makeHost();
    const { pid } = await echo(host);
    const controller = new AbortController();
    const outcome = await host.call(
      { action, value: 1 },
      {
        signal: controller.signal,
        graceMs: action === "loop" ? 20 : 60_000,
        onProgress: () => controller.abort(),
      },
    );
    expect(outcome).toEqual(end);
    if (action === "loop") expect(await leftOf([pid])).toEqual([]);
    else expect((await echo(host)).pid).toBe(pid);
  });

  test("that still starts is not asked for a caller who gave up, and is there for the next", async () => {
    const host = makeHost();
    const controller = new AbortController();
    const given = host.call({ action: "loop" }, { signal: controller.signal });
    controller.abort();
    expect(await given).toEqual({ kind: "cancelled" });
    expect((await echo(host)).served).toBe(1);
  });

  test("is replaced after an exception, whose words are kept", async () => {
    const host = makeHost();
    const { pid } = await echo(host);
    const outcome = await host.call({ action: "throw" });
    expect(outcome).toMatchObject({ kind: "threw", message: expect.stringContaining("broken invariant") });
    expect((await echo(host)).pid).not.toBe(pid);
  });

  test("leaves its place to the spare that was ready before", async () => {
    const host = makeHost({ spare: true });
    await host.start();
    await host.call({ action: "exit", value: 0 });
    const { served } = await echo(host);
    expect(served).toBe(1);
  });
});

describe("a child that is ended by its host", () => {
  test("is replaced while it dies: the spare serves, and the reserve has opened when the outcome is told", async () => {
    const lines: string[] = [];
    const host = makeHost({ spare: true, reserve: true, onLine: (line) => lines.push(line) });
    await host.start();
    const { pid } = await echo(host);
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^loaded \d+$/)]);
    const reserve = Number(lines[0]?.slice("loaded ".length));
    expect(await host.call({ action: "loop" }, { deadlineMs: 100 })).toMatchObject({ kind: "killed" });
    const first = await echo(host);
    expect([pid, reserve]).not.toContain(first.pid);
    await expect.poll(() => lines).toContain(`opened ${reserve}`);
    // Two in a row: the earlier reserve serves now, and there is another reserve.
    await host.recycle();
    expect((await echo(host)).pid).toBe(reserve);
    await expect.poll(() => lines.filter((line) => line.startsWith("loaded"))).toHaveLength(3);
  });
});

test("a progress report moves the deadline: steps may together take longer than one deadline", async () => {
  // Of a tenth of a second each. One step alone may be late on a busy machine, and then the deadline is twice as long.
  for (let deadlineMs = 1_000; ; deadlineMs *= 2) {
    const host = makeHost();
    await host.start();
    const outcome = await host.call(
      { action: "steps", value: deadlineMs / 100 + 2 },
      { deadlineMs, onProgress: (_, setDeadline) => setDeadline(deadlineMs) },
    );
    if (outcome.kind === "killed" && deadlineMs < 30_000) continue;
    return expect(outcome).toEqual({ kind: "answered", value: "done" });
  }
});

test("a deadline is none of a time in which the machine stood still", async () => {
  // Twice as long when a busy machine does not run the child in the rest of its time.
  for (let deadlineMs = 1_000; ; deadlineMs *= 2) {
    const host = makeHost();
    await host.start();
    let running: ReturnType<typeof host.call> | undefined;
    await new Promise((begun) => {
      running = host.call({ action: "steps", value: 3 }, { deadlineMs, onProgress: begun });
    });
    const pid = host.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, deadlineMs + 300);
    process.kill(pid, "SIGCONT");
    const outcome = await running;
    if (outcome?.kind === "killed" && deadlineMs < 30_000) continue;
    return expect(outcome).toEqual({ kind: "answered", value: "done" });
  }
});

test("a child that cannot start says why, in its own words", async () => {
  const host = makeHost({ env: { REFUSE_TO_START: "1" } });
  await expect(host.start()).rejects.toThrow("test child did not start: it exited with code 7; it said: no such device");
  expect(await host.call({ action: "echo" })).toMatchObject({
    kind: "unstartable",
    message: expect.stringContaining("no such device"),
  });
});

test("disposal ends every child, also one at work, and may be repeated", async () => {
  const host = makeHost({ spare: true });
  const { pid } = await echo(host);
  const running = host.call({ action: "native" });
  await host[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  expect(await running).toMatchObject({ kind: "signalled", signal: "SIGKILL" });
  expect(isAlive(pid)).toBe(false);
});

describe("after kill -9 of the parent no process remains", () => {
  const parents: ChildProcess[] = [];
  afterEach(() => {
    for (const parent of parents.splice(0)) parent.kill("SIGKILL");
  });
  // A thread of the child sees the parent's end where the kernel cannot tell.
  test.each(["idle", "loop", "native", "grandchild", "grandchild thread"])("child: %s", async (mode) => {
    const parent = spawn(process.execPath, [fixture("parent.mjs"), ...mode.split(" ")], { stdio: ["ignore", "pipe", "inherit"] });
    parents.push(parent);
    const [line] = await once(parent.stdout, "data");
    const pids = JSON.parse(String(line)) as number[];
    expect(pids.every(isAlive)).toBe(true);
    parent.kill("SIGKILL");
    expect(await leftOf(pids)).toEqual([]);
  });
});
