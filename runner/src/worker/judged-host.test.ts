/** Judged and audited jobs through the supervisor, its rules of phases and its real child (`npm run build`). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, type MeasureOptions } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { DeviceHost, type JobOutcome } from "./host.ts";

const options: MeasureOptions = {
  ...defaultMeasureOptions("cpu", "as_asked"),
  ...{ number: 20, minRepeatMs: 0, repeat: 5, runTimeoutMs: 60_000, judged: true },
};
const io = [tensor("x", "in", "float32", [1024]), tensor("y", "out", "float32", [1024])];
const each = (value: string) => `float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 1024; i++) y[i] = ${value};`;
const honest = each("2 * x[i] + 1");
const clipped = each("2 * (x[i] > 8 ? 8 : x[i]) + 1");
/** Right on the usual inputs. On greater ones it faults. */
const faulting = `${honest} for (int i = 0; i < 1024; i++) if (x[i] > 8) *(volatile int *)0 = 1;`;

describe("a job that is judged and always audited", () => {
  const locks = mkdtempSync(join(tmpdir(), "warpfarm-judged-host-"));
  const kernels = new KernelFolder();
  let host: DeviceHost;

  beforeAll(async () => {
    if (!has("cc")) return undefined;
    const settings = { device: "cpu", threads: 2, lockDirectory: locks, addressSpaceBytes: 2 ** 40, keepBytes: 2 ** 28 } as const;
    host = new DeviceHost({ node: "test-node", settings, module: bundled("runner/dist/worker/child") });
    await host.start();
    return () => host[Symbol.asyncDispose]();
  });
  afterAll(() => {
    kernels[Symbol.dispose]();
    rmSync(locks, { recursive: true });
  });
  beforeEach((ctx) => needs(ctx, "cc"));

  function run(body: string, { before = "", others = [] as readonly string[] } = {}): Promise<JobOutcome> {
    return host.run({
      artifact: kernels.build(io, body, { before }),
      reference: kernels.build(io, honest),
      ...{ options, attempt: 1, buildMs: 0, owner: "alice" },
      judged: { secret: "5e".repeat(32), leaseSecret: "1a".repeat(32) },
      ...(others.length === 0
        ? {}
        : { paired: { others: others.map((other) => kernels.build(io, other)), options: { rounds: 2, idleMs: 0 } } }),
    });
  }
  const failed = (result: Record<string, unknown>) => ({ kind: "result", result: { kind: "failed", ...result } });

  test("is timed, checked and audited when its kernel is honest", async () => {
    const result = { kind: "timed", checked: true, judged: { sets: 3, audit: { sets: 64 } } };
    expect(await run(honest)).toMatchObject({ kind: "result", result });
    // With inputs that are kept from before.
    expect(await run(each("x[i] + x[i] + 1"))).toMatchObject({ kind: "result", result });
  });

  test("is wrong by a judged repeat, or by inputs of other structure, whose name it says", async () => {
    expect(await run(`if (launches++ < 4) { ${honest} }`, { before: "static int launches;" })).toMatchObject(
      failed({ errorNo: 5, rule: "judged.reference" }),
    );
    expect(await run(clipped)).toMatchObject(
      failed({ errorNo: 5, rule: "structure", message: expect.stringContaining('with inputs "scaled by 10": ') }),
    );
  });

  test("that faults on them is the kernel's fault and not the reference's", async () => {
    expect(await run(faulting)).toMatchObject(failed({ errorNo: 4, rule: "SIGSEGV" }));
  });

  test("names the one of interleaved kernels that is wrong or faults there", async () => {
    expect(await run(honest, { others: [honest] })).toMatchObject({ kind: "result", result: { kind: "timed", checked: true } });
    expect(await run(honest, { others: [clipped] })).toMatchObject(failed({ rule: "structure", failedProgram: 1 }));
    expect(await run(honest, { others: [faulting] })).toMatchObject(failed({ rule: "SIGSEGV", failedProgram: 1 }));
  });
});
