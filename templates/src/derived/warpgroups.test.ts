/**
 * Random products of halves on sm_90a, where the copy engine may bring the operands: matrices in every layout, batched, rows of
 * several axes, convolutions of images, tails, and reads that the engine has no map for. Every config that is drawn is lowered,
 * checked by the rules and run by threads, and gives what the definition gives.
 */
import { canonicalJson, type Json, Random } from "@warpfarm/common";
import { evaluate, infer, lowerFunc, parseTarget, verifyKernels, verifyLimits } from "@warpfarm/compiler";
import {
  add,
  addTensors,
  at,
  type Buffer,
  type ConfigIndex,
  cast,
  castTensor,
  compute,
  configNamed,
  conv2dNhwc,
  type Expr,
  entityOf,
  type Graph,
  gpuLimits,
  graphOf,
  matmul,
  mul,
  placeholder,
  reduceAxis,
  relu,
  sum,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { type Derived, derive } from "./derive.ts";

const target = "cuda/sm_90a";
/** Of each product: one in npm test, by wgmma where there is one. */
const fromEach = isFull ? 3 : 1;
const kinds = ["plain", "batched", "rows", "slice", "of one", 1, 3, 2, 3] as const;
const products = (isFull ? 20 : 2) * kinds.length;

type Half = "float16" | "bfloat16";
const wide = (e: Expr): Expr => cast("float32", e);

/** The sums behind random tails, as a half or float32. */
function finished(random: Random, inputs: readonly Buffer[], sums: Buffer, dtype: Half): Graph {
  const more: Buffer[] = [];
  let value = sums;
  if (random.below(2) === 0) {
    const bias = placeholder("bias", [sums.shape.at(-1) as number], "float32");
    more.push(bias);
    value = addTensors(value, bias, { name: "biased" });
  }
  if (random.below(2) === 0) value = relu(value, { name: "r" });
  if (random.below(4) > 0) value = castTensor(value, dtype, { name: "out" });
  return graphOf([...inputs, ...more], [value]);
}

function matrices(random: Random, dtype: Half, kind: string): Graph {
  const M = random.pick(isFull ? [64, 120, 128, 190, 192, 250] : [64, 120, 128]);
  const [N, K] = [
    random.pick(isFull ? [16, 40, 64, 96, 128] : [16, 40, 80]),
    random.pick(isFull ? [32, 56, 64, 120] : [32, 56, 64]),
  ];
  const [isTurned, isOtherTurned] = [random.below(2) === 0, random.below(2) === 0];
  // A batch of one matrix, which broadcasts, is read at 0.
  const batch = kind === "batched" ? [random.pick([2, 3])] : kind === "of one" ? [1] : [];
  // Rows of two axes, or a part of the rows that are there.
  const rows = kind === "rows" ? [2, M / 2] : [M];
  const stored = kind === "slice" ? [M + 8] : rows;
  const a = placeholder("A", [...batch, ...(isTurned ? [K, ...stored] : [...stored, K])], dtype);
  const b = placeholder("B", [...batch, ...(isOtherTurned ? [N, K] : [K, N])], dtype);
  const k = reduceAxis("k", K);
  const axes = [...batch, ...rows, N].map((extent, d) => [`i${d}`, extent] as const);
  const sums = compute("sums", axes, (...index) => {
    const [i, j] = [index.slice(batch.length, -1), index.at(-1) as Expr];
    const z = kind === "of one" ? [0] : index.slice(0, batch.length);
    const left = at(a, ...z, ...(isTurned ? [k.loopVar, ...i] : [...i, k.loopVar]));
    const right = at(b, ...z, ...(isOtherTurned ? [j, k.loopVar] : [k.loopVar, j]));
    return sum(mul(wide(left), wide(right)), [k]);
  });
  return finished(random, [a, b], sums, dtype);
}

/** `size` taps in each direction. */
function convolution(random: Random, dtype: Half, size: number): Graph {
  const [images, height, width] = random.pick([
    [1, 5, 25],
    [2, 8, 8],
    [3, 9, 7],
    [2, 16, 8],
    [1, 8, 16],
  ] as const);
  const [channels, filters] = [random.pick([16, 32, 48, 24]), random.pick([16, 40])];
  const data = placeholder("data", [images, height, width, channels], dtype);
  const kernel = placeholder("kernel", [size, size, channels, filters], dtype);
  const window = { padding: random.below(size), stride: random.pick([1, 1, 1, 2]), dilation: random.pick([1, 1, 2]) };
  return finished(random, [data, kernel], conv2dNhwc(data, kernel, { ...window, name: "conv", outDtype: "float32" }), dtype);
}

/** A config by wgmma where there are some, else any. */
function drawn({ space }: Derived, random: Random): ConfigIndex {
  for (let tries = 0; ; tries++) {
    const index = space.random(random);
    const cores = [...space.get(index).values].find(([name]) => name.endsWith(".cores"));
    if (!cores || cores[1] === "wgmma" || tries > 50) return index;
  }
}

it(`${products} random products of halves are right, by mma.sync and by wgmma`, () => {
  const faults: string[] = [];
  const counts = { fed: 0, configs: 0, limits: 0 };
  for (let seed = 1; seed <= products; seed++) {
    const random = new Random(seed);
    const dtype = random.pick(["float16", "bfloat16"] as const);
    const kind = kinds[seed % kinds.length] as (typeof kinds)[number];
    const graph = typeof kind === "number" ? convolution(random, dtype, kind) : matrices(random, dtype, kind);
    const derived = derive(graph, target);
    if (derived.explained.some(({ rule }) => rule.endsWith("wgmma"))) counts.fed++;
    const data = dataOf(graph, random);
    const want = evaluate(graph, data);
    for (const index of [...(isFull ? [derived.start] : []), ...Array.from({ length: fromEach }, () => drawn(derived, random))]) {
      counts.configs++;
      const said = () => `seed ${seed}: ${canonicalJson(Object.fromEntries(derived.space.get(index).values))}`;
      try {
        faults.push(...ruledOut(derived, index).map((why) => `${said()}: ${why}`));
        const run = outputsOf(derived, index, target, data);
        if (!run) counts.limits++;
        const fault = run && faultIn(graph, run, (name) => want.get(name) as never);
        if (fault) faults.push(`${said()}: ${fault}`);
      } catch (error) {
        faults.push(`${said()}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  console.log(`products of halves: ${JSON.stringify(counts)}`);
  expect(faults.slice(0, 5).join("\n\n")).toBe("");
  expect(counts.fed / products).toBeGreaterThan(0.4);
  expect(counts.limits).toBe(0);
});

it.each([60, 64])("results of %i columns are stored by the engine, or summed in parts, only where that is possible", (N) => {
  const [a, b, k] = [placeholder("A", [64, 128], "float16"), placeholder("B", [N, 128], "float16"), reduceAxis("k", 128)];
  const sums = compute("sums", [["i", 64] as const, ["j", N] as const], (i, j) =>
    sum(mul(wide(at(a, i, k.loopVar)), wide(at(b, j, k.loopVar))), [k]),
  );
  const graph = graphOf([a, b], [castTensor(sums, "float16", { name: "C" })]);
  const derived = derive(graph, target);
  const random = new Random(N);
  const knobOf = (index: ConfigIndex, knob: string) =>
    [...derived.space.get(index).values].find(([name]) => name.endsWith(`.${knob}`))?.[1];
  const { space } = derived;
  const drawn = Array.from({ length: 2_000 }, () => space.random(random)).filter((x) => knobOf(x, "cores") === "wgmma");
  const stored = drawn.find((index) => Number(knobOf(index, "parts") ?? 0) > 0);
  // Its rows are of 16 bytes.
  expect(stored !== undefined).toBe(N % 8 === 0);
  const split = drawn.find((index) => knobOf(index, "splits") === 2);
  const both = stored && space.indexOf(new Map([...space.get(stored).values, ["sums.splits", 2]]));
  const data = dataOf(graph, random);
  const want = evaluate(graph, data);
  expect(split).toBeDefined();
  for (const index of [stored, split, both]) {
    if (index === undefined || !space.valid.has(index)) continue;
    const run = outputsOf(derived, index, target, data);
    if (!run) throw new Error("it needs more than the device has");
    expect(faultIn(graph, run, (name) => want.get(name) as never)).toBeUndefined();
  }
});

it("an operand that the engine has no map for, and tiles beyond the only one of a side, are not offered", () => {
  const product = (stored: readonly [number, number], place: (i: Expr, k: Expr) => readonly [Expr, Expr]) => {
    const [a, b, k] = [placeholder("A", stored, "float16"), placeholder("B", [64, 64], "float16"), reduceAxis("k", 64)];
    const axes = [["i", 120] as const, ["j", 64] as const];
    const sums = compute("C", axes, (i, j) => sum(mul(wide(at(a, ...place(i, k.loopVar))), wide(at(b, k.loopVar, j))), [k]));
    return derive(graphOf([a, b], [sums]), target);
  };
  const whole = product([120, 64], (i, k) => [i, k]);
  const isFed = ({ explained }: Derived) => explained.some(({ rule }) => rule.endsWith("wgmma"));
  expect(isFed(whole)).toBe(true);
  // Parts of the rows and of the columns, and every second row; the other way round it is whole.
  expect(isFed(product([128, 64], (i, k) => [i, k]))).toBe(false);
  expect(isFed(product([120, 72], (i, k) => [i, k]))).toBe(false);
  expect(isFed(product([64, 120], (i, k) => [k, i]))).toBe(true);
  expect(isFed(product([240, 64], (i, k) => [add(i, i), k]))).toBe(false);
  const { space } = whole;
  const first = new Map(space.knobs.map((knob) => [knob.name, knob.decode(0)] as const));
  const isValid = (more: Readonly<Record<string, Json>>) => {
    const named = Object.entries({ cores: "wgmma", ...more }).map(([name, value]) => [`C.${name}`, value] as const);
    const index = space.indexOf(new Map([...first, ...named] as [string, Json][]));
    return index !== undefined && space.valid.has(index);
  };
  // 120 rows are two tiles of one consumer, and one of two.
  expect([isValid({}), isValid({ consumers: 2 }), isValid({ group: 4 })]).toEqual([true, true, true]);
  const beyond = [{ group: 4 }, { waves: 2 }, { cluster: "2m" }].map((more) => isValid({ consumers: 2, ...more }));
  expect(beyond).toEqual([false, false, false]);
  // Of the way that is not chosen every knob keeps its first value.
  const bySync = Array.from({ length: 200 }, (_, nth) => space.random(new Random(nth))).find(
    (index) => space.get(index).values.get("C.cores") === "mma_sync",
  ) as ConfigIndex;
  const other = space.indexOf(new Map([...space.get(bySync).values, ["C.order", "group"]]));
  expect(other !== undefined && space.valid.has(other)).toBe(false);
});

it("a search of a large product begins with tiles of wgmma", () => {
  const [a, b] = [placeholder("A", [4096, 4096], "float16"), placeholder("B", [4096, 4096], "float16")];
  const { space, start } = derive(graphOf([a, b], [matmul(a, b, { name: "C", outDtype: "float32" })]), target);
  expect(space.get(start).values.get("C.cores")).toBe("wgmma");
});

it("a batch's operands come in panels", () => {
  const [a, b, k] = [placeholder("A", [2, 64, 32], "float16"), placeholder("B", [2, 32, 128], "float16"), reduceAxis("k", 32)];
  const axes = [["z", 2] as const, ["i", 64] as const, ["j", 128] as const];
  const sums = compute("C", axes, (z, i, j) => sum(mul(wide(at(a, z, i, k.loopVar)), wide(at(b, z, k.loopVar, j))), [k]));
  const graph = graphOf([a, b], [sums]);
  const derived = derive(graph, target);
  const values = new Map(derived.space.knobs.map((knob) => [knob.name, knob.decode(0)] as const));
  const index = derived.space.indexOf(new Map([...values, ["C.cores", "wgmma"], ["C.columns", 128]])) as ConfigIndex;
  const data = dataOf(graph, new Random(3));
  const want = evaluate(graph, data);
  const run = outputsOf(derived, index, target, data);
  expect(run && faultIn(graph, run, (name) => want.get(name) as never)).toBeUndefined();
  expect(run).toBeDefined();
});

it.each([
  ["matrices", (random: Random) => matricesOf(random, [], 120, 256), [2, 4]],
  ["a batch", (random: Random) => matricesOf(random, [2], 120, 128), [2]],
  // Two by two taps of 32 channels: a part is a tap, or two.
  ["windows", (random: Random) => windowsOf(random), [2, 4]],
] as const)("the sum of %s is split over blocks, by wgmma and by mma.sync", (_, of, splits) => {
  const random = new Random(7);
  const graph = of(random);
  const derived = derive(graph, target);
  const data = dataOf(graph, random);
  const want = evaluate(graph, data);
  const name = String(derived.space.knobs.find((knob) => knob.name.endsWith(".splits"))?.name.split(".")[0]);
  const byWarpgroups = (parts: number) => ({ cores: "wgmma", splits: parts, producer: 56, waves: parts === 2 ? 2 : 1 });
  const bySync = (parts: number) => ({
    cores: "mma_sync",
    mma_splits: parts,
    chunk: parts === 2 ? 2 : 1,
    warp_rows: 2,
    stages: 3,
  });
  for (const chosen of splits.flatMap((parts): Record<string, Json>[] => [byWarpgroups(parts), bySync(parts)])) {
    const values = derived.space.knobs.map(
      (knob) => [knob.name, chosen[knob.name.slice(name.length + 1)] ?? knob.decode(0)] as const,
    );
    const index = derived.space.indexOf(new Map<string, Json>(values)) as ConfigIndex;
    expect(derived.space.valid.has(index)).toBe(true);
    expect(ruledOut(derived, index)).toEqual([]);
    const inferred = infer(derived.schedule(index).state);
    expect(inferred.ok && inferred.value.launches.length).toBe(2);
    const run = outputsOf(derived, index, target, data);
    expect(run && faultIn(graph, run, (output) => want.get(output) as never)).toBeUndefined();
  }
});

function matricesOf(random: Random, batch: readonly number[], M: number, K: number): Graph {
  const [a, b] = [placeholder("A", [...batch, M, K], "float16"), placeholder("B", [...batch, K, 64], "float16")];
  const k = reduceAxis("k", K);
  const axes = [...batch, M, 64].map((extent, d) => [`i${d}`, extent] as const);
  const sums = compute("sums", axes, (...index) => {
    const [z, i, j] = [index.slice(0, batch.length), index.at(-2) as Expr, index.at(-1) as Expr];
    return sum(mul(wide(at(a, ...z, i, k.loopVar)), wide(at(b, ...z, k.loopVar, j))), [k]);
  });
  return finished(random, [a, b], sums, "float16");
}

function windowsOf(random: Random): Graph {
  const [data, kernel] = [placeholder("data", [2, 9, 9, 32], "float16"), placeholder("kernel", [2, 2, 32, 16], "float16")];
  return finished(random, [data, kernel], conv2dNhwc(data, kernel, { name: "conv", outDtype: "float32" }), "float16");
}

/** What the rules of the device have against a config. */
function ruledOut(derived: Derived, index: ConfigIndex): readonly string[] {
  const inferred = infer(derived.schedule(index).state);
  if (!inferred.ok) return [inferred.error.message];
  if (verifyLimits(inferred.value, gpuLimits(target)).length > 0) return [];
  const on = parseTarget(target);
  return verifyKernels(lowerFunc(inferred.value.func(), on), on).map(({ message }) => message);
}

it("a config from before the choice of tensor cores is one by mma.sync", () => {
  const [a, b, k] = [placeholder("A", [120, 64], "float16"), placeholder("B", [64, 64], "float16"), reduceAxis("k", 64)];
  const axes = [["i", 120] as const, ["j", 64] as const];
  const sums = compute("C", axes, (i, j) => sum(mul(wide(at(a, i, k.loopVar)), wide(at(b, k.loopVar, j))), [k]));
  const graph = graphOf([a, b], [sums]);
  const before = derive(graph, "cuda/sm_80").space;
  const { space } = derive(graph, target);
  const old = entityOf(before, before.toIndex(before.valid.nth(0)));
  expect(old.map(([name]) => name)).not.toContain("C.cores");
  const found = configNamed(space, old);
  if (!found.ok) throw new Error(found.error);
  const named = entityOf(space, found.value).map((knob) => canonicalJson(knob));
  for (const knob of [["C.cores", "ot", "mma_sync"], ...old]) expect(named).toContain(canonicalJson(knob as Json));
  expect(space.valid.has(found.value)).toBe(true);
});
