/**
 * linear_w4: small shapes run by warps against sums of weights that this file packs by the fragments of the PTX ISA; planted
 * faults; the PTX that makes halves of four bits, run on all words; what nvcc makes of the text.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { type Kernel, lowerFunc, parseTarget, type TensorData, verifyKernels } from "@warpfarm/compiler";
import { add, type Expr, floorDiv, loadInt4, mul, sub } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, nestOf, nvccResources, runInOrder } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90");
const on = formatTarget(target);
const knobs = { warps: 2, weight_tiles: 1, row_tiles: 1, stages: 1 };

/** Small whole numbers and powers of two: sums are exact in any order. */
const numberOf = (seed: number, at: number): number => Math.imul(at + seed, 40_503) >>> 8;
interface Sizes {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}
const weightAt = ({ K }: Sizes, n: number, k: number): number => (numberOf(3, n * K + k) % 16) - 8;
const rowAt = ({ K }: Sizes, m: number, k: number): number => (numberOf(5, m * K + k) % 5) - 2;
const scaleAt = ({ N }: Sizes, g: number, n: number): number => 2 ** ((numberOf(7, g * N + n) % 4) - 3);

/**
 * PTX ISA, m16n8k16, A: a lane has register r with rows lane / 4 + 8 (r % 2) and columns lane % 4 * 2 + 8 floor(r / 2), two
 * neighbours. The first of each of the four registers come first in its word, then the second ones.
 */
function inputsOf(sizes: Sizes): Map<string, TensorData> {
  const { M, N, K } = sizes;
  const packed = new Int8Array(N * K);
  for (let at = 0; at < N * K; at++) {
    const [word, place] = [Math.floor(at / 8), at % 8];
    const [lane, tile] = [word % 32, Math.floor(word / 32)];
    const [register, second] = [place % 4, Math.floor(place / 4)];
    const n = Math.floor(tile / (K / 16)) * 16 + Math.floor(lane / 4) + 8 * (register % 2);
    const k = (tile % (K / 16)) * 16 + (lane % 4) * 2 + 8 * Math.floor(register / 2) + second;
    packed[at] = weightAt(sizes, n, k);
  }
  return new Map<string, TensorData>([
    ["X", Float32Array.from({ length: M * K }, (_, at) => rowAt(sizes, Math.floor(at / K), at % K))],
    ["packed", packed],
    ["scale", Float32Array.from({ length: (K / 128) * N }, (_, at) => scaleAt(sizes, Math.floor(at / N), at % N))],
  ]);
}
function sumsOf(sizes: Sizes): Float32Array {
  const { M, N, K } = sizes;
  return Float32Array.from({ length: M * N }, (_, at) => {
    const [m, n] = [Math.floor(at / N), at % N];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += rowAt(sizes, m, k) * weightAt(sizes, n, k) * scaleAt(sizes, Math.floor(k / 128), n);
    return sum;
  });
}
function kernelsOf(sizes: Sizes, values: Partial<typeof knobs>): readonly Kernel[] {
  const task = createTask("linear_w4", { ...sizes }, on);
  return lowerFunc(nestOf(task, indexWith(task, { ...knobs, ...values })), target);
}
const run = (kernels: readonly Kernel[], sizes: Sizes) => runInOrder(kernels, inputsOf(sizes)).data.get("C");
/** Of one type, however data of halves are kept. */
const numbers = (data: TensorData | undefined): number[] => Array.from(data ?? [], Number);

describe("small shapes, run by warps", () => {
  it.each<[what: string, sizes: Sizes, knobs: Partial<typeof knobs>]>([
    ["one group for each of two warps", { M: 16, N: 16, K: 256 }, {}],
    ["one row", { M: 1, N: 32, K: 512 }, { weight_tiles: 2, stages: 2 }],
    ["nine rows, groups that warps do not divide", { M: 9, N: 16, K: 640 }, { warps: 4, stages: 3 }],
    ["more warps than groups, and than add up", { M: 3, N: 16, K: 128 }, { warps: 16 }],
    ["two tiles of rows in a block", { M: 31, N: 16, K: 256 }, { row_tiles: 2, stages: 3 }],
  ])("%s", (_, sizes, values) => {
    const kernels = kernelsOf(sizes, values);
    expect(verifyKernels(kernels, target)).toEqual([]);
    const wanted = numbers(sumsOf(sizes));
    expect(wanted.every((sum) => Math.abs(sum) < 2048)).toBe(true);
    expect(numbers(run(kernels, sizes))).toEqual(wanted);
  });
});

