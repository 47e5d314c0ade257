export { templates } from "./built-in/index.ts";
export {
  type Context,
  defineTemplate,
  type OpenedTemplate,
  type Template,
  type TemplateDefinition,
} from "./define-template.ts";
export { splitTails, tailWords } from "./epilogue/tails.ts";
export { exactly } from "./exactly.ts";
export { fittingTarget, usualTarget } from "./fitting-target.ts";
export { isHalf, keptType, NodeRefusal, type NodeSpec, onnxTypes, sizeOf } from "./onnx/node.ts";
export { isElementwise, onnxOperators } from "./onnx/operators.ts";
export { nodeGraph, type Subgraph, subgraphGraph, type TensorSpec } from "./onnx/subgraph.ts";
export { type FittingTemplates, findOperator, type Operator, operators } from "./operators.ts";
export type { Outline } from "./outline.ts";
export {
  createTask,
  findTemplate,
  type Instance,
  isTemplateFile,
  isTemplateTask,
  type Task,
  type TemplateTask,
  templateNamed,
} from "./task.ts";
export {
  type ArgSpec,
  type ArgSpecs,
  type ArgValues,
  argumentRule,
  pair,
  readArgs,
  readTaskArgs,
  whole,
  withEpilogue,
  word,
  writeArgs,
} from "./template-args.ts";
