/** Networks of halves by loops by hand, in (N, C, ...); their numbers are small whole ones, which halves hold exactly. */
import { expect } from "vitest";
import { runCli } from "../cli/context.testing.ts";
import { executed, f16, info, readFiles, written } from "./model.testing.ts";

export interface Tensor {
  readonly shape: readonly number[];
  readonly at: (...index: readonly number[]) => number;
}
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
/** -2 to 2 */
export const small = (count: number, salt = 1): number[] =>
  Array.from({ length: count }, (_, i) => ((i * 7 + salt * 3 + (i >> 3)) % 5) - 2);
export const elements = ({ shape, at }: Tensor): number[] =>
  Array.from({ length: sizeOf(shape) }, (_, k) => {
    let rest = k;
    const index = [...shape].reverse().map((extent) => {
      const i = rest % extent;
      rest = Math.floor(rest / extent);
      return i;
    });
    return at(...index.reverse());
  });
/** Computed once. */
export function tensor(shape: readonly number[], f: (...index: readonly number[]) => number): Tensor {
  const data = elements({ shape, at: f });
  return { shape, at: (...index) => data[index.reduce((place, i, d) => place * (shape[d] as number) + i, 0)] as number };
}
export const given = (shape: readonly number[], salt: number): Tensor => {
  const data = small(sizeOf(shape), salt);
  return { shape, at: (...index) => data[index.reduce((place, i, d) => place * (shape[d] as number) + i, 0)] as number };
};

export interface Windows {
  /** Before in both dimensions, then after. */
  readonly pads?: readonly [number, number, number, number];
  readonly strides?: readonly [number, number];
  readonly dilations?: readonly [number, number];
  readonly group?: number;
}
const placesOf = (
  x: Tensor,
  [kh, kw]: readonly [number, number],
  { pads = [0, 0, 0, 0], strides = [1, 1], dilations = [1, 1] }: Windows,
) => {
  const [, , h = 0, w = 0] = x.shape;
  return [
    Math.floor((h + pads[0] + pads[2] - dilations[0] * (kh - 1) - 1) / strides[0]) + 1,
    Math.floor((w + pads[1] + pads[3] - dilations[1] * (kw - 1) - 1) / strides[1]) + 1,
  ] as const;
};
/** What a window at (y, x) sees; undefined in the border. */
const seen = (x: Tensor, n: number, c: number, i: number, j: number): number | undefined =>
  i < 0 || j < 0 || i >= (x.shape[2] as number) || j >= (x.shape[3] as number) ? undefined : x.at(n, c, i, j);
export function conv(x: Tensor, w: Tensor, bias: readonly number[], windows: Windows = {}): Tensor {
  const { pads = [0, 0], strides = [1, 1], dilations = [1, 1], group = 1 } = windows;
  const [o = 0, each = 0, kh = 0, kw = 0] = w.shape;
  return tensor([x.shape[0] as number, o, ...placesOf(x, [kh, kw], windows)], (n = 0, f = 0, y = 0, z = 0) => {
    let sum = bias[f] ?? 0;
    for (let c = 0; c < each; c++)
      for (let p = 0; p < kh; p++)
        for (let q = 0; q < kw; q++)
          sum +=
            (seen(
              x,
              n,
              Math.floor(f / (o / group)) * each + c,
              y * strides[0] + p * dilations[0] - (pads[0] as number),
              z * strides[1] + q * dilations[1] - (pads[1] as number),
            ) ?? 0) * w.at(f, c, p, q);
    return sum;
  });
}
export function pool(
  x: Tensor,
  size: readonly [number, number],
  windows: Windows,
  of: (all: readonly number[]) => number,
): Tensor {
  const { pads = [0, 0], strides = [1, 1] } = windows;
  return tensor([x.shape[0] as number, x.shape[1] as number, ...placesOf(x, size, windows)], (n = 0, c = 0, y = 0, z = 0) =>
    of(
      Array.from({ length: sizeOf(size) }, (_, k) =>
        seen(
          x,
          n,
          c,
          y * strides[0] + Math.floor(k / size[1]) - (pads[0] as number),
          z * strides[1] + (k % size[1]) - (pads[1] as number),
        ),
      ).filter((value) => value !== undefined),
    ),
  );
}
export const sumOf = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
export const each = (x: Tensor, f: (value: number, ...index: readonly number[]) => number): Tensor =>
  tensor(x.shape, (...index) => f(x.at(...index), ...index));
export const attributesOf = (windows: Windows) => windows as Readonly<Record<string, readonly number[] | number>>;
const half = (name: string, { shape }: Tensor) => info(name, shape, 10);
export const weight = (name: string, t: Tensor) => f16(name, t.shape, elements(t));

export interface Case {
  readonly nodes: readonly object[];
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly weights?: readonly object[];
  readonly wanted: Readonly<Record<string, Tensor>>;
}
/** The operators of each task. */
export async function check({ nodes, inputs, weights = [], wanted }: Case, share = 2e-3) {
  const cwd = written({
    node: nodes,
    input: Object.entries(inputs).map(([name, t]) => half(name, t)),
    output: Object.entries(wanted).map(([name, t]) => half(name, t)),
    initializer: weights,
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  const got = executed(cwd, Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, elements(t)])));
  const { plan, tasks } = readFiles(cwd);
  for (const [k, [name, t]] of Object.entries(wanted).entries()) {
    expect(plan.tensors[name]?.shape).toEqual(t.shape);
    const values = elements(t);
    const off = values.findIndex(
      (value, i) => !(Math.abs(value - (got[k]?.[i] ?? Number.NaN)) <= share * Math.max(1, Math.abs(value))),
    );
    expect(off, `${name}: element ${off} is ${got[k]?.[off]}, and ${values[off]} is right`).toBe(-1);
  }
  const runs = new Map(tasks.map(({ label, nodes: own }) => [label, own.map(({ op }) => op).join(" ")]));
  return plan.steps.flatMap(({ task }) => (task === undefined ? [] : [runs.get(task) as string]));
}
export const transposes = (steps: readonly string[]) =>
  steps
    .join(" ")
    .split(" ")
    .filter((op) => op === "Transpose").length;
