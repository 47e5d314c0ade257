/**
 * The convolutions of ResNet-50 (He et al., Deep Residual Learning for Image Recognition, CVPR 2016, table 1), batch 1, in
 * version 1.5: in a block that halves the image, the 3x3 has the stride. 53 layers, 23 shapes; `count` is how often a shape
 * occurs.
 */
import { convolutions } from "./convolutions.ts";

/** Side of the input, input channels, output channels, kernel, stride, count. */
const layers = [
  [224, 3, 64, 7, 2, 1],
  [56, 64, 64, 1, 1, 1],
  [56, 64, 64, 3, 1, 3],
  [56, 64, 256, 1, 1, 4],
  [56, 256, 64, 1, 1, 2],
  [56, 256, 128, 1, 1, 1],
  [56, 128, 128, 3, 2, 1],
  [28, 128, 512, 1, 1, 4],
  [56, 256, 512, 1, 2, 1],
  [28, 512, 128, 1, 1, 3],
  [28, 128, 128, 3, 1, 3],
  [28, 512, 256, 1, 1, 1],
  [28, 256, 256, 3, 2, 1],
  [14, 256, 1024, 1, 1, 6],
  [28, 512, 1024, 1, 2, 1],
  [14, 1024, 256, 1, 1, 5],
  [14, 256, 256, 3, 1, 5],
  [14, 1024, 512, 1, 1, 1],
  [14, 512, 512, 3, 2, 1],
  [7, 512, 2048, 1, 1, 3],
  [14, 1024, 2048, 1, 2, 1],
  [7, 2048, 512, 1, 1, 2],
  [7, 512, 512, 3, 1, 2],
] as const;

export const resnet50 = {
  name: "resnet50",
  about: "the 23 convolutions of ResNet-50, batch 1, float32",
  tasks: convolutions(layers),
  budget: { trials: 64 },
};
