/**
 * conv2d_nhwc_tma: small odd convolutions run by warpgroups, held to a convolution slid by hand; the maps that it needs; its text
 * through nvcc.
 */
import { formatTarget, type Json, Random } from "@warpfarm/common";
import {
  type ConfigIndex,
  entityOf,
  gpuLimits,
  type Kernel,
  lowerFunc,
  parseTarget,
  type TensorData,
  verifyKernels,
} from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../test-support/campaign.ts";
import { createTask, type TemplateTask } from "../task.ts";
import {
  compiled,
  inputsOf,
  needsNvccInCampaign,
  nestOf,
  nvccResources,
  pointOf,
  runInOrder,
  textOf,
} from "./template.testing.ts";

const target = parseTarget("cuda/sm_90a");
const taskOf = (args: Json) => createTask("conv2d_nhwc_tma", args, formatTarget(target));

interface Conv {
  readonly N: number;
  readonly H: number;
  readonly W: number;
  readonly CI: number;
  readonly CO: number;
  readonly KH: number;
  readonly KW: number;
  readonly stride: readonly [number, number];
  /** Top, left, bottom, right. */
  readonly padding: readonly [number, number, number, number];
  readonly dilation: readonly [number, number];
  readonly groups: number;
}
const usual: Conv = {
  ...{ N: 2, H: 5, W: 6, CI: 32, CO: 32, KH: 3, KW: 3 },
  ...{ stride: [1, 1], padding: [1, 1, 1, 1], dilation: [1, 1], groups: 1 },
};

/**
 * What every pixel of the input adds to the results that see it: exact, of small whole numbers. Of a gradient, what the gradient
 * of every result adds to those of the pixels that it saw.
 */
function scattered(conv: Conv, A: TensorData, W: TensorData, isGradient = false): readonly number[] {
  const { N, H, W: width, CI, CO, KH, KW, stride, padding, dilation, groups } = conv;
  const { height: OH, width: OW } = resultOf(conv, false);
  const [own, made] = [CI / groups, CO / groups];
  const sums: number[] = new Array(isGradient ? N * H * width * CI : N * OH * OW * CO).fill(0);
  for (let n = 0; n < N; n++)
    for (let y = 0; y < H; y++)
      for (let x = 0; x < width; x++)
        for (let r = 0; r < KH; r++)
          for (let s = 0; s < KW; s++) {
            const [i, j] = [(y + padding[0] - r * dilation[0]) / stride[0], (x + padding[1] - s * dilation[1]) / stride[1]];
            if (!Number.isInteger(i) || !Number.isInteger(j) || i < 0 || i >= OH || j < 0 || j >= OW) continue;
            for (let c = 0; c < CI; c++) {
              const pixel = ((n * H + y) * width + x) * CI + c;
              const group = Math.floor(c / own);
              for (let f = group * made; f < (group + 1) * made; f++) {
                const result = ((n * OH + i) * OW + j) * CO + f;
                const [from, to] = isGradient ? [result, pixel] : [pixel, result];
                const weight = Number(W[((r * KW + s) * own + (c % own)) * CO + f]);
                sums[to] = (sums[to] as number) + Number(A[from]) * weight;
              }
            }
          }
  return sums;
}

/**
 * A small convolution has tiles for few of the blocks, and a block without one takes as long to interpret, so only the first
 * `blocks` run. A tile that none of them has would be missing from the result.
 */
function ofFirst(blocks: number, { func, grid: [x, y, z], ...kernel }: Kernel): Kernel {
  const { body } = func;
  if (body.kind !== "For" || body.thread !== "blockIdx.x") throw new Error("the first loop is not over blocks");
  const extent = Math.min(body.extent, blocks);
  return { ...kernel, func: { ...func, body: { ...body, extent } }, grid: [(x / body.extent) * extent, y, z] };
}