type Stmt = Kernel["func"]["body"];
type Node = Readonly<Record<string, unknown>>;

describe("planted faults are noticed", () => {
  const sizes = { M: 8, N: 16, K: 512 };
  const kernels = kernelsOf(sizes, { stages: 2 });
  /** `change`: another node, or none for the same. */
  function planted(change: (node: Node) => unknown): readonly Kernel[] {
    let changed = 0;
    const visit = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(visit);
      if (typeof value !== "object" || value === null || !("kind" in value) || value.kind === "Var") return value;
      const other = change(value as Node);
      if (other !== undefined) changed++;
      return other ?? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, key === "tiles" ? part : visit(part)]));
    };
    const made = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: visit(kernel.func.body) as Stmt } }));
    expect(changed).toBeGreaterThan(0);
    return made;
  }
  function verdictOn(made: readonly Kernel[]): string {
    try {
      const { data } = runInOrder(made, inputsOf(sizes));
      return JSON.stringify(numbers(data.get("C"))) === JSON.stringify(numbers(sumsOf(sizes))) ? "right" : "wrong";
    } catch (error) {
      return /\[(interp\.\w+)/.exec(String(error))?.[1] ?? String(error);
    }
  }
  const nothing = { kind: "Seq", stmts: [] };
  const isTo = (node: Node, name: string): boolean =>
    node.kind === "Store" && (node.buffer as { readonly name: string }).name === name;
  const elsewhere = (node: Node, change: (index: Expr) => Expr): Node => {
    const value = node.value as { readonly indices: readonly Expr[] };
    return { ...node, value: { ...value, indices: value.indices.map(change) } };
  };

  it("none", () => expect(verdictOn(kernels)).toBe("right"));
  it("no wait for the copies", () => {
    expect(verdictOn(planted((node) => (node.kind === "Wait" ? nothing : undefined)))).toBe("interp.on_its_way");
  });
  it("a warp that does not meet behind its wait", () => {
    const isOfWarp = (node: Node): boolean => node.kind === "Barrier" && node.agent === "warp";
    expect(verdictOn(planted((node) => (isOfWarp(node) ? nothing : undefined)))).toBe("interp.on_its_way");
  });
  it("warps that do not meet before all sums are added", () => {
    const isOfBlock = (node: Node): boolean => node.kind === "Barrier" && node.agent === "block";
    expect(verdictOn(planted((node) => (isOfBlock(node) ? nothing : undefined)))).toMatch(/^interp\.(race|uninitialised)$/);
  });
  it("sums of a group that begin with those of the one before", () => {
    const isStart = (node: Node): boolean => node.kind === "Invoke" && node.form === "init";
    expect(verdictOn(planted((node) => (isStart(node) ? nothing : undefined)))).toBe("interp.uninitialised");
  });
  it("the scales of the rows beside", () => {
    const made = planted((node) =>
      isTo(node, "scale.local") ? elsewhere(node, (index) => sub(add(mul(floorDiv(index, 16), 32), 15), index)) : undefined,
    );
    expect(verdictOn(made)).toBe("wrong");
  });
});

