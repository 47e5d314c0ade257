import { deepbench } from "./deepbench.ts";
import { mobilenetV2 } from "./mobilenet-v2.ts";
import { resnet50 } from "./resnet50.ts";
import { transformer7b, transformer70b } from "./transformers.ts";

export const shippedSuites: Readonly<Record<string, unknown>> = {
  resnet50,
  "mobilenet-v2": mobilenetV2,
  "transformer-7b": transformer7b,
  "transformer-70b": transformer70b,
  deepbench,
};
