import type { DType } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Buffer, Scope } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Dialect, PrimFunc } from "../ir/prim-func.ts";
import type { Stmt, ThreadTag } from "../ir/stmt.ts";
import { compute, placeholder } from "../te/compute.ts";
import { graphOf } from "../te/graph-of.ts";
import { interpretDirectly } from "./direct/index.ts";
import { InterpError, type InterpRule } from "./error.ts";
import { evaluate } from "./evaluate.ts";
import { interpret, interpretKernels } from "./interpret.ts";

const buffer = (name: string, shape: readonly number[], scope: Scope = "global", dtype: DType = "float32"): Buffer => ({
  name,
  dtype,
  shape,
  scope,
});
const func = (dialect: Dialect, params: readonly Buffer[], body: Stmt): PrimFunc => ({ dialect, name: "f", params, body });
/** The rule by which something is refused, if it is. */
function ruleOf(run: () => unknown): InterpRule[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof InterpError) return [error.rule];
    throw error;
  }
}
const floats = (...values: number[]) => Float32Array.from(values);
const range = (n: number) => Float32Array.from({ length: n }, (_, i) => i);

/** One value of an expression, by both interpreters and by evaluate, which share no expression code. */
function valuesOf(e: Expr): readonly [number, number, number] {
  const out = buffer("out", [1], "global", e.dtype);
  const store = func("lowered", [out], b.store(out, [b.int(0)], e));
  const [generated, direct] = [interpret, interpretDirectly].map((run) => run([store], new Map()).data.get("out")?.[0] as number);
  const probe = placeholder("probe", [1]);
  const graph = graphOf([probe], [compute("c", [["i", 1]], () => e)]);
  return [generated as number, direct as number, evaluate(graph, new Map([["probe", floats(0)]])).get("c")?.[0] as number];
}

describe("arithmetic", () => {
  const f = (x: number, dtype: DType = "float32") => b.float(x, dtype);
  const i8 = (x: number) => b.int(x, "int8");
  // Opaque to constant folding.
  const i = (x: number): Expr => b.cast("int32", f(x, "float64"));
  it.each<[string, Expr, number]>([
    ["float32 rounds the sum", b.add(f(2 ** 24), f(1)), 2 ** 24],
    ["float32 rounds immediates", b.mul(f(0.1), f(1)), Math.fround(0.1)],
    ["float64 does not", b.mul(f(0.1, "float64"), f(3, "float64")), 0.1 * 3],
    ["float16 rounds", b.add(f(2048, "float16"), f(1, "float16")), 2048],
    ["float16 overflows", b.mul(f(60000, "float16"), f(2, "float16")), Infinity],
    ["bfloat16 rounds", b.add(f(256, "bfloat16"), f(1, "bfloat16")), 256],
    ["division rounds", b.div(f(1), f(3)), Math.fround(1 / 3)],
    ["int8 wraps", b.add(i8(127), i8(1)), -128],
    ["int8 products wrap", b.mul(i8(-128), i8(-1)), -128],
    ["uint8 wraps", b.sub(b.int(0, "uint8"), b.int(1, "uint8")), 255],
    ["int32 wraps", b.add(i(2 ** 31 - 1), i(1)), -(2 ** 31)],
    ["int32 products wrap exactly", b.mul(i(123456789), i(987654321)), Math.imul(123456789, 987654321)],
    ["floorDiv rounds down", b.floorDiv(i(-7), i(2)), -4],
    ["floorMod is not negative", b.floorModulo(i(-7), i(4)), 1],
    ["min and max", b.min(i(3), b.max(i(-5), i(2))), 2],
    ["float to int truncates", b.cast("int32", f(-2.7)), -2],
    ["int to float rounds", b.cast("float32", i(2 ** 24 + 1)), 2 ** 24],
    ["a condition is 1 or 0", b.cast("float32", b.lt(i(1), i(2))), 1],
    ["and, or, not", b.cast("int32", b.or(b.and(b.lt(i(1), i(2)), b.not(b.eq(i(1), i(1)))), b.ge(i(2), i(2)))), 1],
    ["equal conditions are equal", b.cast("int32", b.eq(b.lt(i(1), i(2)), b.gt(i(3), i(2)))), 1],
    ["exp rounds", b.call("exp", f(1)), Math.fround(Math.E)],
    ["abs of int8", b.call("abs", i8(-128)), -128],
    ["select takes one side only", b.select(b.lt(i(1), i(2)), i(7), b.floorDiv(i(1), i(0))), 7],
    ["minus infinity", b.max(f(-Infinity), f(-3)), -3],
  ])("%s", (_, e, value) => {
    expect(valuesOf(e)).toEqual([value, value, value]);
  });
  it("refuses to divide an integer by zero", () => {
    expect(() => valuesOf(b.floorDiv(i(1), i(0)))).toThrow(/interp.division_by_zero/);
  });
});

