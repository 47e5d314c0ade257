import { describe, expect, it } from "vitest";
import { float, int, load, variable } from "../ir/build.ts";
import type { Expr } from "../ir/expr.ts";
import { compute, computeOpOf, maxOf, placeholder, reduceAxis, scan, sum } from "./compute.ts";
import { add, at, cast, div, exp, floorDiv, less, maximum, mul, select } from "./expr.ts";
import { fills } from "./fill.ts";
import { arithmetic, flops } from "./flops.ts";
import { graphOf } from "./graph-of.ts";
import { conv2dNchw } from "./ops/conv2d.ts";
import { addTensors, relu } from "./ops/elementwise.ts";
import { matmul } from "./ops/matmul.ts";
import { pad } from "./ops/pad.ts";
import { globalAveragePool } from "./ops/pool.ts";
import { gather } from "./ops/shapes.ts";

const tutorial = () => {
  const data = placeholder("data", [1, 512, 7, 7]);
  const kernel = placeholder("kernel", [512, 512, 3, 3]);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { stride: 1, padding: 1 })]);
};

describe("compute and graphOf", () => {
  it("orders producers before consumers and keeps argument order", () => {
    const a = placeholder("a", [4]);
    const b = compute("b", [["i", 4]], (i) => mul(at(a, i), 2));
    const c = compute("c", [["i", 4]], (i) => add(at(a, i), 1));
    const d = compute("d", [["i", 4]], (i) => add(at(c, i), at(b, i)));
    const graph = graphOf([a], [d, b]);
    expect(graph.ops.map((op) => op.output.name)).toEqual(["c", "b", "d"]);
    expect(graph.outputs).toEqual([d, b]);
    expect(computeOpOf(d)).toBe(graph.ops[2]);
    expect(computeOpOf(a)).toBeUndefined();
  });

  it("writes the padding test in TVM's order, and none for a dimension without padding", () => {
    const [padTemp, conv] = tutorial().ops;
    expect(padTemp?.output.shape).toEqual([1, 512, 9, 9]);
    const cond = padTemp?.body.kind === "Select" ? padTemp.body.cond : undefined;
    const show = (e: typeof cond): string =>
      e === undefined
        ? ""
        : "a" in e
          ? `(${show(e.a)} ${e.kind} ${show(e.b)})`
          : e.kind === "Var"
            ? e.name
            : e.kind === "IntImm"
              ? `${e.value}`
              : e.kind;
    expect(show(cond)).toBe("((((y GE 1) And (y LT 8)) And (x GE 1)) And (x LT 8))");
    expect(conv?.reduce.map((r) => [r.loopVar.name, r.extent])).toEqual([
      ["rc", 512],
      ["ry", 3],
      ["rx", 3],
    ]);
    const plain = pad(placeholder("data", [2, 3]), { before: [0, 0] });
    expect(computeOpOf(plain)?.body.kind).toBe("Load");
  });

  const a = placeholder("a", [4, 5]);
  const half = placeholder("half", [4], "float16");
  const stray = variable("q");
  const k = reduceAxis("k", 5);
  const i8 = placeholder("i8", [4], "int64");
  const i32 = placeholder("i32", [4], "int32");
  const table = placeholder("table", [4, 256], "int32", fills.below(5));
  const ij = [
    ["i", 4],
    ["j", 5],
  ] as const;
  const totals = (along: string) =>
    scan(
      "s",
      ij,
      along,
      () => float(0),
      (before, i, j) => add(before, at(a, i, j)),
    );
  const deep = (levels: number): Expr => Array.from({ length: levels }).reduce<Expr>((e) => exp(e), at(half, 0));
  it.each<[string, () => unknown, RegExp]>([
    ["an index behind the end", () => compute("c", [["i", 4]], () => at(half, 4)), /reads "half" at 4 in dimension 0; .* 0 to 3/],
    ["an index before the beginning", () => compute("c", [["i", 4]], () => at(half, -1)), /reads "half" at -1 in dimension 0/],
    [
      "an index that always strays",
      () => compute("c", [["i", 4]], (i) => at(a, i, add(mul(i, -2), -1))),
      /reads "a" at i \* -2 \+ -1 in dimension 1, which is -7 to -1;/,
    ],
    ["a number wider than int32", () => compute("c", [["i", 4]], (i) => add(at(i32, i), 2 ** 40)), /int32 number 1099511627776/],
    ["a body too deep", () => compute("c", [["i", 4]], () => deep(20_000)), /"c" nests more than 500 deep/],
    ["a bad tensor name", () => placeholder("2x", [1]), /tensor "2x" is not a name/],
    ["a name of 65 letters", () => placeholder("x".repeat(65), [1]), /not a name/],
    ["a bad axis name", () => compute("c", [["i j", 4]], () => float(0)), /axis "i j" is not a name/],
    ["no type", () => placeholder("x", [3], "fp16" as never), /tensor "x" is of "fp16", which is no type; types are float16, /],
    ["a cast to no type", () => cast("half" as never, float(0)), /cast is of "half", which is no type/],
    [
      "an option that is misspelt",
      () => relu(a, { nme: "x" } as never),
      /relu has no option "nme" \(did you mean name\?\); it takes name/,
    ],
    [
      "one of an operator of two tensors",
      () => addTensors(a, a, { nme: "x" } as never),
      /addTensors has no option "nme" \(did you mean name\?\)/,
    ],
    ["one of a sum", () => sum(float(1), [reduceAxis("k", 4)], { decy: float(1) } as never), /sum has no option "decy"/],
    [
      "one of a pool",
      () => globalAveragePool(placeholder("x", [1, 2, 3]), { nam: "p" } as never),
      /globalAveragePool has no option "nam"/,
    ],
    [
      "a tolerance's",
      () => graphOf([a], [relu(a)], { tolerance: { relu: { rtl: 1 } } } as never),
      /tolerance of "relu" has no option "rtl"/,
    ],
    [
      "an option without its name",
      () => gather(a, i32, 1 as never),
      /gather takes its options by name, as \{ name: \.\.\. \}, and was given 1/,
    ],
    ["an extent of 0", () => placeholder("x", [3, 0]), /dimension 1 of tensor "x" has extent 0/],
    ["a fractional extent", () => reduceAxis("k", 1.5), /axis "k" has extent 1.5/],
    ["no dimensions", () => placeholder("x", []), /no dimensions/],
    ["too many elements", () => placeholder("x", [65536, 65536]), /4294967296 elements/],
    ["an unknown variable", () => compute("c", [["i", 4]], () => at(a, stray, 0)), /variable "q", which is none of its axes i/],
    ["two axes of one name", () => compute("c", [["k", 4]], (i) => sum(at(a, i, k.loopVar), [k])), /two axes named "k"/],
    ["a reduction over nothing", () => compute("c", [["i", 4]], (i) => sum(at(a, i, 0), [])), /no axis/],
    ["a maximum without a start value", () => compute("c", [["i", 4]], (i) => maxOf(at(i8, i), [k])), /no start value/],
    [
      "a decay of a maximum",
      () => compute("c", [["i", 4]], (i) => ({ ...maxOf(at(a, i, k.loopVar), [k]), decay: float(1) })),
      /"c" has a decay and reduces by max; sums have a decay/,
    ],
    [
      "a decay of another type",
      () => compute("c", [["i", 4]], (i) => sum(at(a, i, k.loopVar), [k], { decay: at(half, i) })),
      /sums float32 and has a decay of float16/,
    ],
    [
      "a decay that differs within a step",
      () => {
        const b = reduceAxis("b", 5);
        return compute("c", [["i", 4]], (i) => sum(at(a, i, b.loopVar), [b, k], { decay: at(a, i, k.loopVar) }));
      },
      /uses the variable "k", which is none of its axes i, b/,
    ],
    [
      "a decay that reads outside",
      () => compute("c", [["i", 4]], (i) => sum(at(a, i, k.loopVar), [k], { decay: at(a, add(i, 1), 0) })),
      /reads "a" at i \+ 1 in dimension 0/,
    ],
    ["a scan along no axis of its own", () => totals("z"), /scan "s" goes along "z", which is none of its axes i, j/],
    [
      "a scan of nothing before",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => float(0),
          (_, i, j) => at(a, i, j),
        ),
      /uses nothing of the element before/,
    ],
    [
      "a scan of two types",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => float(0, "float64"),
          (before) => cast("float32", before),
        ),
      /scan "s" starts with float64 and gives float32/,
    ],
    [
      "a scan that starts with a number",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => 0 as never,
          (before) => before,
        ),
      /the start of scan "s" gives 0; it gives an expression/,
    ],
    [
      "a scan whose step is a reduction",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => float(0),
          (before) => sum(before, [k]) as never,
        ),
      /the step of scan "s" gives a reduction; give it a compute of its own/,
    ],
    [
      "a scan's own values as indices, which are no input's",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => int(0),
          (before) => add(before, at(table, 0, add(before, 128))),
        ),
      /may read "table" at .* in dimension 1, whose values are unbounded/,
    ],
    [
      "a scan's own values as indices",
      () =>
        scan(
          "s",
          ij,
          "j",
          () => int(0),
          (before, i) => add(before, at(table, i, before)),
        ),
      /may read "table" at .* in dimension 1/,
    ],
    ["the wrong number of indices", () => at(a, 1), /"a" has 2 dimensions, but is indexed by 1/],
    ["mixed dtypes", () => add(at(a, 0, 0), at(half, 0)), /add of float32 and float16/],
    ["a float index", () => compute("c", [["i", 4]], () => load(half, [float(1)])), /not int32/],
    ["integer div", () => div(stray, 2), /div is for floats/],
    ["floorDiv by zero", () => floorDiv(stray, 0), /by 0/],
    ["exp of an int", () => exp(stray), /exp of int32/],
    ["a select on a number", () => select(stray, 1, 0), /takes conditions/],
    ["a fraction beside an int", () => add(stray, 0.5), /0.5 is not a whole number/],
    [
      "an undeclared input",
      () => graphOf([], [compute("c", [["i", 4]], (i) => at(a, i, 0))]),
      /"c" reads "a", which is neither computed nor/,
    ],
    ["an input as output", () => graphOf([a], [a]), /output "a" is not computed/],
    ["no output", () => graphOf([a], []), /at least one output/],
    [
      "an input twice",
      () => graphOf([a, a], [compute("c", [["i", 4]], (i) => at(a, i, 0))]),
      /"a" is listed twice among the inputs/,
    ],
    ["one name twice", () => graphOf([a], [compute("a", [["i", 4]], (i) => at(a, i, 0))]), /two tensors are named "a"/],
    [
      "wrong channels",
      () => conv2dNchw(placeholder("d", [1, 3, 4, 4]), placeholder("k", [2, 4, 3, 3]), { stride: 1, padding: 0 }),
      /3 channels, kernel 4/,
    ],
    [
      "a kernel too large",
      () => conv2dNchw(placeholder("d", [1, 3, 2, 4]), placeholder("k", [2, 3, 3, 3]), { stride: 1, padding: 0 }),
      /reaches over 3 elements of dimension 2, and with its border it has 2/,
    ],
    ["mismatched matmul", () => matmul(placeholder("x", [2, 3]), placeholder("y", [2, 3])), /sums over 3 of "x" and 2 of "y"/],
    [
      "an axis for its variable",
      () => add(1, reduceAxis("r", 3) as never),
      /add takes numbers and expressions, not an axis.*\.loopVar/,
    ],
    ["an axis for an index", () => at(a, reduceAxis("r", 3) as never, 0), /an index of "a" takes .* not an axis/],
    ["nothing for a number", () => mul(2, undefined as never), /mul takes numbers and expressions, not undefined/],
    ["negative padding", () => pad(a, { before: [0, -1] }), /takes 2 whole numbers from 0/],
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(message);
  });
});

