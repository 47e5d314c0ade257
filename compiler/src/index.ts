/** The public face of the compiler, listed by hand. */

export { parseTarget, type Target } from "@warpfarm/common";
export { bounds, modular, proveTrue, type Ranges, simplify } from "./arith/simplify.ts";
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
export { type CurveOptions, curveFeatures } from "./features/curve.ts";
export { type FeatureMatrix, featureMatrix } from "./features/feature-matrix.ts";
export { type ItervarOptions, itervarFeatures } from "./features/itervar.ts";
export { choiceFeatures, knobFeatures } from "./features/knob.ts";
export {
  type LoopKind,
  type LoopTouches,
  loopKinds,
  loopTouches,
  type NestTouches,
  touchFields,
} from "./features/loop-touches.ts";
export { InterpError, type InterpRule } from "./interp/error.ts";
export { type EvaluateOptions, evaluate } from "./interp/evaluate.ts";
export { type Interpreted, interpret, interpretKernels } from "./interp/interpret.ts";
export { createData, type TensorData } from "./interp/numeric.ts";
export { type MmaMajor, type MmaSync, type MmaType, mmaSync } from "./intrinsic/cuda/mma-sync.ts";
export {
  defineIntrinsic,
  type FragmentDeclaration,
  type IntrinsicDeclaration,
  type OperandDeclaration,
} from "./intrinsic/define-intrinsic.ts";
export type { Buffer, Scope } from "./ir/buffer.ts";
export { exprEqual, funcEqual, stmtEqual } from "./ir/equal.ts";
export type { Expr, Var } from "./ir/expr.ts";
export type { Fragment, Intrinsic } from "./ir/intrinsic.ts";
export type { Dialect, Kernel, PrimFunc } from "./ir/prim-func.ts";
export { printExpr, printFunc, printStmt } from "./ir/print.ts";
export { type IndexMap, indexMap } from "./json/index-map.ts";
export type { PassHooks } from "./lower/pass.ts";
export { type LoweringFile, LoweringLog, type LoweringLogOptions, quietLowering } from "./lowering-log.ts";
export { type Refusal, ScheduleError } from "./schedule/error.ts";
export { type Allocation, type Inferred, infer, type Launch } from "./schedule/infer.ts";
export { createSchedule, replay, type Schedule } from "./schedule/schedule.ts";
export type { LoopRef, StageRef, State } from "./schedule/state.ts";
export type { CudaSourceArg, CudaSourceKernel, CudaSourceProgram } from "./serial/cuda-source-json.ts";
export {
  decodeProgram,
  encodeDocument,
  encodeProgram,
  type Program,
  ProgramError,
  type ScheduleProgram,
  type TraceStep,
} from "./serial/program.ts";
export { type ConfigJson, configFromJson, configToJson } from "./space/config-json.ts";
export { type ConfigEntity, type ConfigIndex, ConfigSpace } from "./space/config-space.ts";
export { type Constraint, expressionConstraint, functionConstraint } from "./space/constraint.ts";
export type { Knob, KnobKind } from "./space/knob.ts";
export { type ChoiceKnob, choiceKnob } from "./space/knobs/choice.ts";
export { divisors, type KnobAxis, type SplitKnob, type SplitOptions, type SplitSizes, splitKnob } from "./space/knobs/split.ts";
export { constrainedSpace, problemSpace } from "./space/problem-file.ts";
export { type Bound, bindKnobs, type KnobHandles, SpaceBuilder, type SplitChoice, type Splits } from "./space/space-builder.ts";
export { constrainedConfigs, listedConfigs, type ValidConfigs } from "./space/valid-configs.ts";
export { defaultSchedule } from "./target/default-schedule.ts";
export { type DeviceLimits, gpuLimits } from "./target/gpu-limits.ts";
export { type DeviceText, type EmitOptions, emit, lowerFunc, lowerUntil, lowerVerified, verifyKernels } from "./target/index.ts";
export type { TargetDef } from "./target/target-def.ts";
export { targets } from "./target/targets.ts";
export { combine, identityOf } from "./te/combiner.ts";
export { compute, computeOpOf, maxOf, minOf, placeholder, type Reduction, reduceAxis, sum } from "./te/compute.ts";
export {
  abs,
  add,
  all,
  any,
  at,
  cast,
  div,
  equal,
  exp,
  floorDiv,
  floorMod,
  greater,
  greaterEqual,
  less,
  lessEqual,
  log,
  maximum,
  minimum,
  mul,
  not,
  notEqual,
  type Operand,
  select,
  sqrt,
  sub,
  tanh,
} from "./te/expr.ts";
export { fillOf, fills, type ToleranceOptions } from "./te/fill.ts";
export { flops } from "./te/flops.ts";
export type { Axis, Combiner, ComputeOp, Graph } from "./te/graph.ts";
export { GraphError } from "./te/graph-error.ts";
export { type GraphOptions, graphOf } from "./te/graph-of.ts";
export { type Border, borders, type Conv2dOptions } from "./te/ops/conv-window.ts";
export { conv2dHwcn } from "./te/ops/conv2d-hwcn.ts";
export { conv2dNchw } from "./te/ops/conv2d-nchw.ts";
export { conv2dNhwc } from "./te/ops/conv2d-nhwc.ts";
export { conv2dNhwcnc } from "./te/ops/conv2d-nhwcnc.ts";
export { depthwiseConv2dNchw } from "./te/ops/depthwise-conv2d-nchw.ts";
export {
  addTensors,
  castTensor,
  divideTensors,
  elementwise,
  multiplyTensors,
  relu,
  subtractTensors,
} from "./te/ops/elementwise.ts";
export { type MatmulLayout, type MatmulOptions, matmul, matmulLayouts } from "./te/ops/matmul.ts";
export { type PadOptions, pad } from "./te/ops/pad.ts";
export { type Limits, verifyLimits } from "./verify/limits.ts";
export { verifyLowered } from "./verify/lowered.ts";
export type { Violation } from "./verify/rule.ts";
export { verifyScheduled } from "./verify/scheduled.ts";