function resultsOf(task: TemplateTask, at: ConfigIndex, inputs: ReadonlyMap<string, TensorData>, blocks = 12): readonly number[] {
  const kernels = lowerFunc(nestOf(task, at), target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  const run = kernels.map((kernel) => ofFirst(blocks, kernel));
  return Array.from(runInOrder(run, inputs, task.flops).data.get("Conv") as Iterable<number>, Number);
}

function expectRight(
  conv: Conv,
  more: Readonly<Record<string, Json>>,
  knobs: Readonly<Record<string, Json>>,
  blocks?: number,
): void {
  const task = taskOf({ ...conv, ...more } as unknown as Json);
  const at = pointOf(task, knobs);
  // Refuses copies and products that were left as loops, which would pass below.
  compiled(task, at);
  const inputs = inputsOf(task);
  const got = resultsOf(task, at, inputs, blocks);
  const [A, W] = [inputs.get("A") as TensorData, inputs.get("W") as TensorData];
  expect(got).toEqual(scattered(conv, A, W, more.gradient === "input"));
}

/** The pixels that are computed: the results, or of a gradient the input. */
function resultOf({ H, W, KH, KW, stride, padding, dilation }: Conv, isGradient: boolean) {
  if (isGradient) return { height: H, width: W };
  const [height, width] = [
    H + padding[0] + padding[2] - (KH - 1) * dilation[0],
    W + padding[1] + padding[3] - (KW - 1) * dilation[1],
  ];
  return { height: Math.floor((height - 1) / stride[0]) + 1, width: Math.floor((width - 1) / stride[1]) + 1 };
}

type Small = readonly [what: string, conv: Partial<Conv>, knobs: Readonly<Record<string, Json>>];
const small: readonly Small[] = [
  ["3x3", {}, {}],
  ["stride 2 by 3, four paddings", { H: 9, W: 8, stride: [2, 3], padding: [0, 2, 3, 1] }, { stages: 3 }],
  ["a 1x7 filter, padded at the sides", { KH: 1, KW: 7, padding: [0, 3, 0, 3], W: 9 }, {}],
  ["dilated, padded beyond the filter", { KH: 2, KW: 2, dilation: [2, 3], padding: [3, 4, 0, 3] }, {}],
  [
    "1x1, which is a product",
    { KH: 1, KW: 1, padding: [0, 0, 0, 0], H: 7, W: 8, CO: 64 },
    { columns: 64, epilogue: "tma", producer: 40 },
  ],
  ["1x1 of every second pixel", { KH: 1, KW: 1, padding: [0, 0, 0, 0], H: 7, W: 9, stride: [2, 2] }, {}],
  ["channels in runs of 16 with a tail", { CI: 40, CO: 24, KW: 2 }, { step: 16, columns: 32 }],
  ["two groups of 48", { CI: 96, CO: 32, groups: 2 }, { step: 16, columns: 16 }],
  ["stored by the engine in two parts, three images", { N: 3, KH: 1, CO: 128 }, { columns: 128, parts: 2, epilogue: "tma" }],
  ["rows of 8 pixels in tiles of 64", { N: 1, H: 16, W: 8, KW: 1, CO: 64 }, { consumers: 2, columns: 64, epilogue: "tma" }],
  ["a row of 128 pixels for two tiles", { N: 1, H: 2, W: 128, KH: 1, padding: [0, 1, 0, 1] }, {}],
  ["pairs that share weights", { N: 5, KH: 1, CO: 128 }, { cluster: "2m", columns: 128, stages: 3 }],
  ["pairs that share pixels", { N: 3, KW: 1, CO: 128, stride: [2, 1] }, { cluster: "2n", columns: 64, order: "hilbert" }],
  [
    "images of 4x4, stored in parts by two consumers",
    { N: 9, H: 4, W: 4, KH: 1, KW: 1, padding: [0, 0, 0, 0], CO: 128 },
    { consumers: 2, columns: 128, parts: 2, epilogue: "tma" },
  ],
  ["one output pixel an image", { H: 3, W: 3, padding: [0, 0, 0, 0], N: 7 }, {}],
  [
    "an image smaller than a tile, stored by the engine",
    { N: 1, H: 9, W: 9, KH: 1, KW: 1, padding: [0, 0, 0, 0], CO: 64 },
    { consumers: 2, columns: 64, group: 3, epilogue: "tma" },
  ],
];

describe("small convolutions, run by warpgroups", () => {
  const names = /^(stride 2 by|dilated|1x1|two groups|pairs that share pixels|images of 4x4|an image smaller)/;
  it.each(isFull ? small : small.filter(([what]) => names.test(what)))("%s", (_, over, knobs) =>
    expectRight({ ...usual, ...over }, {}, knobs));
});

const gradients: readonly Small[] = [
  ["3x3, which has more channels than it is given", { CI: 64 }, { columns: 64 }],
  ["3x2 of an odd image, no padding", { KW: 2, H: 7, W: 5, padding: [0, 0, 0, 0] }, { stages: 3 }],
  ["four paddings, dilated", { KH: 2, dilation: [3, 2], padding: [0, 2, 3, 1], W: 7 }, { producer: 40 }],
  ["padded beyond the filter, so that results at the border count for nothing", { KH: 2, KW: 1, padding: [3, 1, 2, 2] }, {}],
  ["channels in runs of 16 with a tail", { CI: 24, CO: 40, KW: 2 }, { step: 16, columns: 32 }],
  ["two groups of 48 in tiles of 16", { CI: 96, CO: 64, KH: 2, groups: 2 }, { step: 32, columns: 16 }],
  [
    "1x1, stored by the engine in two parts",
    { N: 3, KH: 1, KW: 1, padding: [0, 0, 0, 0], CI: 128 },
    { columns: 128, parts: 2, epilogue: "tma" },
  ],
  ["1x1 with a border, whose results count for nothing", { KH: 1, KW: 1 }, {}],
  ["pairs that share weights", { N: 5, KH: 1, CI: 64 }, { cluster: "2m", columns: 64, consumers: 2, stages: 3 }],
  ["pairs that share pixels", { N: 3, KW: 1, CI: 128 }, { cluster: "2n", columns: 64, order: "hilbert" }],
];
describe("the gradient of the data, run by warpgroups", () => {
  it.each(some(gradients, 2, 5, 7))("%s", (_, over, knobs) => expectRight({ ...usual, ...over }, { gradient: "input" }, knobs));
});

/** 16 channels of each part at least. The rest of a tap's last part is zeros. All blocks run, because each part has some. */
type Split = readonly [what: string, conv: Partial<Conv> & { gradient?: string; dtype?: string }, knobs: Small[2]];
const split: readonly Split[] = [
  ["two parts, pixels over the end", { N: 1, H: 7, W: 7, CI: 64 }, { epilogue: 2, step: 32, waves: 1 }],
  ["four parts of 28 channels in two steps each", { CI: 112, KH: 2 }, { epilogue: 4, step: 16, waves: 1, producer: 40 }],
  [
    "eight parts of a product",
    { N: 3, CI: 128, KH: 1, KW: 1, padding: [0, 0, 0, 0], dtype: "bfloat16" },
    { epilogue: 8, step: 16, waves: 1 },
  ],
  [
    "two parts of three steps, the last of zeros, by two consumers in pairs along m",
    { N: 9, CI: 80, KW: 1, stride: [2, 1], CO: 40 },
    { epilogue: 2, step: 16, waves: 1, consumers: 2, cluster: "2m", stages: 3 },
  ],
  ["two parts of each of two groups", { CI: 64, CO: 64, KH: 1, groups: 2 }, { epilogue: 2, step: 16 }],
  ["four parts of a gradient", { CO: 128, KW: 2, gradient: "input" }, { epilogue: 4, step: 32, waves: 1 }],
  ["two parts of a gradient of groups", { CO: 64, CI: 64, KH: 1, groups: 2, gradient: "input" }, { epilogue: 2, step: 16 }],
  [
    "two parts along the curve in pairs along n",
    { CI: 64, CO: 128, KH: 1 },
    { epilogue: 2, step: 32, waves: 1, cluster: "2n", order: "hilbert" },
  ],
  ["a block for each of several tiles", { N: 5, CO: 128 }, { columns: 64, waves: 1, epilogue: "tma" }],
];
describe("parts of the channels, which a second kernel adds", () => {
  it.each(split)("%s", (_, { gradient = "none", dtype = "float16", ...over }, knobs) =>
    expectRight({ ...usual, ...over }, { gradient, dtype }, knobs, Number.POSITIVE_INFINITY));

  const choicesOf = (args: Json, knob: string) => {
    const found = taskOf(args).space.knobs.find(({ name }) => name === knob);
    return Array.from({ length: found?.size ?? 0 }, (_, digit) => found?.decode(digit));
  };
  it.each<[args: Json, epilogues: readonly Json[]]>([
    [{ N: 1, H: 7, W: 7, CI: 512, CO: 512 }, ["direct", 2, 4, 8]],
    [{ N: 1, H: 7, W: 7, CI: 56, CO: 512 }, ["direct", 2, 4]],
    [{ N: 1, H: 7, W: 7, CI: 96, CO: 96, groups: 2 }, ["direct"]],
    [{ N: 32, H: 7, W: 7, CI: 16, CO: 512 }, ["direct", "tma"]],
    [{ N: 32, H: 56, W: 56, CI: 512, CO: 512 }, ["direct", "tma"]],
  ])("are for results of few tiles, 16 channels each: %j", (args, epilogues) =>
    expect(choicesOf(args, "epilogue")).toEqual(epilogues));
  it("tiles of 32 filters are for small results", () => {
    expect(choicesOf({ N: 1, H: 7, W: 7, CI: 512, CO: 512 }, "columns")).toContain(32);
    expect(choicesOf({ N: 32, H: 56, W: 56, CI: 512, CO: 512 }, "columns")).not.toContain(32);
  });
  it("are refused where steps leave one without channels", () => {
    const task = taskOf({ N: 1, H: 7, W: 7, CI: 64, CO: 64 });
    const found = task.validate(pointOf(task, { epilogue: 2, step: 64 }), gpuLimits(formatTarget(target)));
    expect(found.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("steps of 64 channels do not fill 2 parts of the 64 channels of a group"),
    );
  });
  it("begin the search of a deep sum for few pixels", () => {
    const task = taskOf({ N: 1, H: 7, W: 7, CI: 512, CO: 512 });
    const [first] = task.starts ?? [];
    const knobs = new Map(entityOf(task.space, first as ConfigIndex).map(([name, , value]) => [name, value]));
    expect([knobs.get("epilogue"), knobs.get("waves")]).toEqual([8, 1]);
  });
});

it("an epilogue computes with the sums, which are rounded once or not at all", () => {
  for (const by of ["direct", "tma"]) {
    const textWith = (...epilogue: string[]) => {
      const task = taskOf({ ...usual, N: 3, CO: 64, epilogue } as unknown as Json);
      return compiled(task, pointOf(task, { columns: 64, epilogue: by })).text;
    };
    expect(textWith("bias", "relu")).toMatch(/f32_to_f16x2\(max_f32\(/);
    expect(textWith("bias", "relu")).not.toMatch(/round_f16|f16_to_f32\(f32_to_f16/);
    expect(textWith("cast(float32)")).not.toMatch(/f32_to_f16|round_f16/);
  }
});

/** Bias and residual of small whole numbers, so that results are exact. */
it.each<[what: string, conv: Partial<Conv>, knobs: Readonly<Record<string, Json>>]>([
  ["one part", { KH: 1, CO: 64, H: 7, W: 9 }, { epilogue: "tma", columns: 64, producer: 40 }],
  [
    "two parts by two consumers, four images whose pixels end in a tile",
    { N: 4, KH: 1, KW: 1, padding: [0, 0, 0, 0], H: 9, W: 7, CO: 128 },
    { epilogue: "tma", consumers: 2, columns: 128, parts: 2 },
  ],
  ["one image whose pixels end in a tile", { N: 1, KH: 1, H: 7, W: 9, CO: 64 }, { epilogue: "tma", columns: 64 }],
  ["every second pixel", { N: 3, KH: 1, H: 11, W: 7, stride: [2, 1], CO: 64 }, { epilogue: "tma", columns: 64 }],
  ["filters that end in a tile", { KH: 1, H: 7, W: 9, CO: 40 }, { epilogue: "tma", columns: 64 }],
  ["two parts of the channels", { N: 1, KH: 1, H: 7, W: 9, CI: 64, CO: 40 }, { epilogue: 2, step: 32, waves: 1 }],
])("bias, residual and relu before the result is stored: %s", (_, over, knobs) => {
  const conv = { ...usual, ...over };
  const task = taskOf({ ...conv, epilogue: ["bias", "residual", "relu"] } as unknown as Json);
  const at = pointOf(task, knobs);
  compiled(task, at);
  const inputs = inputsOf(task);
  const got = resultsOf(task, at, inputs);
  const of = (name: string) => Array.from(inputs.get(name) as Iterable<number>, Number);
  const [bias, residual] = [of("bias"), of("residual")];
  const sums = scattered(conv, inputs.get("A") as TensorData, inputs.get("W") as TensorData);
  const expected = sums.map((sum, i) => Math.max(sum + (bias[i % conv.CO] as number) + (residual[i] as number), 0));
  expect(Math.max(...expected)).toBeGreaterThan(0);
  expect(Math.max(...expected)).toBeLessThan(2048);
  expect(got).toEqual(expected);
});

it("is right at drawn convolutions and configs", () => {
  const random = new Random(45);
  const from = (least: number, count: number) => least + random.below(count);
  let run = 0;
  while (run < (isFull ? 40 : 1)) {
    const [KH, KW] = [from(1, 3), from(1, 3)];
    const dilation = [from(1, 2), from(1, 2)] as const;
    const padding = [random.below(3), random.below(3), random.below(3), random.below(3)] as const;
    const side = (k: number, d: 0 | 1) =>
      Math.max((k - 1) * dilation[d] + 1 - padding[d] - (padding[d + 2] as number), from(1, 7), 1);
    const groups = from(1, 2);
    const isGradient = run % 2 === 1;
    const gradient = isGradient ? "input" : "none";
    const channels = () => (groups > 1 ? groups * 16 * from(1, 2) : 8 * from(2, 6));
    const conv: Conv = {
      ...{ N: from(2, 2), H: side(KH, 0), W: side(KW, 1), CI: channels(), CO: channels(), KH, KW },
      ...{ stride: isGradient ? [1, 1] : [from(1, 3), from(1, 2)], padding, dilation, groups },
    };
    const { height, width } = resultOf(conv, isGradient);
    // Most configs of these are refused: lanes that keep the sums are not proven to be those that store them (ADR 91).
    if (width === 4 && height % 2 === 1) continue;
    const task = taskOf({ ...conv, gradient } as unknown as Json);
    const digits = task.space.knobs.map(({ size }) => random.below(size));
    const knobs = Object.fromEntries(task.space.knobs.map(({ name, decode }, d) => [name, decode(digits[d] as number)]));
    if (task.validate(pointOf(task, knobs), gpuLimits(formatTarget(target))).some(({ rule }) => rule === "parts")) continue;
    // Parts of panels are for results that the engine stores, which have more columns. All blocks run.
    expectRight(conv, { epilogue: ["cast(float32)"], gradient }, { ...knobs, parts: 1 }, Number.POSITIVE_INFINITY);
    run++;
  }
});

it("asks the engine for pixels with the borders, steps and taps of the convolution", () => {
  const conv = { ...usual, H: 9, W: 8, KH: 3, KW: 2, stride: [2, 3], padding: [1, 2, 0, 3], dilation: [2, 1] };
  const { maps = [], text } = compiled(taskOf(conv as unknown as Json), pointOf(taskOf(conv as unknown as Json), {}));
  expect(maps.find(({ buffer }) => buffer === "A")).toMatchObject({
    dims: [2, 9, 8, 32],
    box: [64, 32],
    element_strides: [1, 2, 3, 1],
    // (OH - 1) * 2 - 1 - (9 - 1) and (OW - 1) * 3 - 2 - (8 - 1), of 3 rows and 4 columns.
    im2col: { lower: [-1, -2], upper: [-5, 0] },
  });
  expect(text).toContain(
    "cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, A, dims, strides, lower, upper, 32, 64",
  );
  expect(text).toContain(".im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};");
});

it.each([8, 14, 64])("warpgroups that store rows of %d pixels wait for their own threads alone", (W) => {
  const task = taskOf({ ...usual, N: 4, H: 14, W, CO: 64 } as unknown as Json);
  const { text, maps = [] } = compiled(task, pointOf(task, { consumers: 2, columns: 64, epilogue: "tma", producer: 40 }));
  expect(text).toContain("warpgroup_meets(");
  expect(text).not.toContain("consumers_meet");
  expect(maps.find(({ buffer }) => buffer === "Conv")).toMatchObject({ dims: [4 * 14 * W, 64], box: [64, 64] });
});

it("asks for rows of a matrix where a convolution is a product", () => {
  const { maps = [] } = compiled(taskOf({ N: 2, H: 5, W: 6, CI: 64, CO: 64, KH: 1, KW: 1, padding: 0 }), 0 as never);
  expect(maps.find(({ buffer }) => buffer === "A")).toMatchObject({ dims: [60, 64], box: [64, 64] });
});

it.each<[args: Json, why: string]>([
  [{ CI: 8, CO: 64 }, "each of 1 groups has 8 input channels; this template takes 16 and more"],
  [{ CI: 64, CO: 64, groups: 8 }, "each of 8 groups has 8 input channels; this template takes 16 and more"],
  [{ CI: 48, CO: 48, groups: 2 }, "each of 2 groups has 24 input and 24 output channels; this template takes multiples of 16"],
  [{ CI: 36, CO: 64 }, "CI is 36; the copy engine takes multiples of 8"],
  [{ stride: 9, padding: 9, H: 30, W: 30 }, "stride is [9,9]; the copy engine takes 1 to 8"],
  [{ padding: 128 }, "borders [128,128,128,128"],
  [{ KH: 3, H: 300, dilation: [128, 1] }, "taps reach [256,2] pixels"],
  [
    { gradient: "input", stride: [1, 2] },
    "gradient is input and stride [1,2]; this template takes stride 1 alone, conv2d_derived any",
  ],
  [{ gradient: "input", CO: 8 }, "each of 1 groups has 8 output channels; this template takes 16 and more"],
  [{ gradient: "input", padding: 131 }, "borders [-129,-129,-129,-129"],
  [{ N: 1, H: 3, W: 3, padding: 0 }, "the result is one pixel; this template takes two and more"],
  [{ groups: 3 }, "groups is 3; it must divide the 256 input and the 512 output channels"],
])("refuses %j", (args, why) => expect(() => taskOf(args)).toThrow(why));

const shapes = [
  [
    { N: 64, H: 7, W: 7, CI: 512, CO: 512 },
    { consumers: 2, columns: 128, stages: 6, epilogue: "tma", producer: 40 },
  ],
  [
    { N: 32, H: 64, W: 64, CI: 128, CO: 256 },
    { consumers: 2, columns: 256, stages: 4, epilogue: "tma", parts: 2, cluster: "2m", producer: 40 },
  ],
  [
    { N: 1, H: 7, W: 7, CI: 512, CO: 512 },
    { consumers: 1, columns: 64, stages: 8, epilogue: 8, waves: 1, producer: 40 },
  ],
  [
    { N: 32, H: 64, W: 64, CI: 256, CO: 128, gradient: "input" },
    { consumers: 2, columns: 256, stages: 4, epilogue: "tma", parts: 2, cluster: "2m", producer: 40 },
  ],
] as const;
it.for(some<(typeof shapes)[number]>(shapes, 0, 2, 3))("%o %o needs no more registers than there are", ([args, knobs], ctx) => {
  needsNvccInCampaign(ctx);
  const task = taskOf(args);
  expect(nvccResources(textOf(task, pointOf(task, knobs)), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
});
