import { wholeKernel } from "../../lower/passes/split-kernels.ts";
import { hostRules } from "../../verify/host-rules.ts";
import { joinedText } from "../c-family/joined-text.ts";
import { allDTypes } from "../c-family/types.ts";
import type { TargetDef } from "../target-def.ts";
import { cpuKernelText, cpuPrelude } from "./codegen.ts";
import { cpuVectorDTypes } from "./dtype.ts";
import { cpuPipeline } from "./pipeline.ts";
import { vectorBytes } from "./vector-bytes.ts";

export const cpuTarget: TargetDef = {
  language: { name: "c", extension: "c" },
  pipeline: (target) => cpuPipeline(vectorBytes(target)),
  split: wholeKernel,
  features: (target) => ({
    dtypes: allDTypes,
    vectorDTypes: cpuVectorDTypes,
    maxVectorBytes: vectorBytes(target),
    movesAlone: false,
  }),
  rules: () => hostRules,
  print: (kernels) => {
    const prelude = cpuPrelude();
    const texts = kernels.map((kernel) => cpuKernelText(kernel, prelude));
    return { text: joinedText(prelude.text, texts), dynamicSharedBytes: kernels.map(() => 0) };
  },
};
