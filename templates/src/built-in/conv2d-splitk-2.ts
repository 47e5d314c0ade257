/**
 * conv2d_splitk with more knobs. The knobs of conv2d_splitk come first, and the first value of each new knob keeps its behaviour,
 * so a config of conv2d_splitk has the same index, entries and program here.
 */
import { parseTarget } from "@warpfarm/common";
import { defineTemplate } from "../define-template.ts";
import { convCheck } from "./conv-args.ts";
import { scheduleSplitk, splitkArgs, splitkGraph, splitkKnobs } from "./splitk-schedule.ts";

export const conv2dSplitk2 = defineTemplate({
  name: "conv2d_splitk_2",
  aliases: [],
  summary: "conv2d_splitk with more to choose: filters of a block, chunks of channels, a second kernel that starts early",
  targets: [{ kind: "cuda" }],
  args: splitkArgs,
  check: convCheck,
  // As conv2d_splitk's.
  published: { tile: [7, 7], warps: 8, channels: 4, vectors: 1, sum_threads: 128 },

  graph: ({ args }) => splitkGraph(args, args.border),
  counted: ({ args }) => splitkGraph(args, "pad"),
  space: (space, _, { args, target }) => ({
    ...splitkKnobs(space, args),
    filters: space.choice("filters", [32, 64], { absent: 32 }),
    arrays: space.choice("arrays", [1, 2, 3], { absent: 1 }),
    dependent: space.choice("dependent", parseTarget(target).level >= 90 ? [0, 1] : [0], { absent: 0 }),
  }),
  schedule: (sch, knobs, { args }) => scheduleSplitk(sch, knobs, args),
});
