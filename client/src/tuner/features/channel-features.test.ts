/**
 * What a cost model sees of channels: each number, worked out by hand, changes with its knob and no other does; a program without
 * channels has the vector it always had.
 */
import type { Json } from "@warpfarm/common";
import { type ChannelFeatures, type ConfigIndex, channelFacts, channelFeatures, channelFields, infer } from "@warpfarm/compiler";
import { createTask, type TemplateTask } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { extractFeatures } from "./features.ts";

const [M, N, K] = [2048, 2048, 1024];
const tma = createTask("matmul_tma", { M, N, K }, "cuda/sm_90a");
const knobs: Readonly<Record<string, Json>> = {
  ...{ consumers: 2, columns: 128, stages: 4, group: 4, waves: 1, producer: 40, epilogue: "tma", cluster: 1, order: "rows" },
  ...{ parts: 1, chunk: 0, residual: "direct" },
};
const at = ({ space }: TemplateTask, values: Readonly<Record<string, Json>>): ConfigIndex =>
  space.fromDigits(space.knobs.map((knob) => knob.find(values[knob.name] as Json) as number));
function inferred(task: TemplateTask, index: ConfigIndex) {
  const made = task.schedule(index);
  const found = made.ok ? infer(made.value.state) : undefined;
  if (!found?.ok) throw new Error("the config has a schedule");
  return found.value;
}
const facts = (changed: Readonly<Record<string, Json>>) => channelFacts(inferred(tma, at(tma, { ...knobs, ...changed })));

/** 128 rows and 128 columns of 64 halves; 256 tiles on 132 multiprocessors. */
const first: ChannelFeatures = {
  slots: 4,
  bytesATurn: (128 + 128) * 64 * 2,
  bytesInFlight: 4 * (128 + 128) * 64 * 2,
  turns: K / 64,
  tiles: 1,
  waves: 2,
};

describe("channels, as a cost model sees them", () => {
  it.each<[what: string, changed: Record<string, Json>, wanted: Partial<ChannelFeatures>]>([
    ["as they are", {}, {}],
    ["more slots", { stages: 6 }, { slots: 6, bytesInFlight: 6 * 32_768 }],
    ["wider tiles", { columns: 256 }, { bytesATurn: 49_152, bytesInFlight: 4 * 49_152, waves: 1 }],
    ["three tiles a block, of which the last go beyond", { waves: 3 }, { tiles: 3, waves: 3 }],
    ["as many tiles as make a block a multiprocessor", { waves: 0 }, { tiles: 2 }],
    ["fewer rows", { consumers: 1 }, { bytesATurn: 24_576, bytesInFlight: 4 * 24_576, waves: 4 }],
    ["stored by threads", { epilogue: "direct" }, {}],
    ["stored in parts", { parts: 2 }, {}],
    ["no producer", { producer: 0 }, {}],
  ])("%s", (_, changed, wanted) => {
    expect(facts(changed)).toEqual({ ...first, ...wanted });
  });

  it("half of the reduction a block", () => {
    const small = createTask("matmul_tma", { M: 512, N: 512, K }, "cuda/sm_90a");
    const made = channelFacts(inferred(small, at(small, { ...knobs, waves: 1, epilogue: 2 })));
    expect(made).toEqual({ ...first, turns: K / 64 / 2, waves: 1 });
  });

  it("stand before all else of a vector, on a scale of logarithms", () => {
    const index = at(tma, knobs);
    const wanted = channelFields.map((field) => Math.fround(Math.log2(first[field] + 1)));
    expect([...extractFeatures(tma, index).subarray(0, channelFields.length)]).toEqual(wanted);
  });

  it("are none where the engine brings nothing", () => {
    for (const [name, target] of [
      ["matmul_mma", "cuda/sm_90"],
      ["conv2d_hwcn", "cuda/sm_90"],
      ["matmul_derived", "cpu/x86-64-v3"],
    ] as const) {
      const task = createTask(name, undefined, target);
      expect(channelFeatures(inferred(task, task.space.toIndex(task.published ?? 0)))).toHaveLength(0);
    }
  });
});
