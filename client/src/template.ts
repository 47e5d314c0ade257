/**
 * All that the file of a template or of a kernel's spec imports. Users have it as the package `warpfarm`: the file at the root of
 * this repository re-exports it.
 */
export { FarmError, parseTarget, type Target, type TargetNeed } from "@warpfarm/common";
export * from "@warpfarm/compiler";
export type { KernelSpecInput as KernelSpec } from "./kernel/spec.ts";
export {
  type Context,
  defineTemplate,
  type OpenedTemplate,
  type Template,
  type TemplateDefinition,
} from "./task/define-template.ts";
export { exactly } from "./task/exactly.ts";
export { type ArgSpec, type ArgSpecs, type ArgValues, pair, whole, word } from "./task/template-args.ts";
