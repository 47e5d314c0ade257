/**
 * Convolution NCHW of few pixels and many channels on a GPU, the sum over channels split over blocks (splitk-schedule.ts). A
 * block sums 32 filters and all its channels at once. conv2d_splitk_2 has these configs and more.
 */
import { defineTemplate } from "../define-template.ts";
import { convCheck } from "./conv-args.ts";
import { scheduleSplitk, splitkArgs, splitkGraph, splitkKnobs } from "./splitk-schedule.ts";

export const conv2dSplitk = defineTemplate({
  name: "conv2d_splitk",
  aliases: [],
  summary: "convolution NCHW of few pixels and many channels on CUDA, channels split over blocks",
  targets: [{ kind: "cuda" }],
  args: splitkArgs,
  check: convCheck,
  // Published by no one: eight warps of four channels, weights and pixels read four at a time.
  published: { tile: [7, 7], warps: 8, channels: 4, vectors: 1, sum_threads: 128 },

  graph: ({ args }) => splitkGraph(args, args.border),
  counted: ({ args }) => splitkGraph(args, "pad"),
  space: (space, _, { args }) => splitkKnobs(space, args),
  schedule: (sch, knobs, { args }) => scheduleSplitk(sch, { ...knobs, filters: 32, arrays: 1, dependent: 0 }, args),
});