describe("flops counts as AutoTVM does", () => {
  it("the tutorial's convolution with its padding stage", () => expect(flops(tutorial())).toBe(231_501_312));
  it("a roofline's arithmetic is without the padding's tests", () => expect(arithmetic(tutorial())).toBe(2 * 512 * 512 * 9 * 49));
  it("the default matmul, casts free", () => {
    const a = placeholder("A", [512, 32], "float16");
    const b = placeholder("B", [32, 512], "float16");
    expect(flops(graphOf([a, b], [matmul(a, b, { outDtype: "float32" })]))).toBe(16_777_216);
  });
  it("a scan by its step, and a decay once a step", () => {
    const a = placeholder("a", [10, 6]);
    const axes = [
      ["i", 10],
      ["j", 6],
    ] as const;
    const step = (before: Expr, i: Expr, j: Expr) => mul(add(before, at(a, i, j)), 2);
    const s = scan("s", axes, "j", () => float(0), step);
    // The test for the first element counts, as those of padding do.
    expect(arithmetic(graphOf([a], [s]))).toBe(10 * 6 * 2);
    const [b, k] = [reduceAxis("b", 2), reduceAxis("k", 3)];
    const body = (i: Expr) =>
      sum(at(a, i, add(mul(b.loopVar, 3), k.loopVar)), [b, k], { decay: exp(mul(at(a, i, b.loopVar), 2)) });
    expect(flops(graphOf([a], [compute("c", [["i", 10]], body)]))).toBe(10 * (6 + 2 * 2));
  });
  it("select by its condition and dearer branch, calls by their arguments, diamonds once per reader", () => {
    const a = placeholder("a", [10]);
    const s = compute("s", [["i", 10]], (i) => select(less(i, 5), add(at(a, i), 1), exp(mul(add(at(a, i), 1), 2))));
    expect(flops(graphOf([a], [s]))).toBe(10 * (1 + 2));
    const l = compute("l", [["i", 10]], (i) => maximum(at(s, i), 0));
    const r = compute("r", [["i", 10]], (i) => cast("float32", at(s, i)));
    const d = compute("d", [["i", 10]], (i) => add(at(l, i), at(r, i)));
    expect(flops(graphOf([a], [d]))).toBe(10 + 10 + 0 + 2 * 30);
  });
});
