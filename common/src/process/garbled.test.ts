/** What a child writes into its channel besides answers: its host kills it, says why, and goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { isAlive, leftOf } from "../../../test-support/processes.ts";
import { ChildHost, type ChildHostOptions } from "./child-host.ts";
import { encodeFrame } from "./frames.ts";

interface Ask {
  readonly action: string;
  readonly value?: unknown;
}
const any = { safeParse: (data: unknown) => ({ success: true, data }) as const };
/** Answers are texts or objects, and progress is a number. */
const speaks = {
  answer: any,
  progress: {
    safeParse: (data: unknown) =>
      typeof data === "number"
        ? ({ success: true, data } as const)
        : ({ success: false, error: { message: "expected a number" } } as const),
  },
};
const hosts: ChildHost<Ask, unknown>[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});
function makeHost(options: Partial<ChildHostOptions> = {}): ChildHost<Ask, unknown> {
  const host = new ChildHost<Ask, unknown>({ module: bundled("child"), name: "test child", speaks, env: {}, ...options });
  hosts.push(host);
  return host;
}
const frame = (value: unknown) => encodeFrame(value).toString("base64");
const raw = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const write = (writes: readonly (readonly [fd: number, base64: string])[], hangs = true): Ask => ({
  action: "write",
  value: { writes, hangs },
});
/** The request's name, so that a test can forge frames of it. */
const newId = () => "this-one";
const pidOf = async (host: ChildHost<Ask, unknown>): Promise<number> => {
  const outcome = await host.call({ action: "echo" });
  if (outcome.kind !== "answered") throw new Error(JSON.stringify(outcome));
  return (outcome.value as { readonly pid: number }).pid;
};

describe("a child that writes into its channel", () => {
  const header = (length: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(length);
    return bytes.toString("base64");
  };
  test.each([
    ["garbage", raw(1, 0, 0, 0, 0x7b), "a frame of 1 bytes is no JSON"],
    ["a length without end", raw(255, 255, 255, 255), "a frame of 4294967295 bytes was announced; at most 4194304 are allowed"],
    ["a length just beyond the limit", header(4_194_305), "a frame of 4194305 bytes was announced"],
    ["a message of no kind", frame({ kind: "nonsense", id: newId() }), 'a frame is no message: its kind is "nonsense"'],
    ["null", frame(null), "a frame is no message"],
    [
      "an answer to another request",
      frame({ kind: "answer", id: "another", value: 1 }),
      "a message (answer) about another request came",
    ],
    ["progress of another request", frame({ kind: "progress", id: "another", value: 1 }), "a message (progress) about another"],
    [
      "progress of another form",
      frame({ kind: "progress", id: newId(), value: "x" }),
      "its progress has not the form that it must",
    ],
    ["that it is ready again", frame({ kind: "ready" }), "it said a second time that it is ready"],
    ["an error without words", frame({ kind: "threw", id: newId(), message: 7 }), 'a frame is no message: its kind is "threw"'],
  ])("%s is killed, and the host says what came", async (_, base64, words) => {
    const host = makeHost({ newId });
    const pid = await pidOf(host);
    expect(await host.call(write([[3, base64]]))).toEqual({ kind: "garbled", message: expect.stringContaining(words) });
    expect(await leftOf([pid])).toEqual([]);
    expect(await pidOf(host)).not.toBe(pid);
  });

  test("half a frame, so that its own answer is read as the rest, is killed", async () => {
    const outcome = await makeHost().call(write([[3, raw(20, 0, 0, 0)]], false));
    expect(outcome).toEqual({ kind: "garbled", message: expect.stringContaining("is no JSON") });
  });

  test("an answer of its own and then garbage: the answer stands, and the child serves nobody any more", async () => {
    const host = makeHost({ newId });
    const pid = await pidOf(host);
    const forged = Buffer.concat([encodeFrame({ kind: "answer", id: newId(), value: "forged" }), Buffer.from([9, 9, 9, 9, 9])]);
    const outcome = await host.call(write([[3, forged.toString("base64")]]));
    expect(outcome).toEqual({ kind: "answered", value: "forged" });
    expect(await leftOf([pid])).toEqual([]);
    expect(await pidOf(host)).not.toBe(pid);
  });

  test("an answer for the next request, written before that was sent, answers nothing", async () => {
    let count = 0;
    const host = makeHost({ newId: () => `request-${++count}` });
    const answer = frame({ kind: "answer", id: "request-2", value: "forged" });
    expect(await host.call(write([[3, answer]]))).toMatchObject({ kind: "garbled" });
    expect(await host.call({ action: "echo", value: "true" })).toMatchObject({ kind: "answered", value: { value: "true" } });
  });

  test("more than its request allows is killed", async () => {
    const reports: unknown[] = [];
    const refusalOf = (value: unknown) => {
      reports.push(value);
      return reports.length > 2 ? "it reports too much" : undefined;
    };
    const seen: unknown[] = [];
    const outcome = await makeHost().call({ action: "steps", value: 10 }, { refusalOf, onProgress: (value) => seen.push(value) });
    expect(outcome).toEqual({ kind: "garbled", message: "it reports too much" });
    expect(seen).toEqual([0, 1]);
  });

  test("nothing was asked: it is killed, said in a line, and the next call is served by another", async () => {
    const lines: string[] = [];
    const host = makeHost({ onLine: (line) => lines.push(line) });
    const pid = await pidOf(host);
    expect(await host.call({ action: "later", value: frame({ kind: "answer", id: "x", value: 1 }) })).toMatchObject({
      kind: "answered",
    });
    expect(await leftOf([pid])).toEqual([]);
    expect(lines).toEqual(["test child: a message (answer) came while nothing was asked; it is ended"]);
    expect(await pidOf(host)).not.toBe(pid);
  });

  test("no more, because it closed it, is killed", { timeout: 120_000 }, async () => {
    expect(await makeHost().call({ action: "close" })).toEqual({ kind: "garbled", message: "it closed its channel" });
  });

  test("on other descriptors disturbs nobody", async () => {
    const host = makeHost({ newId });
    const noise = Buffer.alloc(1000, 0xa5).toString("base64");
    expect(
      await host.call(
        write(
          [1, 2, 4].map((fd) => [fd, noise] as const),
          false,
        ),
      ),
    ).toEqual({ kind: "answered", value: "written" });
    expect(await pidOf(host)).toBeGreaterThan(0);
  });
});

