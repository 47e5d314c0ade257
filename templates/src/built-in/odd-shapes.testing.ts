/** Arguments at which no tile of a template divides the extents, and a config for them that the target can launch. */
import type { Json, Random } from "@warpfarm/common";
import { type ConfigIndex, gpuLimits } from "@warpfarm/compiler";
import type { TemplateTask } from "../task.ts";
import { attentionTypes } from "./attention-args.ts";
import { productTypes } from "./product-of-tiles.ts";

const mostTried = 2000;

/** Whether the template's least tile is 64x64 by 64: a shape takes a second. */
export const isTiled = (name: string): boolean => name.includes("_tma") || name === "matmul_3xtf32";

type Args = Readonly<Record<string, Json>>;
export type Draw = (random: Random) => Args;
const upTo = (random: Random, most: number): number => 1 + random.below(most);
const layouts = ["NN", "NT", "TN", "TT"];

const product: Draw = (random) => ({ M: upTo(random, 64), N: upTo(random, 64), K: upTo(random, 64) });
const halfProduct: Draw = (random) => ({
  ...product(random),
  dtype: random.pick(["float16", "bfloat16"]),
  layout: random.pick(layouts),
});
const convTypes = ["float32", "float16", "bfloat16", "float64", "int8", "uint8"];
const conv = (random: Random) => {
  const [KH, KW] = [upTo(random, 3), upTo(random, 3)];
  const dilation = [upTo(random, 2), upTo(random, 2)] as const;
  const padding = [0, 0, 0, 0].map(() => random.below(3)) as [number, number, number, number];
  const side = (kernel: number, d: 0 | 1) =>
    Math.max((kernel - 1) * dilation[d] + 1 - padding[d] - padding[(d + 2) as 2 | 3], upTo(random, 8), 1);
  const [H, W] = [side(KH, 0), side(KW, 1)];
  const stride = [upTo(random, 3), upTo(random, 2)];
  return { N: upTo(random, 3), H, W, CO: upTo(random, 20), CI: upTo(random, 20), KH, KW, stride, padding, dilation };
};
/**
 * The copy engine takes rows of 16 bytes: operands' rows are whole eights, all else is odd. Tensor cores take types of 8 bits as
 * NT.
 */
const engineProduct: Draw = (random) => {
  const narrow = random.pick(["float8_e4m3fn", "float8_e5m2", "int8"]);
  if (random.below(3) === 0) return { ...product(random), K: 16 * upTo(random, 16), dtype: narrow, layout: "NT" };
  const { M, N, K, ...rest } = halfProduct(random);
  const eights = (extent: Json | undefined, needed: boolean) => (needed ? 8 * Math.ceil(Number(extent) / 8) : Number(extent));
  const [isT, isN] = [String(rest.layout)[0] === "T", String(rest.layout)[1] === "N"];
  return { ...rest, M: eights(M, isT), N: eights(N, isN), K: eights(K, !isT || !isN) };
};
const engineBatch: Draw = (random) => {
  const one = engineProduct(random);
  return random.below(3) > 0 ? one : { ...one, batch: 1 + upTo(random, 2), b: random.pick(["own", "shared"]) };
};
const engineGroups: Draw = (random) => ({
  ...{ groups: upTo(random, 3), tiles: upTo(random, 4), tile: upTo(random, 80) },
  ...{ N: 8 * upTo(random, 8), K: 8 * upTo(random, 10), layout: random.pick(["NT", "NN"]) },
  dtype: random.pick(["float16", "bfloat16"]),
});
/** Of the templates whose arguments lie in whole tiles: only the image is odd. */
const tiledConv: Draw = (random) => ({ ...conv(random), N: 16, CI: 16, CO: 16 * upTo(random, 2) });

/** The copy engine takes channels in eights, from 16 on. */
const engineConv: Draw = (random) => ({
  ...conv(random),
  CI: 8 * (1 + upTo(random, 4)),
  CO: 8 * upTo(random, 4),
  dtype: random.pick(["float16", "bfloat16"]),
  ...random.pick([{}, { epilogue: ["cast(float32)"] }]),
});

