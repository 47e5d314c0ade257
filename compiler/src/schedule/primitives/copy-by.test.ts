import { type DType, formatTarget, parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { some } from "../../../../test-support/campaign.ts";
import { needs } from "../../../../test-support/needs.ts";
import { compileCubin } from "../../../../test-support/nvcc.ts";
import { compileProgram } from "../../compile.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { printFunc } from "../../ir/print.ts";
import { sharedLayout } from "../../ir/shared-layout.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapStmt } from "../../ir/visit.ts";
import { lowerFunc, lowerVerified, verifyKernels } from "../../target/index.ts";
import { compute, placeholder } from "../../te/compute.ts";
import { add, all, at, greaterEqual, less, select, sub } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef, StageRef } from "../state.ts";
import { inputsOf, nestOf, refuses } from "./primitive.testing.ts";

const hopper = parseTarget("cuda/sm_90a");

interface Tiled {
  readonly s: Schedule;
  readonly copy: StageRef;
  readonly out: StageRef;
  readonly inner: readonly [LoopRef, LoopRef];
}

interface Options {
  readonly dtype?: DType;
  /** What is added to each element; 0 = it is only copied. */
  readonly more?: number;
  /** Rows of tiles that run at a time; each block goes on to the next ones. */
  readonly blocks?: number;
  readonly scope?: "shared" | "local";
  readonly cpu?: boolean;
}

/** A matrix copied in tiles: rows of tiles to blocks, the tiles of a row one after the other. */
function line(length: number): Schedule {
  const a = placeholder("A", [length], "float32");
  const s = createSchedule(graphOf([a], [compute("B", [["i", length]], (i) => at(a, i))]));
  const copy = s.cacheRead(a, "shared", [s.stage("B")]);
  const [block] = s.split(s.axes(s.stage("B"))[0] as LoopRef, [null, 64]) as [LoopRef, LoopRef];
  s.bind(block, "blockIdx.x");
  s.computeAt(copy, s.stage("B"), block);
  return only(s, copy);
}

function tiled(shape: readonly [number, number], tile: readonly [number, number], options: Options = {}): Tiled {
  const { dtype = "float32", more = 0, blocks, scope = "shared", cpu = false } = options;
  const a = placeholder("A", shape, dtype);
  const axes = shape.map((extent, d): [string, number] => [`i${d}`, extent]);
  const s = createSchedule(graphOf([a], [compute("B", axes, (i, j) => (more ? add(at(a, i, j), more) : at(a, i, j)))]));
  const out = s.stage("B");
  const copy = s.cacheRead(a, scope, [out]);
  const [i, j] = s.axes(out) as [LoopRef, LoopRef];
  const [io, ii] = s.split(i, [null, tile[0]]) as [LoopRef, LoopRef];
  const [jo, ji] = s.split(j, [null, tile[1]]) as [LoopRef, LoopRef];
  if (blocks === undefined) {
    s.reorder([io, jo, ii, ji]);
    if (!cpu) s.bind(io, "blockIdx.x");
  } else {
    const [wave, block] = s.split(io, [null, blocks]) as [LoopRef, LoopRef];
    s.reorder([block, wave, jo, ii, ji]);
    s.bind(block, "blockIdx.x");
  }
  s.computeAt(copy, out, jo);
  return { s, copy, out, inner: [ii, ji] };
}

const textOf = ({ graph, trace }: Schedule, target = formatTarget(hopper)) => {
  const made = compileProgram({ version: 1, kind: "schedule", target, graph, trace });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};
/** What the kernels give, in both interpreters. */
function runs(s: Schedule): void {
  const kernels = lowerFunc(nestOf(s), hopper);
  expect(verifyKernels(kernels, hopper)).toEqual([]);
  const expected = evaluate(s.graph, inputsOf(s.graph)).get("B");
  expect(interpretKernels(kernels, inputsOf(s.graph)).data.get("B")).toEqual(expected);
  const direct = interpretDirectly(
    kernels.map(({ func }) => func),
    inputsOf(s.graph),
  );
  expect(direct.data.get("B")).toEqual(expected);
}
const refusal = (s: Schedule, target = hopper): string | undefined => {
  const found = lowerVerified(nestOf(s), target);
  return found.ok ? undefined : `${found.error[0]?.message} [${found.error[0]?.rule}]`;
};

