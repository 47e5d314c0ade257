/**
 * The 1x1 convolutions and the first 3x3 of MobileNet-v2 (Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks,
 * CVPR 2018, table 2), width 1, batch 1. Its depthwise convolutions are left out: no template computes them.
 */
import { convolutions, type Layer } from "./convolutions.ts";

/** Expansion, output channels, repeats, stride of the first: table 2. */
const blocks = [
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
] as const;

function layersOf(): readonly Layer[] {
  const layers: Layer[] = [[224, 3, 32, 3, 2, 1]];
  let [side, channels] = [112, 32];
  for (const [expansion, out, repeats, first] of blocks)
    for (let i = 0; i < repeats; i++) {
      const inside = channels * expansion;
      if (expansion > 1) layers.push([side, channels, inside, 1, 1, 1]);
      if (i === 0) side /= first;
      layers.push([side, inside, out, 1, 1, 1]);
      channels = out;
    }
  layers.push([side, channels, 1280, 1, 1, 1]);
  return counted(layers);
}

function counted(layers: readonly Layer[]): readonly Layer[] {
  const rows = new Map<string, Layer>();
  for (const layer of layers) {
    const [side, inside, out, kernel, stride] = layer;
    const key = [side, inside, out, kernel, stride].join();
    rows.set(key, [side, inside, out, kernel, stride, (rows.get(key)?.[5] ?? 0) + 1]);
  }
  return [...rows.values()];
}

export const mobilenetV2 = {
  name: "mobilenet-v2",
  about: "the 1x1 convolutions and the first layer of MobileNet-v2, batch 1, float32",
  tasks: convolutions(layersOf()),
  budget: { trials: 64 },
};
