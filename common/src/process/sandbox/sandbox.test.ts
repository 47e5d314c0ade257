/** Real children, each layer alone: what they can still reach. Needs the compiled package (`npm run build`). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { lacks, needs } from "../../../../test-support/needs.ts";
import { ChildHost } from "../child-host.ts";
import { findLayers } from "./find-layers.ts";
import { describeLayers, type Layers } from "./sandbox.ts";

const fixture = fileURLToPath(new URL("../../../test/fixtures/sandboxed.mjs", import.meta.url));
const koffi = import.meta.resolve("koffi");
const { PATH = "" } = process.env;
const here = await findLayers({ koffi, searchPath: PATH });
const common = { koffi, contents: "compilers", processes: 64 } as const;
const none: Layers = { landlock: 0, seccomp: false, missing: [] };

const base = mkdtempSync(join(tmpdir(), "warpfarm-sandbox-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const secret = "warpfarm-secret-4711";
const path = join(base, "secret");
writeFileSync(path, secret);
const readable = join(base, "readable");
writeFileSync(readable, "for everybody");

const any = { safeParse: (data: unknown) => ({ success: true, data }) as const };
type Try = (what: string, given?: Readonly<Record<string, unknown>>) => Promise<string>;

function child(layers: Layers | undefined): { readonly attempt: Try; readonly host: ChildHost<object, string> } {
  const directory = mkdtempSync(join(base, "child-"));
  const host = new ChildHost<object, string>({
    module: fixture,
    speaks: { answer: any, progress: any },
    name: "a confined child",
    env: { LC_ALL: "C" },
    ...(layers === undefined
      ? { cwd: directory }
      : { sandbox: () => ({ ...common, layers, directory, readable: [readable], writable: [directory] }) }),
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  const attempt: Try = async (what, given = {}) => {
    const outcome = await host.call({ what, path, pid: process.pid, ...given });
    if (outcome.kind !== "answered") throw new Error(JSON.stringify(outcome));
    return outcome.value;
  };
  return { attempt, host };
}

const ways = [
  "read on the main thread",
  "read on a thread of the pool",
  "read in a worker",
  "read in a program that it starts",
  "read by the C library",
  "read through its own folder in /proc",
] as const;

test("without a sandbox every way reads: the ways are real", async () => {
  const { attempt } = child(undefined);
  for (const way of ways) expect(await attempt(way), way).toContain(secret);
  for (const what of [
    "the environment of its host",
    "see that a file is there",
    "end its host",
    "an io_uring",
    "limits of its host",
  ])
    expect(await attempt(what), what).toMatch(/^(?:got|refused: errno 14)/);
});

const layersOf = (ctx: { skip(note?: string): never }, name: string): Layers => {
  if (name !== "Landlock") needs(ctx, "bubblewrap");
  if (name !== "bubblewrap" && here.landlock === 0) lacks(ctx, "landlock");
  if (name === "Landlock") return { ...none, landlock: here.landlock, seccomp: here.seccomp };
  const { bubblewrap } = here;
  if (bubblewrap === undefined) throw new Error(`bwrap works, and was not found: ${here.missing.join("; ")}`);
  return name === "bubblewrap" ? { ...none, bubblewrap } : here;
};

describe.each(["Landlock", "bubblewrap", "both"])("%s", (name) => {
  test("a child reads no file of others, on no thread and in no program that it starts; its own it reads and writes", async (ctx) => {
    const { attempt } = child(layersOf(ctx, name));
    for (const way of ways) expect(await attempt(way), way).toMatch(/^refused/);
    for (const what of ["the environment of its host", "the memory of its host", "write beside its folder"])
      expect(await attempt(what), what).toMatch(/^refused/);
    expect(await attempt("read on the main thread", { path: readable })).toBe("got: for everybody");
    expect(await attempt("write into its folder")).toBe("got: x");
    expect(await attempt("run a program")).toBe("got: works");
    expect(await attempt("its environment")).toMatch(/^got: LC_ALL(?: PWD)?$/);
    if (name !== "Landlock") expect(await attempt("see that a file is there")).toMatch(/^refused/);
  });

  test("a child reaches no network, and not its host", async (ctx) => {
    const { attempt } = child(layersOf(ctx, name));
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (const what of ["connect", "trace its host"]) expect(await attempt(what, { port }), what).toMatch(/^refused/);
    // Before version 6 Landlock did not know signals.
    if (name !== "Landlock" || here.landlock >= 6) expect(await attempt("end its host")).toMatch(/^refused/);
    if (name === "bubblewrap") return;
    for (const what of ["a session of its own", "a user namespace", "limits of its host", "an io_uring", "another user"])
      expect(await attempt(what), what).toMatch(/^refused: (?:errno 1|EPERM|EINVAL)$/);
  });

  test("how a child ends is told as without a sandbox", async (ctx) => {
    const { host } = child(layersOf(ctx, name));
    await host.start();
    const inside = new ChildHost<object, unknown>({
      module: fileURLToPath(new URL("../../../test/fixtures/child.mjs", import.meta.url)),
      speaks: { answer: any, progress: any },
      name: "a confined child",
      env: {},
      sandbox: () => ({ ...common, layers: layersOf(ctx, name), directory: base, readable: [], writable: [] }),
    });
    onTestFinished(() => inside[Symbol.asyncDispose]());
    expect(await inside.call({ action: "crash", value: "SIGSEGV" })).toMatchObject({ kind: "signalled", signal: "SIGSEGV" });
    expect(await inside.call({ action: "exit", value: 3 })).toEqual({ kind: "exited", code: 3, output: "last words\n" });
    expect(await inside.call({ action: "native" }, { deadlineMs: 300 })).toEqual({ kind: "killed", deadlineMs: 300 });
  });
});

test("a child under Landlock has no rights of root, may gain none, and is the first that a lack of memory ends", async (ctx) => {
  const { host } = child(layersOf(ctx, "Landlock"));
  await host.start();
  const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(status).toMatch(/^Seccomp:\s+2$/m);
  expect(status).toMatch(/^CapEff:\s+000000000000000[02]$/m);
  expect(readFileSync(`/proc/${host.pid}/oom_score_adj`, "utf8")).toBe("1000\n");
});

test("layers are named", () => {
  expect(describeLayers({ landlock: 7, seccomp: true, bubblewrap: "/usr/bin/bwrap", missing: [] })).toBe(
    "Landlock 7, seccomp, bubblewrap",
  );
  expect(describeLayers(none)).toBe("none");
});
