/**
 * What foreign native code does to the process that runs it, beyond its job: it writes to every descriptor, and leaves threads,
 * mappings, descriptors and handlers behind. Real children and real code. Needs the compiled child (`npm run build`).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, type MeasureOptions } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { DeviceHost, type JobOutcome } from "./host.ts";
import type { LocalArtifact } from "./messages.ts";

const N = 1000;
const options: MeasureOptions = { ...defaultMeasureOptions("cpu"), minRepeatMs: 1, runTimeoutMs: 120_000 };
const specs = [tensor("x", "in", "float32", [N]), tensor("y", "out", "float32", [N])];
const loop = (statement: string) =>
  `float *x = (float *)a0, *y = (float *)a1;\n#pragma omp parallel for\nfor (int i = 0; i < ${N}; i++) ${statement};`;
const good = loop("y[i] = 2 * x[i] + 1");
const head = `#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
`;

describe("one device", () => {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-left-behind-"));
  const kernels = new KernelFolder();
  const lines: string[] = [];
  let host: DeviceHost;
  beforeAll(async () => {
    if (!has("cc")) return undefined;
    const settings = { device: "cpu", threads: 2, lockDirectory: directory, addressSpaceBytes: 2 ** 46, keepBytes: 2 ** 28 };
    const module = bundled("runner/dist/worker/child");
    host = new DeviceHost({ node: "test-node", settings, module, onLine: (line) => lines.push(line) });
    await host.start();
    return () => host[Symbol.asyncDispose]();
  });
  afterAll(() => {
    kernels[Symbol.dispose]();
    rmSync(directory, { recursive: true });
  });
  beforeEach((ctx) => {
    needs(ctx, "cc");
    lines.length = 0;
  });

  let reference: LocalArtifact | undefined;
  const run = (owner: string, body: string, before = ""): Promise<JobOutcome> => {
    reference ??= kernels.build(specs, good);
    const artifact = kernels.build(specs, body, { before: head + before });
    return host.run({ artifact, reference, options, attempt: 1, buildMs: 0, owner });
  };
  const timed = { kind: "result", result: { kind: "timed", checked: true } };
  const failed = (fields: object) => ({ kind: "result", result: { kind: "failed", ...fields } });
  /** The process that this owner's jobs get now: a wrong answer has its number. */
  async function processOf(owner: string): Promise<number> {
    const outcome = await run(owner, `${good} y[0] = -1.0f * (getpid() & 0xffffff);`);
    const got = outcome.kind === "result" && outcome.result.kind === "failed" ? outcome.result.mismatch?.got : undefined;
    if (got === undefined) throw new Error(JSON.stringify(outcome));
    return -got;
  }

  describe("garbage on every descriptor", () => {
    const everywhere = `char bytes[64]; memset(bytes, 0xa5, sizeof bytes);
      for (int fd = 0; fd < 1024; fd++) { int flags = fcntl(fd, F_GETFL); if (flags != -1) write(fd, bytes, sizeof bytes); }`;
    test.each([
      ["and a return", ""],
      ["and a sleep", "for (;;) sleep(600);"],
    ])("%s: the job fails by its rule, another follows, the node is well", async (_, end) => {
      expect(await run("mallory", `${good} ${everywhere} ${end}`)).toMatchObject(
        failed({ errorNo: 4, rule: "channel", message: expect.stringContaining("was announced; at most") }),
      );
      expect(host.trouble).toBe("");
      expect(await run("alice", good)).toMatchObject(timed);
    });

    test("while its code is loaded, and in the reference", async () => {
      const load = `__attribute__((constructor)) static void begin(void) { ${everywhere} }`;
      expect(await run("mallory", good, load)).toMatchObject(failed({ errorNo: 4, rule: "channel" }));
      const bad = kernels.build([...specs, tensor("z", "in", "float32", [1])], `${good} ${everywhere}`, { before: head });
      const outcome = await host.run({ artifact: bad, reference: bad, options, attempt: 1, buildMs: 0, owner: "mallory" });
      expect(outcome).toMatchObject(failed({ errorNo: 8, rule: "reference.channel" }));
    });
  });

  test("a phase that the job cannot be in fails it, so no candidate gets more time or blames the reference", async () => {
    // The request's id is in the memory of the process. Here the frame names another one, which is refused as well.
    const text = `{"kind":"progress","id":"x","value":{"phase":"reference"}}`;
    const forge = `unsigned n = ${text.length}; write(3, &n, 4); write(3, ${JSON.stringify(text)}, n);`;
    expect(await run("mallory", `${good} ${forge}`)).toMatchObject(failed({ errorNo: 4, rule: "channel" }));
  });

  const left: readonly (readonly [what: string, body: string, before: string, words: RegExp])[] = [
    [
      "a thread",
      "static int done; if (!done++) { pthread_t t; pthread_create(&t, 0, later, 0); }",
      "static void *later(void *p) { for (;;) sleep(600); return p; }",
      /(?:thread|mapping)/,
    ],
    [
      "a thread whose stack is memory of the heap",
      "static int done; if (!done++) { pthread_t t; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstack(&a, aligned_alloc(4096, 65536), 65536); pthread_create(&t, &a, later, 0); }",
      "static void *later(void *p) { for (;;) sleep(600); return p; }",
      /thread \d+, in call/,
    ],
    ["a mapping", "mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", "", /mapping \w+-\w+ rw-p/],
    [
      "a page of code where V8 could have a page of data",
      "char *p = mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); char *q = (char *)(((unsigned long)p + 262143) & ~262143ul); munmap(p, 1 << 20); mmap(q, 1 << 18, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);",
      "",
      /mapping \w+-\w+ r-xp/,
    ],
    ["shared memory", "mmap(0, 1 << 18, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);", "", /mapping \w+-\w+ r--s/],
    ["a descriptor", 'open("/dev/null", 0);', "", /descriptor \d+ \/dev\/null/],
    ["the loss of a descriptor", "dup2(1, 2);", "", /descriptor 2 /],
    ["a handler of a signal", "signal(SIGUSR2, SIG_IGN);", "", /how it handles signals/],
    [
      "a timer",
      "timer_t t; struct sigevent e; memset(&e, 0, sizeof e); e.sigev_notify = SIGEV_NONE; timer_create(CLOCK_MONOTONIC, &e, &t);",
      "",
      /a timer/,
    ],
  ];
  test.each(
    left,
  )("%s left behind: the job counts, and the owner's next one gets another process", async (_, body, before, words) => {
    const first = await processOf("alice");
    expect(await run("alice", `${good} ${body}`, before)).toMatchObject(timed);
    expect(await processOf("alice")).not.toBe(first);
    expect(lines.join("\n")).toMatch(words);
  });

  test("nothing left behind: one process for job after job, with teams of OpenMP, and memory taken and given back", async () => {
    const first = await processOf("alice");
    const memory = "for (int i = 12; i < 24; i++) { char *p = malloc(1ul << i); p[5] = 1; free(p); }";
    const inThreads = `${good}\n#pragma omp parallel\n{ ${memory} }`;
    for (const body of [good, `${good} ${memory}`, inThreads, loop("y[i] = x[i] + x[i] + 1")])
      expect(await run("alice", body)).toMatchObject(timed);
    expect(lines).toEqual([]);
    expect(await processOf("alice")).toBe(first);
  });

  test("a thread that wakes after its job and crashes ends none of another owner's jobs", async () => {
    const later = `static void *later(void *p) { for (;;) { usleep(50000); *(volatile int *)8 = 1; } return p; }`;
    const body = "static int done; if (!done++) { pthread_t t; pthread_create(&t, 0, later, 0); }";
    for (let round = 0; round < 2; round++) {
      await run("mallory", `${good} ${body}`, later);
      for (let i = 0; i < 4; i++) expect(await run("alice", good)).toMatchObject(timed);
    }
    expect(host.trouble).toBe("");
  });

  test("two owners in turns have a process each, which they keep", async () => {
    const [a, b] = [await processOf("alice"), await processOf("bob")];
    expect(a).not.toBe(b);
    const later = [await processOf("alice"), await processOf("bob"), await processOf("alice")];
    expect([later, lines]).toEqual([[a, b, a], []]);
  });
});