const thread = (tag: ThreadTag, extent: number, body: (v: Var) => Stmt, name = "t"): Stmt => {
  const v = b.variable(name);
  return b.boundLoop(v, extent, tag, body(v));
};
const loop = (extent: number, body: (v: Var) => Stmt, kind: "serial" | "parallel" = "serial"): Stmt => {
  const v = b.variable("i");
  return b.forLoop(v, extent, body(v), kind);
};

describe("a block of threads", () => {
  const input = buffer("input", [8]);
  const output = buffer("output", [8]);
  const shared = buffer("s", [4], "shared");
  const two = buffer("two", [2], "local");
  const given = () => new Map([["input", range(8)]]);
  /** blockIdx.x over 2, threadIdx.x over 4; the body knows the element of this thread. */
  const kernel = (body: (t: Var, element: Expr, block: Var) => Stmt, params = [input, output]): PrimFunc =>
    func(
      "device",
      params,
      thread("blockIdx.x", 2, (block) => thread("threadIdx.x", 4, (t) => body(t, b.add(b.mul(block, b.int(4)), t), block))),
    );
  const fill = (t: Expr, element: Expr): Stmt => b.store(shared, [t], b.load(input, [element]));
  const reverse = (t: Var, element: Expr): Stmt => b.store(output, [element], b.load(shared, [b.sub(b.int(3), t)]));

  it("sees what others stored before a barrier", () => {
    const run = interpret([kernel((t, e) => b.allocate(shared, b.seq([fill(t, e), b.barrier, reverse(t, e)])))], given());
    expect([...(run.data.get("output") ?? [])]).toEqual([3, 2, 1, 0, 7, 6, 5, 4]);
    expect(run.unwritten("output")).toBeUndefined();
    expect(run.redundantWrites).toBe(0);
  });

  it("keeps each thread's locals across barriers in a loop", () => {
    const body = (t: Var, e: Expr): Stmt =>
      b.allocate(
        two,
        b.allocate(
          shared,
          b.seq([
            b.store(two, [b.int(0)], b.float(0)),
            loop(3, (i) =>
              b.seq([
                b.store(shared, [t], b.add(b.cast("float32", t), b.cast("float32", i))),
                b.barrier,
                b.store(
                  two,
                  [b.int(0)],
                  b.add(b.load(two, [b.int(0)]), b.load(shared, [b.floorModulo(b.add(t, b.int(1)), b.int(4))])),
                ),
                b.barrier,
              ]),
            ),
            b.store(output, [e], b.load(two, [b.int(0)])),
          ]),
        ),
      );
    const run = interpret([kernel(body)], given());
    // Three rounds of (neighbour + i): 3 * neighbour + 3.
    expect([...(run.data.get("output") ?? [])]).toEqual([6, 9, 12, 3, 6, 9, 12, 3]);
  });

  it("counts redundant writes of one value", () => {
    const run = interpret([kernel((_, __, block) => b.store(output, [block], b.float(5)))], given());
    expect(run.redundantWrites).toBe(6);
    expect(run.unwritten("output")).toBe(2);
  });

  const zero = b.int(0);
  const again = b.variable("i");
  const repeated = b.forLoop(again, 2, b.forLoop(again, 2, b.store(output, [again], b.float(0))));
  const cases: [string, RegExp, PrimFunc][] = [
    [
      "a missing barrier",
      /thread 0 reads "s"\[3\], which nothing has written/,
      kernel((t, e) => b.allocate(shared, b.seq([fill(t, e), reverse(t, e)]))),
    ],
    [
      "a missing barrier at the end of a loop",
      /interp.race/,
      kernel((t, e) =>
        b.allocate(
          shared,
          loop(2, (i) =>
            b.seq([b.store(shared, [t], b.add(b.cast("float32", i), b.load(input, [e]))), b.barrier, reverse(t, e)]),
          ),
        ),
      ),
    ],
    [
      "different values for one shared element",
      /gets another value from a thread.*interp.race/,
      kernel((t, e) => b.allocate(shared, b.store(shared, [zero], b.cast("float32", b.add(t, e))))),
    ],
    [
      "different values for one output element",
      /"output"\[0\].*interp.race/,
      kernel((t, _, block) => b.store(output, [block], b.cast("float32", t))),
    ],
    [
      "a missing barrier between a read and the write after it",
      /is changed by a thread.*interp.race/,
      kernel((t, e) =>
        b.allocate(
          shared,
          b.seq([
            fill(t, e),
            b.barrier,
            b.store(output, [e], b.load(shared, [b.min(b.add(t, b.int(1)), b.int(3))])),
            b.store(shared, [t], b.add(b.load(input, [e]), b.float(1))),
          ]),
        ),
      ),
    ],
    [
      "two blocks at one output element",
      /"output"\[0\] gets another value from one block.*interp.block_race/,
      kernel((t, _, block) => b.store(output, [t], b.cast("float32", block))),
    ],
    [
      "a block that reads another's output",
      /"output"\[0\] is read by one block, 1.*interp.block_race/,
      kernel((t, e) => b.seq([b.store(output, [e], b.float(1)), b.store(output, [e], b.load(output, [t]))])),
    ],
    [
      "an uninitialised shared element",
      /reads "s"\[3\], which nothing has written.*interp.uninitialised/,
      kernel((t, e) => b.allocate(shared, b.store(output, [e], b.load(shared, [b.sub(b.int(3), t)])))),
    ],
    [
      "a local of an earlier block",
      /reads "two"\[0\].*interp.uninitialised/,
      kernel((_, e, block) =>
        b.allocate(
          two,
          b.seq([b.ifThen(b.eq(block, zero), b.store(two, [zero], b.float(1))), b.store(output, [e], b.load(two, [zero]))]),
        ),
      ),
    ],
    [
      "an output read before it is written",
      /reads "output"\[0\].*interp.uninitialised/,
      kernel((_, e) => b.store(output, [e], b.add(b.load(output, [e]), b.float(1)))),
    ],
    [
      "an index beyond the end",
      /block \(1\), thread 3 reads "input"\[8\] outside its shape \[8\].*interp.bounds/,
      kernel((_, e) => b.store(output, [e], b.load(input, [b.add(e, b.int(1))]))),
    ],
    [
      "a negative index",
      /reads "input"\[-1\].*interp.bounds/,
      kernel((_, e) => b.store(output, [e], b.load(input, [b.sub(e, b.int(1))]))),
    ],
    [
      "a store outside",
      /writes "s"\[4\] outside its shape \[4\].*interp.bounds/,
      kernel((t) => b.allocate(shared, b.store(shared, [b.add(t, b.int(1))], b.float(0)))),
    ],
    [
      "a barrier under a condition of the thread",
      /thread 2 and thread 0 disagree.*interp.divergence/,
      kernel((t) => b.ifThen(b.lt(t, b.int(2)), b.barrier)),
    ],
    ["a buffer nobody declared", /neither a parameter nor allocated.*interp.dialect/, kernel((t, e) => fill(t, e))],
    [
      "a buffer outside its allocation",
      /uses "s" outside its allocation.*interp.dialect/,
      kernel((t, e) => b.seq([b.allocate(shared, fill(t, e)), reverse(t, e)])),
    ],
    [
      "a variable outside its loop",
      /variable "q" outside its loop.*interp.dialect/,
      kernel((_, e) => b.store(output, [e], b.cast("float32", b.variable("q")))),
    ],
    [
      "a launch axis below the head",
      /bound to threadIdx.y stands below the head.*interp.dialect/,
      kernel((_, e) =>
        b.seq([b.store(output, [e], b.float(0)), thread("threadIdx.y", 2, () => b.store(output, [e], b.float(0)))]),
      ),
    ],
    [
      "launch axes in another order",
      /head of "f" is threadIdx.x, blockIdx.x.*interp.dialect/,
      func(
        "device",
        [output],
        thread("threadIdx.x", 2, (t) => thread("blockIdx.x", 2, () => b.store(output, [t], b.float(0)))),
      ),
    ],
    ["a loop inside itself", /stands inside itself.*interp.dialect/, func("lowered", [output], repeated)],
    ["a barrier before lowering is done", /a barrier in the lowered dialect/, func("lowered", [output], b.barrier)],
    [
      "an iteration of a parallel loop that reads another's",
      /iteration of a parallel loop, 1.*interp.block_race/,
      func(
        "lowered",
        [input, output],
        b.seq([
          b.store(output, [zero], b.float(0)),
          loop(8, (i) => b.store(output, [i], b.add(b.float(1), b.load(output, [b.max(zero, b.sub(i, b.int(1)))]))), "parallel"),
        ]),
      ),
    ],
    [
      "iterations of parallel loops directly in one another",
      /interp.block_race/,
      func(
        "lowered",
        [output],
        loop(2, (i) => loop(3, (j) => b.store(output, [i], b.cast("float32", j)), "parallel"), "parallel"),
      ),
    ],
    [
      "iterations of a parallel loop that share a scratch buffer",
      /"s"\[0\].*interp.block_race/,
      func(
        "lowered",
        [input, output],
        b.allocate(
          shared,
          loop(
            8,
            (i) => b.seq([b.store(shared, [zero], b.load(input, [i])), b.store(output, [i], b.load(shared, [zero]))]),
            "parallel",
          ),
        ),
      ),
    ],
  ];
  it.each(cases)("refuses %s", (_, message, f) => {
    expect(() => interpret([f], given())).toThrow(message);
    const [rule] = ruleOf(() => interpret([f], given()));
    // Which IR breaks its dialect is the business of the generated interpreter.
    if (rule !== "interp.dialect") expect(ruleOf(() => interpretDirectly([f], given()))).toEqual([rule]);
  });

  it("accepts a barrier under a condition all threads agree on", () => {
    const f = kernel((t, e, block) =>
      b.allocate(shared, b.seq([fill(t, e), b.ifThen(b.lt(block, b.int(2)), b.barrier), reverse(t, e)])),
    );
    expect(interpret([f], given()).data.get("output")?.[0]).toBe(3);
  });

  it("accepts threads that read what they themselves wrote again", () => {
    const f = kernel((_, e) =>
      b.allocate(shared, b.seq([b.store(shared, [zero], b.float(2)), b.store(output, [e], b.load(shared, [zero]))])),
    );
    const run = interpret([f], given());
    expect([...(run.data.get("output") ?? [])]).toEqual(Array(8).fill(2));
    expect(run.redundantWrites).toBe(6);
  });

  it("passes workspaces from kernel to kernel, and knows what is in them", () => {
    const work = buffer("work", [8]);
    const first = kernel((_, e) => b.store(work, [e], b.mul(b.load(input, [e]), b.float(2))), [input, work]);
    const second = kernel((_, e) => b.store(output, [e], b.load(work, [b.sub(b.int(7), e)])), [work, output]);
    expect([...(interpret([first, second], given()).data.get("output") ?? [])]).toEqual([14, 12, 10, 8, 6, 4, 2, 0]);
    expect(() => interpret([second, first], given())).toThrow(/reads "work"\[7\], which nothing/);
  });

  it("runs a lowered function nest by nest, each with its own launch", () => {
    const work = buffer("work", [8]);
    const nest = (extent: number, body: (t: Var) => Stmt) => b.attr("stage", "n", thread("threadIdx.x", extent, body));
    const first = nest(8, (t) => b.store(work, [t], b.mul(b.load(input, [t]), b.float(2))));
    const second = nest(4, (t) =>
      b.allocate(
        shared,
        b.seq([b.store(shared, [t], b.load(work, [t])), b.barrier, b.store(output, [t], b.load(shared, [b.sub(b.int(3), t)]))]),
      ),
    );
    const run = interpret([func("lowered", [input, work, output], b.seq([first, second]))], given());
    expect([...(run.data.get("output") ?? [])].slice(0, 4)).toEqual([6, 4, 2, 0]);
  });

  it("checks the launch against the head, and the arguments against the parameters", () => {
    const f = kernel((_, e) => b.store(output, [e], b.load(input, [e]))) as PrimFunc<"device">;
    expect(interpretKernels([{ func: f, grid: [2, 1, 1], block: [4, 1, 1] }], given()).data.get("output")).toEqual(range(8));
    expect(() => interpretKernels([{ func: f, grid: [2, 1, 1], block: [8, 1, 1] }], given())).toThrow(
      /launched as .*interp.launch/,
    );
    expect(() => interpret([f], new Map([["input", range(7)]]))).toThrow(/"input" has 7 elements; the function takes 8/);
    expect(() => interpret([f], new Map([["input", new Int32Array(8)]]))).toThrow(/"input" is a Int32Array/);
  });
});