describe("the PTX of loadInt4", () => {
  const halves = new DataView(new ArrayBuffer(4));
  const half = (bits: number): number => {
    const [sign, exponent, fraction] = [bits >>> 15 ? -1 : 1, (bits >>> 10) & 31, bits & 1023];
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  };
  /** Of whole numbers below 2048, which is what the text makes; 0 has one sign. */
  const bitsOf = (value: number): number => {
    if (value === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(value)));
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | ((Math.abs(value) * 2 ** (10 - exponent)) & 1023);
  };
  const both = (f: (shift: number) => number): number => ((f(16) << 16) | f(0)) >>> 0;
  const at = (word: number) => (shift: number) => half((word >>> shift) & 0xffff);
  const operations: Readonly<Record<string, (...args: number[]) => number>> = {
    "mov.b32": (x = 0) => x,
    "prmt.b32": (x = 0, _y = 0, selector = 0) => {
      halves.setUint32(0, x, true);
      const bytes = [0, 1, 2, 3].map((i) => halves.getUint8((selector >>> (4 * i)) & 3));
      return (
        ((bytes[3] as number) * 2 ** 24 + ((bytes[2] as number) << 16) + ((bytes[1] as number) << 8) + (bytes[0] as number)) >>> 0
      );
    },
    // The table's bit number abc is the result of the bits a, b and c.
    "lop3.b32": (x = 0, y = 0, z = 0, table = 0) => {
      let made = 0;
      for (let i = 0; i < 32; i++) {
        const row = ((x >>> i) & 1) * 4 + ((y >>> i) & 1) * 2 + ((z >>> i) & 1);
        if ((table >>> row) & 1) made |= 1 << i;
      }
      return made >>> 0;
    },
    "sub.f16x2": (x = 0, y = 0) => both((shift) => bitsOf(at(x)(shift) - at(y)(shift))),
    "fma.rn.f16x2": (x = 0, y = 0, z = 0) => both((shift) => bitsOf(at(x)(shift) * at(y)(shift) + at(z)(shift))),
  };
  /** The registers of a lane whose word this is. */
  function registersOf(word: number): readonly number[] {
    const known = new Map<string, number>();
    for (const line of (loadInt4.text.body ?? "").split("\n")) {
      const [operation = "", rest = ""] = line.replace(/;$/, "").split(/ (.*)/);
      if (operation.startsWith(".reg") || operation.startsWith("{{") || operation.startsWith("}}")) continue;
      const [to = "", ...from] = rest.split(", ");
      const value = (text: string): number => known.get(text) ?? Number(text);
      if (operation.startsWith("ld")) known.set(to, word);
      else known.set(to, (operations[operation] as (...args: number[]) => number)(...from.map(value)));
    }
    return [0, 1, 2, 3].map((r) => known.get(`{frag.${r}}`) ?? Number.NaN);
  }
  it("makes of each four bits the same number as a half, at its place in the registers", () => {
    for (let shift = 0; shift < 16; shift++) {
      const values = [0, 1, 2, 3, 4, 5, 6, 7].map((e) => ((e * 5 + shift) % 16) - 8);
      const word = values.reduce((all, value) => all * 16 + (value & 15), 0);
      const found = registersOf(word).flatMap((register) => [at(register)(0), at(register)(16)]);
      // Register r: element r of the word, then element 4 + r.
      expect(found).toEqual([0, 4, 1, 5, 2, 6, 3, 7].map((e) => values[e]));
    }
  });
});

describe("the text", () => {
  it("has warps that meet themselves for each group, and each other once", () => {
    const task = createTask("linear_w4", undefined, on);
    const { text, kernels } = compiled(task, indexWith(task, { ...knobs, warps: 8, stages: 4 }));
    expect(kernels.map(({ grid, block }) => [grid, block])).toEqual([
      [
        [256, 1, 1],
        [32, 8, 1],
      ],
    ]);
    expect([text.match(/__syncwarp/g)?.length, text.match(/__syncthreads/g)?.length]).toEqual([4, 1]);
  });
  it.for<[args: Json, values: Partial<typeof knobs>]>([
    [{ M: 1 }, { warps: 8, stages: 4 }],
    [
      { M: 16, K: 11008 },
      { warps: 8, stages: 3 },
    ],
  ])("of %j with %j is taken by nvcc, everything in registers", ([args, values], ctx) => {
    needs(ctx, "nvcc");
    const task = createTask("linear_w4", args, on);
    expect(nvccResources(compiled(task, indexWith(task, { ...knobs, ...values })).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

it.each([
  [{ K: 4000 }, /K is 4000; scales are of groups of 128/],
  [{ N: 100 }, /N is 100; weights are packed in tiles of 16 rows/],
])("refuses %j by name", (args, why) => {
  expect(() => createTask("linear_w4", args, on)).toThrow(why);
});
