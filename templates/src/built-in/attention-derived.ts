/** Attention of any type, shape and target, as a graph of products and a softmax, with derived schedules. */
import { defineTemplate } from "../define-template.ts";
import { attentionArgs, attentionGraph, attentionTypes } from "./attention-args.ts";

export const attentionDerived = defineTemplate({
  name: "attention_derived",
  aliases: [],
  summary: "attention of any type and shape in several kernels, with derived schedules",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args: attentionArgs("float32", attentionTypes),
  graph: ({ args }) => attentionGraph(args),
});
