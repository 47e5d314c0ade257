/** Starts of templates: valid on random shapes, of the tiles that searches found best, and refused where they are wrong. */
import type { Json } from "@warpfarm/common";
import { Random } from "@warpfarm/common";
import { gpuLimits } from "@warpfarm/compiler";
import { at, type ConfigSpace, compute, graphOf, placeholder } from "@warpfarm/compiler/language";
import { expect, it, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { templates } from "./built-in/index.ts";
import { fewestCycles, joining, stagesIn, tmaCycles } from "./built-in/tma-starts.ts";
import { defineTemplate } from "./define-template.ts";
import { usualTarget } from "./fitting-target.ts";
import type { KnobValues } from "./starts.ts";
import { createTask, type TemplateTask } from "./task.ts";
import { whole } from "./template-args.ts";
import { TemplateRefusal } from "./template-refusal.ts";

const shapes = isFull ? 20 : 12;
const extents = [1, 8, 16, 40, 64, 96, 128, 200, 256, 384, 512, 768, 1000, 1024, 2048];
const listedBy = ["conv2d_nchw_gemm", "conv2d_nhwc_mma", "linear_w4", "matmul_latency", "matmul_mma", "matmul_simt"];
const sides = [7, 8, 14, 16, 20, 28, 33, 56];
const small = ["N", "H", "W"];

/** A task with random extents; undefined where the template does not take them. */
function randomTask(name: string, target: string, random: Random): TemplateTask | undefined {
  const { args: specs } = templates.find((one) => one.name === name) as (typeof templates)[number];
  const isConv = "KH" in specs || "kernel" in specs;
  const pick = (arg: string) => random.pick(isConv && small.includes(arg) ? (arg === "N" ? [1, 2, 8, 32] : sides) : extents);
  const given = Object.keys(specs).filter((arg) => /^(?:[MNLKHWC]|CI|CO|rows|columns)$/.test(arg));
  const args: Record<string, Json> = Object.fromEntries(given.map((arg) => [arg, pick(arg)]));
  try {
    return createTask(name, args, target);
  } catch (error) {
    if (error instanceof TemplateRefusal) return undefined;
    throw error;
  }
}

const cases = templates.map(({ name, targets }) => {
  const kind = targets[0]?.kind === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90a";
  return [name, usualTarget(targets, kind)] as const;
});

it.each(cases)("%s: all starts are valid on random shapes", (name, target) => {
  const random = new Random(7);
  const found: TemplateTask[] = [createTask(name, undefined, target)];
  for (let tries = 0; tries < 20 * shapes && found.length < shapes; tries++)
    found.push(...[randomTask(name, target, random) ?? []].flat());
  const refused = found.flatMap((task) =>
    (task.starts ?? []).flatMap((index) =>
      task.validate(index, gpuLimits(task.target)).map(({ message }) => `${JSON.stringify(task.args)} ${index}: ${message}`),
    ),
  );
  expect(refused).toEqual([]);
  // Each of the template's own is taken on some shape.
  const leftOf = ({ strangeStarts = [] }: TemplateTask) => strangeStarts.map((why) => why.split(":")[0] as string);
  expect(leftOf(found[0] as TemplateTask).filter((start) => found.every((task) => leftOf(task).includes(start)))).toEqual([]);
  for (const { starts = [] } of found) {
    expect(starts.length).toBeLessThanOrEqual(8);
    expect(new Set(starts).size).toBe(starts.length);
  }
  const own = [...listedBy, "conv2d_nhwc_tma", "conv2d_splitk", "grouped_tma", "matmul_tma"];
  // Half of the shapes have some. Tiles of images and few channels leave others none.
  const counts = found.map(({ starts = [] }) => starts.length).sort((a, b) => a - b);
  if (own.includes(name)) expect(counts[shapes >> 1]).toBeGreaterThan(0);
});

test("tiles of the fewest cycles are those that searches found best, or near", () => {
  const choices = { consumers: [1, 2, 3, 4], columns: [64, 128, 192, 240, 256], splits: [1, 2, 4] };
  const first = (M: number, N: number, K: number) => fewestCycles({ M, N, K }, choices)[0];
  // Of 300 trials each on an H100 (bench/results/logs).
  expect(first(4096, 4096, 4096)).toEqual({ consumers: 2, columns: 256, splits: 1, cluster: 1 });
  expect(first(8192, 8192, 8192)).toEqual({ consumers: 2, columns: 256, splits: 1, cluster: 1 });
  // Few rows: the sum is split, so that every multiprocessor has some of it.
  expect(first(16, 4096, 11008)).toEqual({ consumers: 1, columns: 128, splits: 4, cluster: 1 });
  expect(first(64, 4096, 1096)).toEqual({ consumers: 1, columns: 64, splits: 1, cluster: 1 });
  // One wave: these take 31.4 us where two warpgroups of 192 columns in two waves take 35.8, and 36.6 us where 256 take 38.8
  // (H200).
  expect(first(12288, 384, 2048)).toEqual({ consumers: 3, columns: 192, splits: 1, cluster: 1 });
  expect(first(1736, 2056, 3080)).toEqual({ consumers: 2, columns: 240, splits: 1, cluster: 1 });
});

// A thread has half of the columns' sums, and a product needs 26 registers more of the 255, 168, 128 or 96 of the start.
test.each([
  [1, [128, 144, 192, 208, 256]],
  [2, [128, 144, 192, 208, 256]],
  [3, [128, 144, 192]],
  [4, [128]],
])("of %i warpgroups tiles of no more columns than they have registers for are compared", (consumers, wanted) => {
  const columns = [128, 144, 192, 208, 256];
  const found = fewestCycles({ M: 4096, N: 4096, K: 4096 }, { consumers: [consumers], columns, splits: [1] });
  expect(found.map((tile) => tile.columns).sort((a, b) => a - b)).toEqual(wanted);
});

test("four blocks that share few rows of A bring less, and 30 such clusters are one turn", () => {
  const cyclesOf = (N: number, cluster: 1 | "4n") =>
    tmaCycles({ M: 64, N, K: 4096 }, { consumers: 1, columns: 32, splits: 1, cluster });
  // Clusters are whole: 30 of them have 117 to 120 tiles.
  expect(cyclesOf(32 * 120, "4n")).toBeLessThan(cyclesOf(32 * 120, 1));
  expect(cyclesOf(32 * 121, "4n")).toBe(2 * cyclesOf(32 * 120, "4n"));
  const found = fewestCycles(
    { M: 64, N: 4096, K: 1096 },
    { consumers: [1], columns: [32, 48, 64], splits: [1], clusters: [1, "4n"] },
  );
  expect(found[0]).toEqual({ consumers: 1, columns: 48, splits: 1, cluster: "4n" });
});

test("a whole turn of blocks is one turn, slots may fill shared memory exactly, and a residual joins the ring of what is stored", () => {
  const tile = { consumers: 1, columns: 64, splits: 1, cluster: 1 } as const;
  const [whole, more] = [132, 133].map((blocks) => tmaCycles({ M: 64 * blocks, N: 64, K: 4096 }, tile));
  expect(more).toBe(2 * (whole as number));
  const bytes = 226 * 1024;
  expect([stagesIn([2, 3, 4], bytes / 4, 0), stagesIn([2, 3, 4], bytes / 4, 1), stagesIn([2, 3], bytes, 0)]).toEqual([4, 3, 2]);
  const residual = { name: "residual", find: (value: unknown) => (value === "ring" ? 1 : undefined) };
  const starts = ["tma", "direct"].map((epilogue) => ({ epilogue, consumers: 1, columns: 64, parts: 1, cluster: 1 }));
  const joined = joining(starts, { knobs: [residual] } as unknown as ConfigSpace);
  expect(joined.map((start) => start.residual)).toEqual(["ring", undefined]);
});

test("66 pairs are one turn, and those that share the wider side bring less", () => {
  const cyclesOf = (M: number, cluster: 1 | "2m" | "2n" | "4n", N = 64) =>
    tmaCycles({ M, N, K: 4096 }, { consumers: 1, columns: 32, splits: 1, cluster });
  const alone = cyclesOf(64 * 66, 1);
  expect(cyclesOf(64 * 66, "2m")).toBeLessThan(alone);
  expect(cyclesOf(64 * 66, "2n")).toBeLessThan(cyclesOf(64 * 66, "2m"));
  expect(cyclesOf(64 * 67, "2n")).toBe(2 * cyclesOf(64 * 66, "2n"));
  // Clusters of which some blocks have no tile take their place.
  expect(cyclesOf(64, "2m", 32 * 67)).toBe(cyclesOf(128, "2m", 32 * 67));
  expect(cyclesOf(64 * 31, "4n", 32)).toBe(2 * cyclesOf(64 * 30, "4n", 128));
});

/** The values of their knobs, and why they cannot run. */
const startsOf = (task: TemplateTask) =>
  (task.starts ?? []).map((index) => ({
    knobs: Object.fromEntries(task.space.get(index).values),
    faults: task.validate(index, gpuLimits(task.target)).map(({ message }) => message),
  }));
const startsOfProduct = (args: Readonly<Record<string, Json>>) =>
  startsOf(createTask("matmul_tma", { layout: "NT", ...args }, "cuda/sm_90a"));

test.each([
  { dtype: "float8_e4m3fn" },
  { dtype: "int8" },
  { dtype: "float16" },
  { dtype: "float16", epilogue: ["cast(float32)"] },
  { dtype: "float16", epilogue: ["quantize(1,0,int8)"] },
])("starts of %o have room in shared memory for their result, and none is refused", (args) => {
  for (const [M, N, K] of [
    [4096, 4096, 4096],
    [1024, 2112, 2048],
    [8192, 1152, 4096],
  ] as const) {
    const task = createTask("matmul_tma", { M, N, K, layout: "NT", ...args }, "cuda/sm_90a");
    // The published config, in groups of 8, was measured with results of 2 bytes. Those of 4 have no room.
    const own = startsOf(task).filter(({ knobs }) => knobs.group !== 8);
    expect(own).toHaveLength(5);
    expect(own.flatMap(({ faults }) => faults)).toEqual([]);
    expect(task.strangeStarts).toEqual([]);
  }
});

test.each([
  ["relu", 256, true],
  ["cast(float32)", 256, true],
  ["quantize(1,0,int8)", 256, true],
  // A tile of 192 channels is one panel of 128 bytes and a half, and threads store it. 248 bytes are no whole 16.
  ["quantize(1,0,int8)", 192, true],
  ["quantize(1,0,int8)", 248, false],
] as const)("starts of a convolution after %s of %i channels have room for its result", (step, CO, isStored) => {
  const sizes = { N: 32, H: 28, W: 28, CI: 256, CO, KH: 3, KW: 3, stride: 1, padding: 1 };
  const task = createTask("conv2d_nhwc_tma", { ...sizes, epilogue: [step] }, "cuda/sm_90a");
  // The published one is in pairs along m.
  const own = startsOf(task).filter(({ knobs }) => knobs.cluster === 1);
  expect(own.some(({ knobs }) => knobs.epilogue === "tma")).toBe(isStored);
  expect(own.length).toBeGreaterThan(3);
  expect(own.flatMap(({ faults }) => faults)).toEqual([]);
  expect(task.strangeStarts).toEqual([]);
});

test("a residual joins the ring of no start whose blocks share along two axes", () => {
  const args = { M: 128, N: 4096, K: 1096, layout: "NT", epilogue: ["residual"] };
  const task = createTask("matmul_tma", args, "cuda/sm_90a");
  expect(startsOf(task).map(({ knobs, faults }) => [knobs.cluster, faults])).toEqual(
    startsOf(task).map(({ knobs }) => [knobs.cluster, []]),
  );
  expect(startsOf(task).map(({ knobs }) => `${knobs.cluster} ${knobs.residual}`)).toEqual(
    expect.arrayContaining(["2m4n direct", expect.stringMatching(/^(1|4n|2m) ring$/)]),
  );
});

test("up to 256 rows, searches begin with clusters of more than two blocks, and with those of eight from two rows of tiles on", () => {
  const clustersOf = (M: number, more = {}) =>
    new Set(startsOfProduct({ M, N: 4096, K: 1096, ...more }).map(({ knobs }) => knobs.cluster));
  expect([...clustersOf(64)]).toContain("4n");
  expect([...clustersOf(64)]).not.toContain("2m4n");
  expect([...clustersOf(64, { batch: 2, b: "shared" })]).toContain("2m4n");
  expect([...clustersOf(65)]).toContain("2m4n");
  expect([...clustersOf(256)]).toContain("2m4n");
  expect([...clustersOf(257)].filter((cluster) => cluster === "4n" || cluster === "2m4n")).toEqual([]);
});

// 12288 rows by 384 columns, as a product and as the pixels and filters of a convolution.
test.each([
  ["matmul_tma", { M: 12288, N: 384, K: 2048, layout: "NT" }],
  ["conv2d_nhwc_tma", { N: 8, H: 32, W: 48, CI: 2048, CO: 384, KH: 1, KW: 1, stride: 1, padding: 0 }],
] as const)("%s begins with three warpgroups by 192 columns where they fill a wave", (name, args) => {
  const [first] = startsOf(createTask(name, args, "cuda/sm_90a"));
  expect(first?.knobs).toMatchObject({ consumers: 3, columns: 192 });
});

test("the engine stores tiles of 240 columns, in panels of 16", () => {
  const [first] = startsOfProduct({ M: 1736, N: 2056, K: 3080 });
  expect(first?.knobs).toMatchObject({ consumers: 2, columns: 240, epilogue: "tma", parts: 1 });
});

const row = (starts: () => readonly KnobValues[], published?: KnobValues) =>
  defineTemplate({
    name: "row",
    summary: "a row",
    targets: ["cpu"],
    args: { n: whole(64) },
    ...(published === undefined ? {} : { published }),
    starts,
    graph: ({ args: { n } }) => {
      const x = placeholder("x", [n]);
      return graphOf([x], [compute("out", [["i", n]], (i) => at(x, i))]);
    },
    space: (space) => ({
      tile: space.choice(
        "tile",
        Array.from({ length: 12 }, (_, i) => i + 1),
      ),
    }),
    schedule: (sch, { tile }) => {
      const [i] = sch.axes(sch.stage("out"));
      if (i) sch.split(i, [null, tile]);
    },
  });
const rowStarts = (starts: readonly KnobValues[], published?: KnobValues) =>
  createTask(
    row(() => starts, published),
    undefined,
    "cpu/x86-64-v3",
  ).starts;
const tiles = (...sizes: readonly number[]) => sizes.map((tile) => ({ tile }));

test("starts keep their order, once each, the published one last where it is not among them", () => {
  expect(rowStarts(tiles(4, 2, 4), { tile: 8 })).toEqual([3, 1, 7]);
  expect(rowStarts(tiles(4, 8, 2), { tile: 8 })).toEqual([3, 7, 1]);
  expect(rowStarts([])).toEqual([]);
});

test("starts are made when they are asked for, once", () => {
  let made = 0;
  const counting = row(() => {
    made++;
    return tiles(4);
  });
  const task = createTask(counting, undefined, "cpu/x86-64-v3");
  expect(made).toBe(0);
  expect([task.starts, task.starts]).toEqual([[3], [3]]);
  expect(made).toBe(1);
});

test("a config that the space lacks is left out", () => expect(rowStarts(tiles(13, 4, 0))).toEqual([3]));

test("more than eight, and a knob that is not there, are refused", () => {
  expect(() => rowStarts(tiles(1, 2, 3, 4, 5, 6, 7, 8), { tile: 9 })).toThrow(
    "row has 9 starts; it takes at most 8, the published one among them",
  );
  expect(rowStarts(tiles(1, 2, 3, 4, 5, 6, 7), { tile: 9 })).toHaveLength(8);
  expect(() => rowStarts([{ tiel: 4 }])).toThrow('row has no knob "tiel", which starts[0] gives; its knobs are tile');
});
