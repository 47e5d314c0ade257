/** CUDA C++ for NVIDIA GPUs, from sm_70 on. */
import { splitKernels } from "../../lower/passes/split-kernels.ts";
import { threadRules } from "../../verify/thread-rules.ts";
import { joinedText } from "../c-family/joined-text.ts";
import type { TargetDef } from "../target-def.ts";
import { cudaKernelText, cudaPrelude } from "./codegen.ts";
import { cudaDTypes, cudaVectorBytes } from "./dtype.ts";
import { cudaPipeline } from "./pipeline.ts";

export const cudaTarget: TargetDef = {
  language: { name: "cuda", extension: "cu" },
  pipeline: ({ level }) => cudaPipeline(level),
  split: splitKernels,
  features: () => ({ dtypes: cudaDTypes, vectorDTypes: cudaDTypes, maxVectorBytes: cudaVectorBytes }),
  rules: (kernel, { level }) => threadRules(kernel, level),
  print: (kernels) => {
    const prelude = cudaPrelude();
    const texts = kernels.map((kernel) => cudaKernelText(kernel, prelude));
    return {
      text: joinedText(
        prelude.text,
        texts.map(({ text }) => text),
      ),
      dynamicSharedBytes: texts.map(({ dynamicSharedBytes }) => dynamicSharedBytes),
    };
  },
};
