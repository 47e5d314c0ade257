/**
 * All that the file of a template or of a kernel's spec imports. Users have it as the package `warpfarm`: the file at the root of
 * this repository re-exports it.
 */
export { FarmError, parseTarget, type Target, type TargetNeed } from "@warpfarm/common";
export * from "@warpfarm/compiler";
export {
  type ArgSpec,
  type ArgSpecs,
  type ArgValues,
  type Context,
  defineTemplate,
  exactly,
  type OpenedTemplate,
  pair,
  type Template,
  type TemplateDefinition,
  whole,
  word,
} from "@warpfarm/templates";
export type { KernelSpecInput as KernelSpec } from "./kernel/spec.ts";