describe("copyBy", () => {
  it("makes a ring of slots: filled ahead, awaited, drained, released", () => {
    const { s, copy, out } = tiled([93, 72], [32, 32]);
    s.copyBy(copy, "tma");
    s.pipeline(copy, 2);
    s.copyBy(out, "tma");
    const [kernel] = lowerFunc(nestOf(s), hopper);
    expect(`\n${printFunc((kernel as Kernel).func)}`).toBe(`
func B_kernel(A: float32[6696], B: float32[6696]) device
  for i0.outer in 3 bind blockIdx.x:
    alloc A.shared: float32[2048] shared
    channel A.shared_ring of 2 slots
    stage B:
      fill A.shared_ring for turn 0, 4096 bytes:
        stage A.shared:
          A.shared[0] = box [32, 32] at A[i0.outer * 32, 0]
      for i1.outer in 3:
        if i1.outer < 2:
          fill A.shared_ring for turn i1.outer + 1, 4096 bytes:
            stage A.shared:
              A.shared[(i1.outer + 1) % 2 * 1024] = box [32, 32] at A[i0.outer * 32, i1.outer * 32 + 32]
        await A.shared_ring, turn i1.outer
        fence for the copy engine and tensor cores
        barrier
        drain:
          B[i0.outer * 32, i1.outer * 32] = box [32, 32] at A.shared[i1.outer % 2 * 1024]
        release A.shared_ring, turn i1.outer
`);
    runs(s);
  });

  it.each([
    // More slots than turns are clamped; one turn needs no ring.
    [[93, 72], [32, 24], 16],
    [[5, 4], [3, 4], 3],
    [[1, 64], [1, 8], 4],
    [[40, 100], [7, 20], 3],
    // Five rows of tiles are no whole number of turns for two blocks.
    [[20, 60], [4, 20], 2, 2],
  ] as const)("copies a tensor of %j in tiles of %j with %i slots", (shape, tile, slots, blocks?: number) => {
    const { s, copy, out } = tiled(shape, tile, blocks === undefined ? {} : { blocks });
    s.copyBy(copy, "tma");
    s.pipeline(copy, slots);
    s.copyBy(out, "tma");
    runs(s);
  });

  it("counts turns from the kernel's start, over all loops of a block: 3 tiles a row are no multiple of the 2 slots", () => {
    const { s, copy, inner } = tiled([24, 60], [4, 20], { more: 1, blocks: 2 });
    s.copyBy(copy, "tma");
    s.pipeline(copy, 2);
    s.bind((s.split(s.fuse([...inner]), [null, 40]) as [LoopRef, LoopRef])[1], "threadIdx.x");
    const [kernel] = lowerFunc(nestOf(s), hopper);
    const { func } = kernel as Kernel;
    expect(printFunc(func)).toContain("await A.shared_ring, turn i0.outer.outer * 3 + i1.outer\n");
    runs(s);
    // The phase of the inner loop alone, as if it restarted with each row.
    const outermost = (at: Stmt): Stmt =>
      "turn" in at
        ? mapStmt({ ...at, turn: b.floorModulo(at.turn, b.int(3)) }, outermost, (e) => e)
        : mapStmt(at, outermost, (e) => e);
    const wrong = { ...func, body: outermost(func.body) };
    expect(verifyKernels([{ ...(kernel as Kernel), func: wrong }], hopper)[0]?.rule).toBe("device.channel");
    expect(() => interpretDirectly([wrong], inputsOf(s.graph))).toThrow("[interp.channel]");
  });

  it("leaves borders that are written out to the engine, which reads zeros there", () => {
    const a = placeholder("A", [6, 16]);
    const padded = [
      ["i", 8],
      ["j", 24],
    ] as const;
    const inside = (i: Expr, j: Expr) => all(greaterEqual(i, 1), less(i, 7), greaterEqual(j, 4), less(j, 20));
    const P = compute("P", padded, (i, j) => select(inside(i, j), at(a, sub(i, 1), sub(j, 4)), 0));
    const s = createSchedule(graphOf([a], [compute("B", padded, (i, j) => add(at(P, i, j), 1))]));
    const out = s.stage("B");
    const [i, j] = s.axes(out) as [LoopRef, LoopRef];
    const [io, ii] = s.split(i, [null, 4]) as [LoopRef, LoopRef];
    s.bind(io, "blockIdx.x");
    s.bind(j, "threadIdx.x");
    s.reorder([io, j, ii]);
    s.setScope(s.stage("P"), "shared");
    s.computeAt(s.stage("P"), out, io);
    s.copyBy(s.stage("P"), "tma");
    const [kernel] = lowerFunc(nestOf(s), hopper);
    expect(printFunc((kernel as Kernel).func)).toContain("P[0] = box [4, 24] at A[i.outer * 4 - 1, -4]");
    runs(s);
  });

  it.each([
    ["ends before the tensor", (i: Expr, j: Expr) => all(less(i, 6), less(j, 12))],
    ["begins after it", (i: Expr, j: Expr) => all(less(i, 6), greaterEqual(j, 4))],
    ["goes by another coordinate", (i: Expr, j: Expr) => all(less(i, 6), less(add(i, j), 16))],
  ])("refuses a border that %s", (_, inside) => {
    const a = placeholder("A", [6, 16]);
    const axes = [
      ["i", 6],
      ["j", 16],
    ] as const;
    const P = compute("P", axes, (i, j) => select(inside(i, j), at(a, i, j), 0));
    const s = createSchedule(graphOf([a], [compute("B", axes, (i, j) => add(at(P, i, j), 1))]));
    const [i] = s.axes(s.stage("B")) as [LoopRef];
    s.bind(i, "blockIdx.x");
    s.setScope(s.stage("P"), "shared");
    s.computeAt(s.stage("P"), s.stage("B"), i);
    s.copyBy(s.stage("P"), "tma");
    expect(refusal(s)).toMatch(
      /it is done where .*; the engine only leaves out what lies outside of the tensor \[copyBy.match\]$/,
    );
  });

  it.each<[dtype: DType, row: number]>([
    ["float16", 64],
    ["float16", 32],
    ["float32", 8],
    ["int8", 128],
  ])("takes the swizzle of %s rows of %i, whose pattern says where arrays begin", (dtype, row) => {
    const { s, copy } = tiled([24, 4 * row], [12, row], { dtype, more: 1 });
    s.copyBy(copy, "tma");
    s.swizzle(copy);
    s.pipeline(copy, 3);
    const { text, maps } = textOf(s);
    const bytes = { float16: 2, float32: 4, int8: 1 }[dtype as "int8"] * row;
    expect(maps?.map(({ swizzle }) => swizzle)).toEqual([bytes]);
    expect(text).toContain(`__align__(${8 * bytes})`);
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    const arrays = inferred.value.allocations.filter(({ scope }) => scope === "shared");
    expect(arrays.map((array) => [array.buffer.name, array.align])).toEqual([
      ["A.shared", 8 * bytes],
      ["A.shared.barriers", undefined],
    ]);
    // Three slots, each a multiple of the pattern, and two barriers of 8 bytes for each.
    expect(arrays.map((array) => array.bytes)).toEqual([3 * Math.ceil((12 * bytes) / (8 * bytes)) * 8 * bytes, 48]);
    runs(s);
  });

  it("counts what the text lays out, where a kernel needs more than it may declare", () => {
    const { s, copy, out } = tiled([128, 640], [128, 64], { dtype: "float16" });
    s.copyBy(copy, "tma");
    s.copyBy(out, "tma");
    s.swizzle(copy);
    s.pipeline(copy, 5);
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    const { text, kernels } = textOf(s);
    expect(kernels.map((kernel) => kernel.dynamic_shared_bytes)).toEqual([5 * 128 * 128 + 5 * 16]);
    expect(sharedLayout(inferred.value.allocations).bytes).toBe(5 * 128 * 128 + 5 * 16);
    expect(text).toContain("extern __shared__ __align__(1024) unsigned char shared_memory[];");
  });

  it("gives a kernel pointers, then maps; the text says how a host makes them", () => {
    const { s, copy } = tiled([93, 72], [32, 32], { more: 1 });
    s.copyBy(copy, "tma");
    const { text, kernels, maps } = textOf(s);
    expect(kernels[0]?.args).toEqual(["B", { map: 0 }]);
    expect(maps).toEqual([
      {
        buffer: "A",
        type: "float32",
        dims: [93, 72],
        strides_bytes: [288],
        box: [32, 32],
        element_strides: [1, 1],
        swizzle: 0,
        interleave: 0,
        l2: 128,
        oob: "zeros",
      },
    ]);
    expect(text).toContain("B_kernel(float *__restrict__ B, const __grid_constant__ tensor_map A_map)");
    expect(text).toContain("// Map 0: a CUtensorMap by value");
    expect(text).toContain("//   cuuint64_t dims[] = {72, 93}, strides[] = {288};");
    expect(text).toMatch(/cuTensorMapEncodeTiled\(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, A, dims/);
  });

  it("nvcc takes the text, for sm_90, and in the campaign for sm_90a", (ctx) => {
    needs(ctx, "nvcc");
    const { s, copy, out } = tiled([93, 72], [32, 32]);
    s.copyBy(copy, "tma");
    s.copyBy(out, "tma");
    s.pipeline(copy, 3);
    for (const arch of some(["sm_90a", "sm_90"], 1)) {
      const { text } = textOf(s, `cuda/${arch}`);
      const asked = /cp\.async\.bulk\.tensor\.2d\.\w+|mbarrier\.try_wait\.parity/;
      const [report] = Object.values(compileCubin(text, arch, asked));
      expect(Object.keys(report?.instructions ?? {}).sort()).toEqual([
        "cp.async.bulk.tensor.2d.global",
        "cp.async.bulk.tensor.2d.shared",
        "mbarrier.try_wait.parity",
      ]);
    }
  });

  it("a CPU copies by loops, and a note says so", () => {
    const { s, copy } = tiled([93, 72], [32, 32], { cpu: true });
    s.copyBy(copy, "tma");
    const { notes } = textOf(s, "cpu/x86-64-v3");
    expect(notes).toEqual([{ rule: "copyBy.ignored", message: "copyBy says something of a GPU's copy engine; a CPU has none" }]);
  });

  it("a GPU without a copy engine is refused", () => {
    const { s, copy } = tiled([93, 72], [32, 32]);
    s.copyBy(copy, "tma");
    expect(refusal(s, parseTarget("cuda/sm_89"))).toBe("B_kernel: copyBy: sm_89 has no copy engine; sm_90 has [copyBy.match]");
  });

  it("a box has 256 elements in one dimension at most", () => {
    expect(refusal(onlyCopied(tiled([512, 64], [256, 64])))).toBeUndefined();
    expect(refusal(onlyCopied(tiled([514, 64], [257, 64])))).toContain("a box of 257 elements in one dimension; at most 256");
  });

  it.each<[what: string, make: () => Schedule, why: string]>([
    [
      "rows that are no multiple of 16 bytes",
      () => onlyCopied(tiled([93, 75], [32, 32])),
      "rows of A have 300 bytes; a map's are multiples of 16",
    ],
    ["one odd row, beyond which the engine writes", () => line(131), "rows of A have 524 bytes; a map's are multiples of 16"],
    [
      "boxes with odd rows",
      () => onlyCopied(tiled([93, 72], [32, 6])),
      "rows of the box have 24 bytes; they take multiples of 16",
    ],
    [
      "rows wider than any swizzle",
      () => {
        const made = tiled([96, 512], [32, 64]);
        made.s.swizzle(made.copy);
        return onlyCopied(made);
      },
      "rows of A.shared have 256 bytes; the engine swizzles rows of 32, 64 and 128",
    ],
    ["a formula", () => onlyOut(tiled([96, 64], [32, 32], { more: 1 })), "the copy engine only copies"],
    ["a copy from an array in registers", () => onlyOut(tiled([96, 64], [32, 32], { scope: "local" })), "(local) to B (global)"],
  ])("refuses %s", (_, make, why) => {
    expect(refusal(make())).toContain(why);
    expect(refusal(make())).toContain("[copyBy.match]");
  });
});

const only = (s: Schedule, stage: StageRef): Schedule => {
  s.copyBy(stage, "tma");
  return s;
};
const onlyCopied = ({ s, copy }: Tiled): Schedule => only(s, copy);
const onlyOut = ({ s, out }: Tiled): Schedule => only(s, out);
const cached = (s: Schedule): StageRef => s.cacheRead({ input: 0 }, "shared", [s.stage("b")]);
refuses([
  ["a reduction", (s) => s.copyBy(s.stage("c"), "tma"), "copyBy.reduce"],
  [
    "what is computed where it is used",
    (s) => {
      s.computeInline(s.stage("b"));
      s.copyBy(s.stage("b"), "tma");
    },
    "copyBy.inline",
  ],
  [
    "registers",
    (s) => {
      const copy = s.cacheRead({ input: 0 }, "local", [s.stage("b")]);
      s.computeAt(copy, s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef);
      s.copyBy(copy, "tma");
    },
    "copyBy.scope",
  ],
  [
    "padded rows",
    (s) => {
      const copy = cached(s);
      s.computeAt(copy, s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef);
      s.storageAlign(copy, 0, 4, 2);
      s.copyBy(copy, "tma");
    },
    "copyBy.aligned",
  ],
  [
    "what runs ahead in two arrays of doubleBuffer",
    (s) => {
      const copy = cached(s);
      s.computeAt(copy, s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef);
      s.doubleBuffer(copy);
      s.copyBy(copy, "tma");
    },
    "copyBy.ahead",
  ],
  [
    "loops that belong to threads",
    (s) => {
      const copy = cached(s);
      s.computeAt(copy, s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef);
      s.bind(s.axes(copy)[1] as LoopRef, "threadIdx.x");
      s.copyBy(copy, "tma");
    },
    "copyBy.loop",
  ],
]);
