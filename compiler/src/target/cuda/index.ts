import type { Kernel } from "../../ir/prim-func.ts";
import { handOver } from "../../lower/passes/handover.ts";
import { splitKernels } from "../../lower/passes/split-kernels.ts";
import { threadRules } from "../../verify/thread-rules.ts";
import { joinedText } from "../c-family/joined-text.ts";
import { allDTypes } from "../c-family/types.ts";
import type { TargetDef } from "../target-def.ts";
import { cudaKernelText, cudaPrelude } from "./codegen.ts";
import { cudaVectorBytes } from "./dtype.ts";
import { handoverCapability } from "./handover.ts";
import { withNotes } from "./notes.ts";
import { cudaPipeline } from "./pipeline.ts";

function withoutHandover({ dependent, ...kernel }: Kernel, level: number): Kernel {
  if (!dependent) return kernel;
  const message = `the kernel "${kernel.func.name}" starts when the one before it has ended: sm_${level} has no dependent launches, sm_${handoverCapability} has`;
  const notes = [...(kernel.func.notes ?? []), { rule: "dependent.ignored", message }];
  return { ...kernel, func: { ...kernel.func, notes } };
}

export const cudaTarget: TargetDef = {
  language: { name: "cuda", extension: "cu" },
  pipeline: ({ level }) => cudaPipeline(level),
  split: (func, { level }) => {
    const kernels = splitKernels(func).map((kernel) => withNotes(kernel, level));
    return level < handoverCapability ? kernels.map((kernel) => withoutHandover(kernel, level)) : handOver(kernels);
  },
  features: () => ({ dtypes: allDTypes, vectorDTypes: allDTypes, maxVectorBytes: cudaVectorBytes, movesAlone: true }),
  rules: threadRules,
  print: (kernels, { level, features }) => {
    const prelude = cudaPrelude(level === 90 && features.has("a"));
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
