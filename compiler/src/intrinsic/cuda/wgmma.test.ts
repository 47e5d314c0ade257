/**
 * wgmma: products of every layout agree with the naive evaluation in both interpreters; ptxas accepts their texts without a
 * warning or a spill.
 */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../../test-support/campaign.ts";
import { needs } from "../../../../test-support/needs.ts";
import { compileCubin } from "../../../../test-support/nvcc.ts";
import { type Product, productGraph, scheduleOf, wgmmaOf } from "../../../../test-support/programs/warpgroups.ts";
import { Analyzer } from "../../arith/analyzer.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { substitute } from "../../ir/visit.ts";
import { inputsOf, nestOf } from "../../schedule/primitives/primitive.testing.ts";
import { decodeProgram, encodeProgram, type ScheduleProgram } from "../../serial/program.ts";
import { emit, lowerVerified } from "../../target/index.ts";
import { lowered, small, target } from "./wgmma.testing.ts";
import { wgmma } from "./wgmma.ts";

/** Multiplications of a product that the direct interpreter runs too in npm test: it does 200,000 in a second. */
const directWork = 100_000;

describe("products", () => {
  const changes: readonly (readonly [what: string, change: Partial<Product>])[] = [
    ["both along k, rows of 64 bytes", {}],
    ["rows of 32 bytes", { chunk: 16, slots: 3 }],
    ["rows of 128 bytes, two groups", { chunk: 64, groups: 2, size: [128, 32, 192], slots: 2 }],
    ["B along n, one panel", { layout: "NN", dtype: "bfloat16" }],
    ["B along n, panels of 32 bytes", { layout: "NN", span: 32, n: 48, size: [64, 48, 64] }],
    ["B along n, panels of 128 bytes", { layout: "NN", span: 128, n: 128, size: [64, 128, 64] }],
    ["A along m", { layout: "TT" }],
    ["A along m, two groups, and B along n", { layout: "TN", groups: 2, size: [128, 64, 64], n: 64, span: 64 }],
    ["one slot", { slots: 1 }],
    ["one chunk", { size: [64, 32, 32] }],
    ["more slots than chunks", { slots: 4 }],
    ["a producer", { roles: [0, 0] }],
    ["a producer of more slots than chunks", { roles: [0, 0], slots: 4 }],
    ["a producer of one slot, and two groups", { roles: [40, 232], slots: 1, groups: 2, size: [128, 32, 96] }],
    [
      "a producer that goes on over the ends of three tiles, two groups",
      { roles: [24, 240], slots: 4, groups: 2, size: [384, 32, 96], blocks: 1 },
    ],
    ["stored by the engine", { stored: true, layout: "NN", span: 64 }],
    [
      "stored by the engine, three tiles one after the other, two groups with a producer",
      { stored: true, roles: [24, 240], slots: 3, groups: 2, size: [384, 64, 64], n: 64, blocks: 1 },
    ],
    ["scale, bias, residual and ReLU", { fused: true, roles: [0, 0] }],
    [
      "scale, bias, residual and ReLU, stored by the engine",
      { fused: true, stored: true, dtype: "bfloat16", roles: [40, 232], groups: 2, size: [256, 32, 64], blocks: 1 },
    ],
    ["blocks that take tiles in turn, an odd number of chunks", { size: [256, 32, 96], blocks: 2, slots: 2 }],
    ["whole numbers, rows of 128 bytes", { dtype: "int8", chunk: 128, size: [64, 32, 256] }],
    ["floats of 8 bits", { dtype: "float8_e4m3fn", chunk: 64, n: 40, size: [64, 40, 128] }],
    [
      "whole numbers, rows of 32 bytes, two groups with a producer, stored by the engine",
      { dtype: "int8", chunk: 32, groups: 2, size: [128, 64, 96], n: 64, roles: [40, 232], stored: true },
    ],
  ];
  // In npm test each width of rows and panels, each layout, and the ends of rings, tiles and producers.
  it.each(some(changes, 1, 2, 4, 7, 10, 13, 16, 18, 20, 21, 22))("%s", (_, change) => {
    const p = { ...small, ...change };
    const kernels = lowered(p);
    const graph = productGraph(p);
    const inputs = inputsOf(graph);
    const want = evaluate(graph, inputs).get("C");
    expect(interpretKernels(kernels, inputs).data.get("C")).toEqual(want);
    if (!isFull && p.size.reduce((a, x) => a * x) > directWork) return;
    expect(
      interpretDirectly(
        kernels.map(({ func }) => func),
        inputs,
      ).data.get("C"),
    ).toEqual(want);
  });

  it("travel in programs", () => {
    const sch = scheduleOf(small);
    const { intrinsic } = wgmmaOf(small);
    const made = encodeProgram(sch.graph, sch.trace, "cuda/sm_90a", [intrinsic]);
    const decoded = decodeProgram(made.bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const program = decoded.value as ScheduleProgram;
    expect(program.intrinsics?.[0]).toMatchObject({
      agent: "warpgroup",
      engine: "wgmma",
      operands: intrinsic.operands.map(({ name, descriptor }) => ({ name, ...(descriptor ? { descriptor } : {}) })),
    });
    expect(encodeProgram(program.graph, program.trace, program.target, program.intrinsics)).toEqual(made);
  });

  it("are for sm_90a alone", () => {
    for (const other of ["cuda/sm_90", "cuda/sm_80", "cuda/sm_100a"]) {
      const made = lowerVerified(nestOf(scheduleOf(small)), parseTarget(other));
      expect(made.ok ? [] : made.error.map(({ rule }) => rule)).toContain(
        other === "cuda/sm_80" ? "copyBy.match" : "device.capability",
      );
    }
  });
  it.each<[what: string, make: () => unknown, message: RegExp]>([
    [
      "a width that there is not",
      () => wgmma({ dtype: "float16", n: 12, a: { major: "k", swizzle: 128 }, b: { major: "k", swizzle: 128 } }),
      /8 to 256/,
    ],
    [
      "B in registers",
      () => wgmma({ dtype: "float16", n: 64, a: "registers", b: "registers" as never }),
      /wgmma takes as B a tile, \{ major: "k" or "mn", swizzle: .* \}, not "registers"/,
    ],
    [
      "no A",
      () => wgmma({ dtype: "float16", n: 64, a: "register" as never, b: { major: "k", swizzle: 128 } }),
      /wgmma takes as A "registers" or a tile, .*, not "register"/,
    ],
    [
      "broken panels",
      () => wgmma({ dtype: "float16", n: 96, a: { major: "k", swizzle: 128 }, b: { major: "mn", swizzle: 128 } }),
      /whole panels of 64/,
    ],
    [
      "a width that whole numbers do not have",
      () => wgmma({ dtype: "int8", n: 40, a: { major: "k", swizzle: 128 }, b: { major: "k", swizzle: 128 } }),
      /in steps of 16, not 40/,
    ],
    [
      "whole numbers that lie across the reduction",
      () => wgmma({ dtype: "int8", n: 64, a: { major: "k", swizzle: 128 }, b: { major: "mn", swizzle: 64 } }),
      /int8 along the reduction/,
    ],
    [
      "A in narrow rows along m",
      () => wgmma({ dtype: "float16", n: 64, a: { major: "mn", swizzle: 64 }, b: { major: "k", swizzle: 64 } }),
      /rows of 128 bytes/,
    ],
  ])("refuse %s", (_, make, message) => {
    expect(make).toThrow(message);
  });
});

/** PTX ISA, "Register Fragments and Shared Memory Matrix Layouts" of wgmma: row and column of a thread's element number i. */
const rowInFigure = (thread: number, i: number, run: number): number =>
  16 * Math.floor(thread / 32) + Math.floor((thread % 32) / 4) + (Math.floor(i / run) % 2 === 0 ? 0 : 8);
const columnInFigure = (thread: number, i: number, run: number): number =>
  (thread % 4) * run + (i % run) + (i < 2 * run ? 0 : 4 * run);

it.each([
  ["float16", 2],
  ["float32", 1],
  ["int8", 4],
] as const)("A of %s lies in registers as in the figure", (dtype, run) => {
  const { operands } = wgmma({ dtype, n: 8, a: "registers", b: { major: "k", swizzle: 128 } });
  const places = operands[0]?.fragment?.places;
  if (!places) throw new Error("an opaque layout");
  const [i, k] = places.axes as [Var, Var];
  const at = (e: Expr, row: number, column: number): number => {
    const values = new Map([
      [i, b.int(row)],
      [k, b.int(column)],
    ]);
    return new Analyzer().linear(substitute(e, values)).constant;
  };
  for (let thread = 0; thread < 128; thread++)
    for (let element = 0; element < 4 * run; element++) {
      const [row, column] = [rowInFigure(thread, element, run), columnInFigure(thread, element, run)];
      expect([at(places.lane, row, column), at(places.slot, row, column)]).toEqual([thread, element]);
    }
});

describe("ptxas", () => {
  const large: Product = {
    dtype: "float16",
    layout: "NN",
    size: [4096, 4096, 4096],
    n: 256,
    groups: 2,
    chunk: 64,
    slots: 4,
    span: 128,
    blocks: 128,
  };
  const products: readonly (readonly [what: string, change: Partial<Product>])[] = [
    ["NN, 128x256 by 64, four slots", {}],
    ["NT bfloat16", { layout: "NT", dtype: "bfloat16" }],
    ["TN", { layout: "TN", n: 128 }],
    ["TT, rows of 64 bytes", { layout: "TT", chunk: 32, n: 192, size: [4096, 3072, 4096] }],
    ["NN in panels of 32 bytes", { span: 32, n: 64 }],
    ["one group, one slot", { groups: 1, slots: 1, n: 8, layout: "NT" }],
    ["a producer, results stored by the engine", { slots: 3, roles: [40, 232], stored: true }],
    [
      "a producer, scale, bias, residual and ReLU, stored by the engine",
      { slots: 3, roles: [24, 240], stored: true, fused: true },
    ],
    ["a producer of small tiles", { n: 64, roles: [40, 232] }],
    [
      "whole numbers, stored by the engine",
      {
        dtype: "int8",
        layout: "NT",
        chunk: 128,
        slots: 3,
        n: 192,
        size: [4096, 3072, 4096],
        roles: [40, 232],
        stored: true,
        parts: 2,
      },
    ],
    [
      "floats of 8 bits, stored by the engine",
      { dtype: "float8_e5m2", layout: "NT", chunk: 128, n: 256, roles: [40, 232], stored: true, parts: 2 },
    ],
    ["whole numbers, 24 columns", { dtype: "int8", layout: "NT", chunk: 128, n: 24, size: [4096, 3072, 4096] }],
  ];
  it.for(some(products, 7, 9, 10, 11))("%s", ([, change], ctx) => {
    needs(ctx, "nvcc");
    const p = { ...large, ...change };
    const nest = nestOf(scheduleOf(p));
    const kernels = lowered(p);
    const { text } = emit(kernels, nest.params, target, { graph: productGraph(p) });
    // Warnings are errors, C7508 to C7519 among them: products one after the other would be one.
    const report = compileCubin(text, "sm_90a").C_kernel;
    expect(report).toMatchObject({ spillBytes: 0, stackBytes: 0 });
    // Behind each group stands a wait for the one before it. There are two rounds of each ring and more.
    const [groups, waits] = ["commit", "wait_1"].map((name) => text.match(new RegExp(`wgmma_${name}\\(\\);`, "g"))?.length ?? 0);
    expect(waits).toBe(p.slots > 1 ? groups : 0);
  });
});