export const shapes: Readonly<Record<string, Draw>> = {
  // The tutorial's template takes one image.
  "tutorial/conv2d_no_batching": (random) => ({ ...conv(random), N: 1 }),
  conv2d_nchw_cpu: conv,
  conv2d_nchw_gemm: conv,
  conv2d_splitk: conv,
  conv2d_hwcn: conv,
  conv2d_hwcn_direct: conv,
  conv2d_hwcn_cpu: conv,
  conv2d_nhwc_mma: conv,
  conv2d_nhwc_tma: engineConv,
  conv2d_nhwcnc_wmma: tiledConv,
  matmul_mma: halfProduct,
  matmul_latency: halfProduct,
  linear_w4: (random) => ({ M: upTo(random, 20), N: 16 * upTo(random, 2), K: 128 * upTo(random, 2) }),
  matmul_tma: engineBatch,
  grouped_tma: engineGroups,
  matmul_3xtf32: (random) => ({ ...product(random), layout: random.pick(layouts) }),
  matmul_simt: (random) => ({ ...product(random), layout: random.pick(layouts) }),
  matmul_derived: (random) => ({
    ...product(random),
    layout: random.pick(layouts),
    dtype: random.pick(Object.keys(productTypes)),
  }),
  conv2d_derived: (random) => {
    const layout = random.pick(["NCHW", "NHWC", "HWCN", "NHWCnc"]);
    const isTiled = layout === "NHWCnc";
    const groups = isTiled ? 1 : upTo(random, 3);
    const sizes = isTiled ? { N: 16, CI: 16, CO: 16 } : { CI: groups * upTo(random, 7), CO: groups * upTo(random, 7) };
    return { ...conv(random), ...sizes, groups, layout, dtype: random.pick(convTypes) };
  },
  attention_tma: (random) => ({
    ...{ B: 1, H: upTo(random, 2), M: upTo(random, 70), N: upTo(random, 70), D: 8 * upTo(random, 3) },
    ...{ dtype: random.pick(["float16", "bfloat16"]), mask: random.pick(["full", "causal"]) },
  }),
  attention_derived: (random) => ({
    ...{ B: upTo(random, 2), H: upTo(random, 2), M: upTo(random, 13), N: upTo(random, 13), D: upTo(random, 9) },
    ...{ dtype: random.pick(attentionTypes), mask: random.pick(["full", "causal"]) },
  }),
  depthwise_derived: (random) => {
    const { CI, CO, ...rest } = conv(random);
    return { ...rest, C: CI, M: upTo(random, 3), dtype: random.pick(convTypes) };
  },
  elementwise_derived: (random) => ({
    rows: upTo(random, 64),
    columns: upTo(random, 64),
    op: random.pick(["add", "subtract", "multiply", "relu"]),
    dtype: random.pick([...convTypes, "int32"]),
  }),
  subgraph_derived: (random) => {
    const { N, H, W, CO, CI, KH, KW, stride, padding, dilation } = conv(random);
    const tensor = (name: string, ...shape: readonly number[]) => ({ name, dtype: "float32", shape });
    return {
      inputs: [tensor("x0", N, CI, H, W), tensor("x1", CO, CI, KH, KW), tensor("x2", CO)],
      nodes: [
        {
          op: "Conv",
          inputs: ["x0", "x1", "x2"],
          outputs: ["t0"],
          attributes: { strides: stride, pads: padding, dilations: dilation },
        },
        { op: "Relu", inputs: ["t0"], outputs: ["t1"] },
      ],
      outputs: ["t1"],
    };
  },
  "tutorial/auto_tensorcore/test_gemm": (random) => ({
    N: upTo(random, 40),
    L: upTo(random, 40),
    M: upTo(random, 40),
    layout: random.pick(layouts),
  }),
};

/** A config that the target can launch; undefined where none was met. */
export function launchable(task: TemplateTask, random: Random): ConfigIndex | undefined {
  const limits = task.target.startsWith("cuda") ? gpuLimits(task.target) : undefined;
  for (let tried = 0; tried < mostTried; tried++) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (limits === undefined ? task.instantiate(index).ok : task.validate(index, limits).length === 0) return index;
  }
  return undefined;
}

/**
 * Multiplications of a shape at most, and threads of all blocks: the interpreter does a million of either in a second. Some
 * templates have a least tile of 64x64 by 64; matmul_3xtf32 pads its sum to 128, and has three products.
 */
export function mostWorkOf(name: string, isFull = false): number {
  if (name === "matmul_3xtf32") return 3 * 64 * 64 * 128;
  if (name.includes("_tma")) return isFull ? 600_000 : 300_000;
  return isFull ? 200_000 : 30_000;
}

export const workOf = ({ graph }: TemplateTask): number =>
  Math.max(...graph.ops.map(({ axes, reduce }) => [...axes, ...reduce].reduce((n, { extent }) => n * extent, 1)));
