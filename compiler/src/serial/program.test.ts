import { jsonDepth } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float, int } from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { compute, placeholder } from "../te/compute.ts";
import * as te from "../te/expr.ts";
import { fills } from "../te/fill.ts";
import { graphOf } from "../te/graph-of.ts";
import { convGraph, cudaSource, documents, refusal, target, trace } from "./program.testing.ts";
import { decodeProgram, encodeDocument, encodeProgram } from "./program.ts";

describe("a program and its bytes", () => {
  it.each(Object.entries(documents))("%s: decodes and encodes to the same bytes", (_, bytes) => {
    expect(refusal(bytes)).toBeUndefined();
  });

  it("has the form that docs/contracts.md shows", () => {
    const text = new TextDecoder().decode(documents.conv);
    const pixel = `["load","pad_temp",["n","rc",["add","y","ry"],["add","x","rx"]]]`;
    expect(text).toContain(`"body":["sum",["mul",${pixel},["load","kernel",["f","rc","ry","rx"]]]]`);
    expect(text).toContain(
      `"intrinsics":[],"kind":"schedule","target":"cpu/x86-64-v3","trace":[{"args":{"factors":[null,8]},"in":["l3"],"op":"split","out":["l9","l10"]}`,
    );
    expect(new TextDecoder().decode(documents.rich)).toContain(`["float","float32","-inf"]`);
  });

  it("keeps the order of ops and the trace", () => {
    const result = decodeProgram(documents.conv as Uint8Array);
    expect(result.ok && result.value.kind === "schedule" && result.value.graph.ops.map((op) => op.output.name)).toEqual([
      "pad_temp",
      "conv",
    ]);
    expect(result.ok && result.value.kind === "schedule" && result.value.trace).toEqual(trace);
  });
});

it("cooperative launches are said by true or not at all", () => {
  const source = new TextDecoder().decode(encodeDocument(cudaSource).bytes);
  const launched = (cooperative: string) =>
    refusal(new TextEncoder().encode(source.replace(/"cluster":\[[\d,]+\],/, `$&${cooperative}`)));
  expect(launched("")).toBeUndefined();
  expect(launched('"cooperative":true,')).toBeUndefined();
  expect(launched('"cooperative":false,')).toBe("kernels[0].cooperative: false; it is true, or left out");
});

it("a computation that reads outside a tensor is refused, whoever wrote it", () => {
  const [table, rows] = [placeholder("table", [4]), placeholder("rows", [8], "int32", fills.below(4))];
  const graph = graphOf([table, rows], [compute("b", [["i", 8]], (i) => te.at(table, te.at(rows, i)))]);
  const text = new TextDecoder().decode(encodeProgram(graph, [], target).bytes);
  expect(refusal(new TextEncoder().encode(text))).toBeUndefined();
  const wider = text.replace('"to":"3"', '"to":"4"');
  expect(wider).not.toBe(text);
  expect(refusal(new TextEncoder().encode(wider))).toMatch(/^graph\.ops\[0\]: compute "b" may read "table" at rows\[i\]/);
});

/** Random well-typed bodies over axes i, j and the tensor a, made by the same constructors a user has. */
interface Env {
  readonly i: Var;
  readonly j: Var;
  readonly a: Parameters<typeof te.at>[0];
}
type Make = (env: Env) => Expr;
const both =
  (f: (x: Expr, y: Expr) => Expr) =>
  (pair: readonly [Make, Make]): Make =>
  (env) =>
    f(pair[0](env), pair[1](env));
const { body } = fc.letrec<{ index: Make; cond: Make; body: Make }>((tie) => ({
  index: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Make>(
      (env) => env.i,
      (env) => env.j,
    ),
    fc.integer({ min: -1000, max: 1000 }).map(
      (v): Make =>
        () =>
          int(v),
    ),
    ...[te.add, te.sub, te.mul, te.minimum, te.maximum].map((f) => fc.tuple(tie("index"), tie("index")).map(both(f))),
    fc.tuple(tie("index"), fc.integer({ min: 1, max: 9 })).map(
      ([x, c]): Make =>
        (env) =>
          te.floorMod(te.floorDiv(x(env), c), c),
    ),
  ),
  cond: fc.oneof(
    { maxDepth: 3 },
    ...[te.less, te.lessEqual, te.equal, te.notEqual, te.greater].map((f) => fc.tuple(tie("index"), tie("index")).map(both(f))),
    ...[te.all, te.any].map((f) => fc.tuple(tie("cond"), tie("cond")).map(both(f))),
    tie("cond").map(
      (c): Make =>
        (env) =>
          te.not(c(env)),
    ),
  ),
  body: fc.oneof(
    { maxDepth: 4 },
    fc.double().map(
      (v): Make =>
        () =>
          float(v),
    ),
    fc.tuple(tie("index"), tie("index")).map(
      ([x, y]): Make =>
        (env) =>
          // An index that always strays is no body.
          te.at(env.a, te.floorMod(x(env), 5), te.floorMod(y(env), 7)),
    ),
    ...[te.add, te.sub, te.mul, te.div, te.maximum].map((f) => fc.tuple(tie("body"), tie("body")).map(both(f))),
    fc.tuple(tie("cond"), tie("body"), tie("body")).map(
      ([c, x, y]): Make =>
        (env) =>
          te.select(c(env), x(env), y(env)),
    ),
    tie("body").map(
      (x): Make =>
        (env) =>
          te.cast("float32", te.cast("float16", te.exp(x(env)))),
    ),
    tie("index").map(
      (x): Make =>
        (env) =>
          te.cast("float32", te.cast("int8", x(env))),
    ),
  ),
}));

it("property: any body goes there and back byte for byte", () => {
  fc.assert(
    fc.property(body, (make) => {
      const a = placeholder("a", [5, 7]);
      const c = compute(
        "c",
        [
          ["i", 4],
          ["j", 6],
        ],
        (i, j) => te.add(te.at(a, i, j), make({ i, j, a })),
      );
      expect(refusal(encodeProgram(graphOf([a], [c]), trace, target).bytes)).toBeUndefined();
    }),
    { numRuns: 500, seed: 42 },
  );
});

describe("encoding refuses what no document can be", () => {
  it("a target that is none", () => expect(() => encodeProgram(convGraph(), [], "gpu")).toThrow(/"gpu" is not a target/));
  it("a body that nests too deep", () => {
    const a = placeholder("a", [4]);
    const c = compute("c", [["i", 4]], (i) => Array.from({ length: 70 }).reduce<Expr>((e) => te.add(e, 1), te.at(a, i)));
    expect(() => encodeProgram(graphOf([a], [c]), [], target)).toThrow(/nests \d+ deep; at most 64/);
    expect(jsonDepth([[1]])).toBe(2);
  });
  it("a trace of more than a mebibyte", () => {
    const long = { op: "pragma", in: [], args: { value: "x".repeat(2 ** 20) }, out: [] };
    expect(() => encodeProgram(convGraph(), [long], target)).toThrow(/at most 1048576/);
  });
});
