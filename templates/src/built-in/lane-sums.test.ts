/** Sums of two levels: planted faults are refused, what cannot be is refused by name, and the text needs no more registers. */
import type { Json } from "@warpfarm/common";
import { interpretKernels, type Kernel, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { indexWith, inputsOf, nestOf, nvccResources, runInOrder, textOf } from "./template.testing.ts";

const words = "cuda/sm_90a";
const target = parseTarget(words);
type Stmt = Kernel["func"]["body"];
/** Where statements have statements. */
const inner = ["body", "stmts", "producer", "consumers"];
const base = {
  ...{
    consumers: 1,
    columns: 64,
    stages: 3,
    group: 1,
    waves: 1,
    producer: 0,
    epilogue: "direct",
    cluster: 1,
    order: "rows",
    parts: 1,
  },
};

function made(size: Readonly<Record<string, number>>, knobs: Readonly<Record<string, Json>>) {
  const task = createTask("matmul_tma", { ...size, dtype: "float8_e4m3fn", layout: "NT" }, words);
  return { task, at: indexWith(task, { ...base, ...knobs }) };
}

describe("planted faults", () => {
  const { task, at } = made({ M: 64, N: 64, K: 1024 }, { chunk: 4 });
  const planted = (change: (s: Stmt) => object | undefined): readonly Kernel[] => {
    let changed = 0;
    const run = (s: Stmt): object => {
      const other = change(s);
      if (other) changed++;
      const parts = Object.entries(s).map(([key, value]) => {
        if (!inner.includes(key)) return [key, value];
        return [key, Array.isArray(value) ? value.map(run) : run(value as Stmt)];
      });
      return other ?? Object.fromEntries(parts);
    };
    const kernels = lowerFunc(nestOf(task, at), target).map((kernel) => ({
      ...kernel,
      func: { ...kernel.func, body: run(kernel.func.body) as Stmt },
    }));
    expect(changed).toBe(1);
    return kernels;
  };
  const rulesOf = (kernels: readonly Kernel[]) => verifyKernels(kernels, target).map(({ rule }) => rule);

  it("lanes that add before the wait", () => {
    const early = planted((s) =>
      s.kind === "Wait" && s.engine === "wgmma" && s.pending === 0 ? { ...s, pending: 1 } : undefined,
    );
    expect(rulesOf(early)).toContain("wgmma.in_flight");
    expect(() => runInOrder(early, inputsOf(task))).toThrow("[interp.in_flight]");
  });
  it("a fragment that does not begin anew", () => {
    const kept = planted((s) => (s.kind === "Invoke" && s.form === "init" ? { kind: "Seq", stmts: [] } : undefined));
    expect(() => interpretKernels(kept, inputsOf(task))).toThrow("[interp.uninitialised");
  });
});

it.each([
  [{ columns: 256 }, "for up to 128 columns and 2 consumers; here are 256 and 1"],
  [{ columns: 128, epilogue: "tma", parts: 2 }, "are stored in one part; here are 2"],
  [{ epilogue: 2 }, "are not split over blocks as well; epilogue is 2"],
] as const)("refuses %o", (knobs, why) => {
  const { task, at } = made({ M: 128, N: 256, K: 1024 }, { ...knobs, chunk: 4 });
  const schedule = task.schedule(task.space.toIndex(at));
  expect(schedule).toMatchObject({ ok: false, error: { rule: "lane_sums", message: expect.stringContaining(why) } });
});

it("needs no more registers than there are", (ctx) => {
  needs(ctx, "nvcc");
  const knobs = { consumers: 2, columns: 128, stages: 4, waves: 0, producer: 40, epilogue: "tma", cluster: "2m", chunk: 4 };
  const { task, at } = made({ M: 4096, N: 4096, K: 4096 }, knobs);
  expect(nvccResources(textOf(task, at), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
});
