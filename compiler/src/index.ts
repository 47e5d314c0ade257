export {
  type CompileError,
  type CompileOptions,
  compileProgram,
  type LowerOptions,
  languageOf,
  languages,
  lowerForms,
  lowerProgram,
} from "./compile.ts";
export { findRaces } from "./interp/direct/index.ts";
export { InterpError, type InterpRule } from "./interp/error.ts";
export { type EvaluateOptions, evaluate } from "./interp/evaluate.ts";
export { type Interpreted, interpret, interpretKernels } from "./interp/interpret.ts";
export { combineNumbers } from "./ir/combiner.ts";
export { mathValues } from "./ir/math.ts";
export { createData, roundTo, type TensorData } from "./ir/numeric.ts";
export type { Dialect, Kernel, PrimFunc } from "./ir/prim-func.ts";
export * from "./language.ts";
export type { PassHooks } from "./lower/pass.ts";
export { type LoweringFile, LoweringLog, type LoweringLogOptions, quietLowering } from "./lowering-log.ts";
export { type DeviceText, type EmitOptions, emit, lowerFunc, lowerUntil, lowerVerified, verifyKernels } from "./target/index.ts";
export type { TargetDef } from "./target/target-def.ts";
export { targets } from "./target/targets.ts";
export { verifyLowered } from "./verify/lowered.ts";
export { verifyScheduled } from "./verify/scheduled.ts";
