/** Products of narrow operands on a CPU: each operand is converted once, and the result is that of loops written by hand. */
import { type DType, Random } from "@warpfarm/common";
import {
  at,
  type Buffer,
  cast,
  compute,
  conv2dNhwc,
  type Graph,
  graphOf,
  matmul,
  mul,
  placeholder,
  reduceAxis,
  sum,
} from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "../check.testing.ts";
import { derive } from "../derive.ts";

const target = "cpu/x86-64-v3";
const [M, N, K] = [7, 19, 11];

const product = (dtype: DType, sums: DType): Graph => {
  const [a, b] = [placeholder("A", [M, K], dtype), placeholder("B", [N, K], dtype)];
  return graphOf([a, b], [matmul(a, b, { layout: "TN", name: "C", outDtype: sums })]);
};

/** Every tensor of another stage's result by name, with its type. */
const stagesOf = (graph: Graph) => graph.ops.map(({ output }) => `${output.name} ${output.dtype}`);
const derivedStages = (graph: Graph) => stagesOf(derive(graph, target).graph);

function check(graph: Graph, want: (data: ReadonlyMap<string, ArrayLike<number>>) => readonly number[]): void {
  const derived = derive(graph, target);
  const data = dataOf(graph, new Random(9));
  const expected = want(data as never);
  const random = new Random(4);
  for (const index of [derived.start, ...[1, 2, 3].map(() => derived.space.random(random))]) {
    const run = outputsOf(derived, index, target, data);
    expect(run && faultIn(graph, run, () => expected)).toBeUndefined();
  }
}

describe("operands in the type of the sums", () => {
  it.each([
    ["int8", "int32"],
    ["float16", "float32"],
    ["bfloat16", "float32"],
  ] as const)("%s", (dtype, sums) => {
    const graph = product(dtype, sums);
    expect(derivedStages(graph)).toEqual([`A_wide ${sums}`, `B_wide ${sums}`, `C ${sums}`]);
    check(graph, (data) => {
      const [a, b] = [data.get("A"), data.get("B")] as [ArrayLike<number>, ArrayLike<number>];
      return Array.from({ length: M * N }, (_, place) => {
        let total = 0;
        for (let k = 0; k < K; k++) total += (a[Math.floor(place / N) * K + k] as number) * (b[(place % N) * K + k] as number);
        return total;
      });
    });
  });

  it("padded data is converted with its border, and the border has no stage of its own", () => {
    const [H, C, F] = [5, 3, 9];
    const [data, kernel] = [placeholder("D", [1, H, H, C], "float16"), placeholder("W", [3, 3, C, F], "float16")];
    const graph = graphOf([data, kernel], [conv2dNhwc(data, kernel, { padding: 1, name: "conv", outDtype: "float32" })]);
    const { explained } = derive(graph, target);
    expect(explained.find(({ stage }) => stage === "pad_temp")?.rule).toBe("inline");
    check(graph, (of) => {
      const [d, w] = [of.get("D"), of.get("W")] as [ArrayLike<number>, ArrayLike<number>];
      const pixel = (y: number, x: number, c: number) =>
        y < 0 || x < 0 || y >= H || x >= H ? 0 : (d[(y * H + x) * C + c] as number);
      return Array.from({ length: H * H * F }, (_, place) => {
        const [y, x, f] = [Math.floor(place / (H * F)), Math.floor(place / F) % H, place % F];
        let total = 0;
        for (let i = 0; i < 3; i++)
          for (let j = 0; j < 3; j++)
            for (let c = 0; c < C; c++) total += pixel(y + i - 1, x + j - 1, c) * (w[((i * 3 + j) * C + c) * F + f] as number);
        return total;
      });
    });
  });

  it("a tensor that is both operands is converted once", () => {
    const a = placeholder("A", [M, K], "float16");
    expect(derivedStages(graphOf([a], [matmul(a, a, { layout: "TN", name: "C", outDtype: "float32" })]))).toEqual([
      "A_wide float32",
      "C float32",
    ]);
  });

  it("is not for operands of that type, nor for sums that read each element once", () => {
    expect(derivedStages(product("float32", "float32"))).toEqual(["C float32"]);
    const x: Buffer = placeholder("x", [M, K], "float16");
    const k = reduceAxis("k", K);
    const wide = (i: Parameters<typeof at>[1]) => cast("float32", at(x, i, k.loopVar));
    const squares = compute("s", [["i", M]], (i) => sum(mul(wide(i), wide(i)), [k]));
    expect(derivedStages(graphOf([x], [squares]))).toEqual(["s float32"]);
  });
});
