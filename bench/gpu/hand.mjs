/**
 * Templates of operators beside the schedules that are derived for the same shapes: both are searched with equal trials, then the
 * two fastest kernels are measured in turns. `hand / derived` is the median over the turns of the derived kernel's time by the
 * hand-written one's: above 1 the template wins. It wins by more than noise where the interval of the middle half of the turns
 * lies above 1.
 */
import { measure, openSearch } from "../../index.js";
import { createTask } from "../../templates/dist/index.js";
import { median } from "./shared/sections.mjs";

const turns = 11;
const conv = (N, side, CI, CO, taps, more = {}) => ({ N, H: side, W: side, CO, CI, KH: taps, KW: taps, ...more });
const halfPadded = (taps, stride = 1) => ({ stride, padding: taps >> 1 });

/** [template, its arguments, arguments of `matmul_derived` or `conv2d_derived`]. */
const image = (template, layout, sizes) => [template, sizes, { ...sizes, layout, dtype: "float32" }];
const matrices = (template, M, N, K, dtype = "float16", layout = "NN") => {
  const sizes = { M, N, K, layout };
  return [template, template === "matmul_simt" ? sizes : { ...sizes, dtype }, { ...sizes, dtype }];
};
const nchw = (side, CI, CO, taps, stride = 1) =>
  image("conv2d_nchw_cpu", "NCHW", conv(1, side, CI, CO, taps, halfPadded(taps, stride)));
const hwcn = (N, side, CI, CO, taps) => image("conv2d_hwcn_cpu", "HWCN", conv(N, side, CI, CO, taps, halfPadded(taps)));

/** By device. The documented size of the HWCN convolution has 256 images, which take a processor seconds: 16 and 32 here. */
export const handCases = {
  cpu: {
    "NCHW 7x7 512-512 3x3": nchw(7, 512, 512, 3),
    "NCHW 56x56 64-64 3x3": nchw(56, 64, 64, 3),
    "NCHW 14x14 256-1024 1x1": nchw(14, 256, 1024, 1),
    "NCHW 28x28 256-256 3x3 stride 2": nchw(28, 256, 256, 3, 2),
    "NCHW 112x112 3-64 7x7 stride 2": nchw(112, 3, 64, 7, 2),
    "HWCN 14x14 256-512 3x3 16 images": hwcn(16, 14, 256, 512, 3),
    "HWCN 28x28 64-64 3x3 32 images": hwcn(32, 28, 64, 64, 3),
  },
  cuda: {
    "mma 512x512x512": matrices("matmul_mma", 512, 512, 512),
    "mma 1000x1000x1000 NT": matrices("matmul_mma", 1000, 1000, 1000, "float16", "NT"),
    "mma 4096x4096x4096": matrices("matmul_mma", 4096, 4096, 4096),
    "latency 16x4096x4096 NT": matrices("matmul_latency", 16, 4096, 4096, "float16", "NT"),
    "simt 512x512x512": matrices("matmul_simt", 512, 512, 512, "float32"),
    "simt 2048x2048x2048": matrices("matmul_simt", 2048, 2048, 2048, "float32"),
    "gemm 14x14 256-256 3x3": image("conv2d_nchw_gemm", "NCHW", conv(1, 14, 256, 256, 3, halfPadded(3))),
    "gemm 56x56 64-256 1x1": image("conv2d_nchw_gemm", "NCHW", conv(1, 56, 64, 256, 1, halfPadded(1))),
    "splitk 7x7 512-512 3x3": image("conv2d_splitk", "NCHW", conv(1, 7, 512, 512, 3, halfPadded(3))),
    "HWCN 14x14 256-512 3x3 256 images": image("conv2d_hwcn_direct", "HWCN", conv(256, 14, 256, 512, 3, halfPadded(3))),
  },
};

const derivedOf = (template) => (template.startsWith("matmul") ? "matmul_derived" : "conv2d_derived");

/** The template, and how many configs it and the derived schedules have. */
export const handSpaces = ([template, own, derived], target) => [
  template,
  createTask(template, own, target).space.valid.count,
  createTask(derivedOf(template), derived, target).space.valid.count,
];

/** The fastest config, its microseconds, and how many trials there were and ran. */
async function searched(farm, task, args, trials, signal) {
  /** @type {any} */
  const asked = { task, args, tuner: "auto", seed: 1, start: "none", budget: { trials }, finalists: { count: 0 } };
  const search = await openSearch(farm, { ...asked, measure: { repeat: 3 } }, { signal });
  /** @type {any} */
  const found = { trials: 0, ran: 0 };
  try {
    for await (const event of search) {
      if (event.kind !== "trial") continue;
      const { result, config } = event.trial;
      found.trials++;
      if (result.kind === "timed" || result.kind === "slower") found.ran++;
      if (result.kind !== "timed") continue;
      const time = median(result.costs) * 1e6;
      if (time < (found.us ?? Number.POSITIVE_INFINITY)) Object.assign(found, { us: time, config: config.entity });
    }
  } finally {
    await search[Symbol.asyncDispose]();
  }
  return found;
}

/** The quarter, the half and three quarters of the way through the sorted values. */
const quartiles = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.round(part * (sorted.length - 1))]);
};

/** Both searches of a case, `atOnce` where builds disturb no measurement; then both winners in turns. */
export async function searchedByHand(farm, [template, own, derived], { trials, atOnce }, signal) {
  const other = derivedOf(template);
  const first = searched(farm, template, own, trials, signal);
  if (!atOnce) await first;
  const found = await Promise.all([first, searched(farm, other, derived, trials, signal)]);
  const kernels = [
    { task: template, args: own, config: found[0].config },
    { task: other, args: derived, config: found[1].config },
  ];
  /** @type {[number[], number[]]} */
  const times = [[], []];
  for (let turn = 0; turn < turns; turn++)
    for (const [i, kernel] of turn % 2 === 0 ? [...kernels.entries()] : [...kernels.entries()].toReversed()) {
      const result = await measure(farm, { ...kernel, measure: { repeat: 5 } }, { signal });
      if (result.kind !== "timed") throw new Error(`${kernel.task}: ${JSON.stringify(result).slice(0, 200)}`);
      times[i].push(Math.min(...result.costs) * 1e6);
    }
  const [low, ratio, high] = quartiles(times[0].map((time, turn) => times[1][turn] / time));
  const [hand, ours] = times.map(median);
  return { template, hand, derived: ours, ratio, low, high, searches: found.map(({ trials: of, ran }) => `${ran}/${of}`) };
}

/** For people. */
export const handRows = ({ unfinished, ...results }) =>
  Object.entries(results).map(([name, { template, hand, derived, ratio, low, high, searches, why }]) => [
    ...[name, template ?? "", hand?.toFixed(1) ?? "", derived?.toFixed(1) ?? "", ratio?.toFixed(2) ?? ""],
    ...[
      low === undefined ? (why ?? "") : `${low.toFixed(2)} to ${high.toFixed(2)}`,
      low > 1 ? "hand" : high < 1 ? "derived" : "tie",
    ],
    searches?.join(", ") ?? "",
  ]);
