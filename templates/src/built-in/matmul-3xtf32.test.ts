/**
 * matmul_3xtf32: values of all digits against sums in float64, planted faults, and a simulation of what tensor cores cut off,
 * which is why lanes add up after four steps.
 */
import type { Json } from "@warpfarm/common";
import { interpretKernels, type Kernel, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { compileCubin } from "../../../test-support/nvcc.ts";
import { createTask, type TemplateTask } from "../task.ts";
import { indexWith, nestOf, runInOrder, textOf } from "./template.testing.ts";

const words = "cuda/sm_90a";
const target = parseTarget(words);
const base = {
  ...{ consumers: 1, columns: 64, stages: 3, group: 1, waves: 1, producer: 24, epilogue: "direct" },
  ...{ cluster: 1, order: "rows", parts: 1, chunk: 4 },
};

/** Normally distributed, by a small generator of its own. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

interface Sizes {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}
function taskOf(sizes: Sizes, layout: string, knobs: Readonly<Record<string, Json>> = {}) {
  const task = createTask("matmul_3xtf32", { ...sizes, layout }, words);
  return { task, at: indexWith(task, { ...base, ...knobs }) };
}
const filled = (task: TemplateTask): Map<string, Float32Array> =>
  new Map(
    task.graph.inputs.map(({ name, shape }, n) => [
      name,
      Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, normals(17 + n)),
    ]),
  );

/** The errors of all elements, in sizes of the result. */
function errorsOf({ M, N, K }: Sizes, layout: string, inputs: ReadonlyMap<string, ArrayLike<number>>, got: ArrayLike<number>) {
  const [A, B] = [inputs.get("A") ?? [], inputs.get("B") ?? []];
  let [errors, sizes, worst] = [0, 0, 0];
  for (let i = 0; i < M; i++)
    for (let j = 0; j < N; j++) {
      let sum = 0;
      for (let k = 0; k < K; k++)
        sum += Number(A[layout[0] === "N" ? i * K + k : k * M + i]) * Number(B[layout[1] === "T" ? j * K + k : k * N + j]);
      const off = Number(got[i * N + j]) - sum;
      errors += off * off;
      sizes += sum * sum;
      worst = Math.max(worst, Math.abs(off));
    }
  return { relative: Math.sqrt(errors / sizes), worst };
}
const allowedOf = (task: TemplateTask): number => Number(task.graph.tolerances?.C?.atol);

describe("values of all digits", () => {
  const shapes: readonly (readonly [string, Sizes, Readonly<Record<string, Json>>])[] = [
    ["NT", { M: 64, N: 64, K: 256 }, {}],
    ["NN", { M: 70, N: 50, K: 201 }, { producer: 40 }],
    ["TT", { M: 128, N: 128, K: 96 }, { columns: 128, consumers: 2, stages: 2, producer: 40, chunk: 2, cluster: "2m" }],
    ["TN", { M: 91, N: 61, K: 129 }, { producer: 24, stages: 4, waves: 2 }],
    ["NN", { M: 64, N: 128, K: 256 }, { producer: 24, cluster: "2n" }],
    // One row of tiles, and blocks of a second that is not there.
    ["NT", { M: 70, N: 50, K: 129 }, { consumers: 2, group: 2, stages: 2, chunk: 2 }],
    ["NT", { M: 3, N: 1, K: 1 }, {}],
  ];
  it.each(some(shapes, 1, 2, 3, 5, 6))("%s %o %o: within 2e-6 of float64", (layout, sizes, knobs) => {
    const { task, at } = taskOf(sizes, layout, knobs);
    const kernels = lowerFunc(nestOf(task, at), target);
    expect(verifyKernels(kernels, target)).toEqual([]);
    const inputs = filled(task);
    const got = runInOrder(kernels, inputs, 3 * task.flops).data.get("C") ?? [];
    const { relative, worst } = errorsOf(sizes, layout, inputs, got);
    expect(relative).toBeLessThan(1e-6);
    expect(worst).toBeLessThan(allowedOf(task));
  });
});

type Stmt = Kernel["func"]["body"];
type Node = Readonly<Record<string, unknown>>;
/** Replaces every node of the kernels for which `change` has another. */
function planted(kernels: readonly Kernel[], change: (node: Node) => unknown): readonly Kernel[] {
  let changed = 0;
  const run = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(run);
    // Arrays of memory, variables and intrinsics are compared by identity.
    if (typeof value !== "object" || value === null || !("kind" in value) || value.kind === "Var") return value;
    const other = change(value as Node);
    if (other !== undefined) changed++;
    return other ?? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, key === "tiles" ? part : run(part)]));
  };
  const made = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) as Stmt } }));
  expect(changed).toBeGreaterThan(0);
  return made;
}