test("a child inherits no descriptor of whoever started its host", async () => {
  // A shell gives its descriptors on, also one far beyond the others, which Node does not close.
  const script = fileURLToPath(new URL("../../test/fixtures/descriptors.mjs", import.meta.url));
  const file = openSync("/dev/null", "r");
  const nothing = Array.from({ length: 97 }, () => "ignore" as const);
  const parent = spawn(process.execPath, [script, bundled("child")], { stdio: ["ignore", "pipe", "inherit", ...nothing, file] });
  const [line] = (await once(parent.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const { host, child } = JSON.parse(line.toString()) as Record<"host" | "child", readonly number[]>;
  expect(host).toContain(100);
  expect(child.filter((fd) => fd >= 50)).toEqual([]);
});

describe("owners", () => {
  const ownedPid = async (host: ChildHost<Ask, unknown>, owner: string): Promise<number> => {
    await host.start({ owner });
    const outcome = await host.call({ action: "echo" }, { owner });
    if (outcome.kind !== "answered") throw new Error(JSON.stringify(outcome));
    const { pid, served } = outcome.value as { readonly pid: number; readonly served: number };
    return served === 0 ? 0 : pid;
  };

  test("a child serves one: the same for one, another for another, and none that served one serves the host", async () => {
    const host = makeHost({ spare: true, owners: 2 });
    await host.start();
    const [a, b] = [await ownedPid(host, "a"), await ownedPid(host, "b")];
    expect(b).not.toBe(a);
    expect([await ownedPid(host, "a"), await ownedPid(host, "b")]).toEqual([a, b]);
    expect([a, b]).not.toContain(await pidOf(host));
  });

  test("beyond the number that is kept the one used longest ago goes, before the new one is served", async () => {
    const host = makeHost({ spare: true, owners: 2 });
    await host.start();
    const [a, b] = [await ownedPid(host, "a"), await ownedPid(host, "b")];
    await ownedPid(host, "a");
    await host.start({ owner: "c" });
    expect(isAlive(b)).toBe(false);
    await ownedPid(host, "c");
    expect(await ownedPid(host, "a")).toBe(a);
    expect(await ownedPid(host, "b")).not.toBe(b);
  });

  test("unless told otherwise one is kept, and it is gone when another owner's request begins", async () => {
    const host = makeHost({ spare: true });
    await host.start();
    const a = await ownedPid(host, "a");
    await host.start();
    // A process that its parent has not yet waited for would still be there.
    expect(await host.call({ action: "sees", value: a }, { owner: "b" })).toEqual({ kind: "answered", value: false });
  });
});