describe("loops in place, vectors, strides", () => {
  const input = buffer("input", [2, 8]);
  const output = buffer("output", [2, 8]);
  const given = () => new Map([["input", range(16)]]);

  it("runs bound loops of the scheduled dialect one after another, allocations fresh", () => {
    const tile = buffer("tile", [4], "shared");
    const body = thread("blockIdx.x", 2, (block) =>
      thread("threadIdx.x", 2, (t) =>
        b.allocate(
          tile,
          b.seq([
            thread("threadIdx.x", 4, (c) => b.store(tile, [c], b.load(input, [block, b.add(b.mul(t, b.int(4)), c)]))),
            loop(4, (i) => b.store(output, [block, b.add(b.mul(t, b.int(4)), i)], b.load(tile, [b.sub(b.int(3), i)]))),
          ]),
        ),
      ),
    );
    const run = interpret([func("scheduled", [input, output], body)], given());
    expect([...(run.data.get("output") ?? [])]).toEqual([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
  });

  it("loads all lanes of a vector before it stores one", () => {
    const a = buffer("a", [8]);
    const f = func(
      "lowered",
      [a],
      b.store(a, [b.ramp(b.int(1), 1, 4)], b.add(b.load(a, [b.ramp(b.int(0), 2, 4)]), b.broadcast(b.float(10), 4))),
    );
    expect([...(interpret([f], new Map([["a", range(8)]])).data.get("a") ?? [])]).toEqual([0, 10, 12, 14, 16, 5, 6, 7]);
  });

  it("refuses a GPU's vector access that is not aligned to its size, on the chosen side only", () => {
    const [a, c] = [buffer("a", [12]), buffer("c", [8])];
    const copy = (offset: number, cond: (t: Expr) => Expr): PrimFunc => {
      const at = (t: Expr, by: number) => b.ramp(b.add(b.mul(t, b.int(4)), b.int(by)), 1, 4);
      const store = (t: Expr) =>
        b.store(c, [at(t, 0)], b.select(cond(t), b.load(a, [at(t, offset)]), b.broadcast(b.float(0), 4)));
      return func("device", [a, c], thread("threadIdx.x", 2, store));
    };
    const run = (f: PrimFunc) => interpret([f], new Map([["a", range(12)]])).data.get("c");
    expect([...(run(copy(4, (t) => b.ge(t, b.int(0)))) ?? [])]).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(() => run(copy(2, (t) => b.ge(t, b.int(1))))).toThrow(/thread 1: 4 lanes at "a"\[6\].*interp.alignment/);
    expect([...(run(copy(2, (t) => b.ge(t, b.int(5)))) ?? [])]).toEqual(Array(8).fill(0));
  });

  it("walks padded rows by their strides and checks each dimension", () => {
    const tile: Buffer = { ...buffer("tile", [2, 8], "local"), strides: [9, 1] };
    const copy = (column: (j: Var) => Expr): PrimFunc =>
      func(
        "lowered",
        [input, output],
        b.allocate(
          tile,
          loop(2, (i) =>
            loop(8, (j) =>
              b.seq([b.store(tile, [i, column(j)], b.load(input, [i, j])), b.store(output, [i, j], b.load(tile, [i, j]))]),
            ),
          ),
        ),
      );
    expect(interpret([copy((j) => j)], given()).data.get("output")).toEqual(range(16));
    expect(() => interpret([copy((j) => b.add(j, b.int(1)))], given())).toThrow(/interp.uninitialised/);
    expect(() => interpret([func("lowered", [output], b.store(output, [b.int(0), b.int(8)], b.float(0)))], new Map())).toThrow(
      /"output"\[0, 8\] outside its shape \[2, 8\]/,
    );
  });
});
