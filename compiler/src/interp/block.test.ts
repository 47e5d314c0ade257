import { describe, expect, it } from "vitest";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { Stmt } from "../ir/stmt.ts";
import { buffer, func } from "../lower/ir.testing.ts";
import { interpretDirectly } from "./direct/index.ts";
import { loop, range, ruleOf, thread } from "./interpret.testing.ts";
import { interpret, interpretKernels } from "./interpret.ts";

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

  it("accepts threads that write one value", () => {
    const run = interpret([kernel((_, __, block) => b.store(output, [block], b.float(5)))], given());
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
    ...(["inner", "outer"] as const).map((which): (typeof cases)[number] => [
      `iterations of the ${which} of parallel loops directly in one another`,
      /interp.block_race/,
      func(
        "lowered",
        [output],
        loop(
          2,
          (i) =>
            loop(
              3,
              (j) => b.store(output, [which === "inner" ? i : j], b.cast("float32", which === "inner" ? j : i)),
              "parallel",
            ),
          "parallel",
        ),
      ),
    ]),
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
  const races: [string, PrimFunc][] = [
    [
      "a missing barrier at the end of a loop",
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
      kernel((t, e) => b.allocate(shared, b.store(shared, [zero], b.cast("float32", b.add(t, e))))),
    ],
    ["different values for one output element", kernel((t, _, block) => b.store(output, [block], b.cast("float32", t)))],
    [
      "a missing barrier between a read and the write after it",
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
  ];
  it.each(races)("the direct interpreter refuses %s", (_, f) => {
    expect(ruleOf(() => interpretDirectly([f], given()))).toEqual(["interp.race"]);
  });

  it.each(cases)("refuses %s", (_, message, f) => {
    expect(() => interpret([f], given())).toThrow(message);
    const [rule] = ruleOf(() => interpret([f], given()));
    // The generated interpreter alone decides which IR breaks its dialect.
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
    const nest = (extent: number, body: (t: Var) => Stmt) => b.stage("n", thread("threadIdx.x", extent, body));
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