describe("planted faults", () => {
  const sizes = { M: 64, N: 64, K: 256 };
  const { task, at } = taskOf(sizes, "NT");
  const kernels = lowerFunc(nestOf(task, at), target);
  const rulesOf = (wrong: readonly Kernel[]) => verifyKernels(wrong, target).map(({ rule, message }) => `${rule}: ${message}`);
  const errorOf = (wrong: readonly Kernel[]) => {
    const inputs = filled(task);
    return errorsOf(sizes, "NT", inputs, interpretKernels(wrong, inputs).data.get("C") ?? []).worst;
  };
  const isTf32 = (node: Node): boolean => node.kind === "Call" && node.name === "tf32";
  const isSmall = (node: Node): boolean => isTf32(node) && (node.args as readonly Node[])[0]?.kind === "Sub";

  it("a small half that is not rounded", () => {
    const wrong = planted(kernels, (node) => (isSmall(node) ? (node.args as readonly unknown[])[0] : undefined));
    expect(rulesOf(wrong).join()).toMatch(/^wgmma.tf32: .* takes A_halves.shared as "a", but not all .* was rounded/);
  });
  it("operands that nobody rounds", () => {
    expect(rulesOf(kernels.slice(2)).filter((text) => text.startsWith("wgmma.tf32"))).toHaveLength(2);
  });
  it("a product left out", () => {
    let seen = 0;
    // Four steps of depth 8 for each of the three products.
    const wrong = planted(kernels, (node) =>
      node.kind === "Invoke" && node.form === "update" && seen++ % 12 < 4 ? { kind: "Seq", stmts: [] } : undefined,
    );
    expect(errorOf(wrong)).toBeGreaterThan(allowedOf(task));
  });
  it("a small half that is zero", () => {
    const wrong = planted(kernels, (node) => (isSmall(node) ? { kind: "FloatImm", dtype: "float32", value: 0 } : undefined));
    expect(errorOf(wrong)).toBeGreaterThan(allowedOf(task));
  });
  it("a fragment that does not begin anew after four steps", () => {
    const wrong = planted(kernels, (node) =>
      node.kind === "Invoke" && node.form === "init" ? { kind: "Seq", stmts: [] } : undefined,
    );
    expect(() => errorOf(wrong)).toThrow("[interp.uninitialised");
  });
});

describe("what tensor cores cut off", () => {
  const bits = new Float32Array(1);
  const word = new Uint32Array(bits.buffer);
  const round = (x: number): number => {
    bits[0] = x;
    word[0] = ((word[0] as number) + 0x1000) & 0xffffe000;
    return bits[0] as number;
  };
  const cutTo = (x: number, unit: number): number => Math.trunc(x / unit) * unit;
  /** Eight products and the sum so far, cut off after the 24th digit of the largest, then to a float32. */
  function step(sum: number, products: readonly number[]): number {
    const most = Math.max(Math.abs(sum), ...products.map(Math.abs));
    const unit = 2 ** (Math.floor(Math.log2(most)) - 24);
    const exact = products.reduce((all, x) => all + cutTo(x, unit), cutTo(sum, unit));
    return cutTo(exact, 2 ** (Math.floor(Math.log2(Math.abs(exact))) - 23));
  }
  function errorOf(steps: number): number {
    const K = 4096;
    const draw = normals(5);
    let [errors, sizes] = [0, 0];
    for (let turn = 0; turn < 60; turn++) {
      const pairs = Array.from({ length: K }, () => [Math.fround(draw()), Math.fround(draw())] as const);
      const halves = pairs.map(([a, b]) => [round(a), round(a - round(a)), round(b), round(b - round(b))] as const);
      let own = 0;
      for (let from = 0; from < K; from += 32 * steps) {
        let sum = 0;
        for (let slot = from; slot < from + 32 * steps; slot += 32)
          for (const [x, y] of [
            [1, 2],
            [0, 3],
            [0, 2],
          ] as const)
            for (let k = slot; k < slot + 32; k += 8)
              sum = step(
                sum,
                halves.slice(k, k + 8).map((half) => half[x] * half[y]),
              );
        own = Math.fround(own + sum);
      }
      const exact = pairs.reduce((all, [a, b]) => all + a * b, 0);
      errors += (own - exact) ** 2;
      sizes += exact ** 2;
    }
    return Math.sqrt(errors / sizes);
  }
  it("is below 2e-6 where lanes add after four steps, and above where one sum has all", () => {
    expect(errorOf(4)).toBeLessThan(1.2e-6);
    expect(errorOf(128)).toBeGreaterThan(1e-5);
  });
});

it("refuses halves that cannot be indexed, by the operand's name", () => {
  const why = "both halves of B have 2 x 40192 x 40064 elements; at most 2147483647 can be indexed";
  expect(() => taskOf({ M: 64, N: 40_000, K: 40_000 }, "NN")).toThrow(why);
});

it.for([[], ["bias", "residual", "gelu"]])("needs no more registers than there are, behind it %s", (epilogue, ctx) => {
  needs(ctx, "nvcc");
  const sizes = { M: 4096, N: 4096, K: 4096, epilogue };
  const { task, at } = taskOf(sizes, "NT", { consumers: 2, columns: 128, waves: 0, producer: 40, group: 16 });
  const kernels = Object.values(compileCubin(textOf(task, at), "sm_90a"));
  expect(kernels.map(({ spillBytes, stackBytes }) => spillBytes + stackBytes)).toEqual([0, 0, 0]);
  expect(Math.max(...kernels.map(({ registers }) => registers))).toBe(168);
});
