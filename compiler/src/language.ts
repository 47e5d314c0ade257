/** The parts of tasks and templates, listed by hand. */

export { parseTarget, type Target } from "@warpfarm/common";
export { bounds, modular, type Ranges, simplify } from "./arith/simplify.ts";
export { loadInt4 } from "./intrinsic/cuda/int4-tile.ts";
export { type MmaMajor, type MmaSync, type MmaType, mmaSync } from "./intrinsic/cuda/mma-sync.ts";
export { type Wgmma, type WgmmaOperand, wgmma } from "./intrinsic/cuda/wgmma.ts";
export {
  defineIntrinsic,
  type FragmentDeclaration,
  type IntrinsicDeclaration,
  type OperandDeclaration,
} from "./intrinsic/define-intrinsic.ts";
export { type Buffer, mostElements, type Scope } from "./ir/buffer.ts";
export { constant } from "./ir/build.ts";
export { bulkProcessors } from "./ir/bulk.ts";
export { combine, identityOf } from "./ir/combiner.ts";
export { exprEqual } from "./ir/equal.ts";
export type { Expr, Load, Var } from "./ir/expr.ts";
export type { Fragment, Intrinsic } from "./ir/intrinsic.ts";
export { printExpr, printFunc, printStmt } from "./ir/print.ts";
export { rewriteExpr, someExpr, walkExpr } from "./ir/visit.ts";
export { type IndexMap, indexMap } from "./json/index-map.ts";
export { ScheduleError } from "./schedule/error.ts";
export { type Allocation, type Inferred, infer, type Launch } from "./schedule/infer.ts";
export { createSchedule, type PrimitiveName, replay, type Schedule, ScheduleBase } from "./schedule/schedule.ts";
export type { LoopRef, StageRef, State } from "./schedule/state.ts";
export type { CubinProgram, PtxProgram } from "./serial/binary-json.ts";
export { type CudaCompiler, type CudaSourceProgram, cudaCompilers, type Varied } from "./serial/cuda-source-json.ts";
export type { CudaSourceArg, CudaSourceKernel, KernelArg } from "./serial/launch-json.ts";
export {
  type CodeProgram,
  decodeProgram,
  encodeDocument,
  encodeProgram,
  type Program,
  ProgramError,
  type ScheduleProgram,
  type TraceStep,
} from "./serial/program.ts";
export {
  type ConfigJson,
  configNamed,
  configToJson,
  configWith,
  type Entity,
  entityOf,
  knobValues,
  valuesAt,
} from "./space/config-json.ts";
export { type ConfigEntity, type ConfigIndex, ConfigSpace, SpaceError } from "./space/config-space.ts";
export { type Constraint, expressionConstraint } from "./space/constraint.ts";
export {
  constantOf,
  type Expression,
  type ExprValue,
  evaluateEach,
  Fault,
  namesOf,
  type PlainValue,
  plain,
  substitute,
} from "./space/expression.ts";
export type { Knob, KnobKind } from "./space/knob.ts";
export { type ChoiceKnob, choiceKnob } from "./space/knobs/choice.ts";
export { divisors, type KnobAxis, type SplitKnob, type SplitOptions, type SplitSizes, splitKnob } from "./space/knobs/split.ts";
export { parseExpression } from "./space/parse-expression.ts";
export { constrainedSpace, problemSpace } from "./space/problem-file.ts";
export { type Bound, bindKnobs, type KnobHandles, SpaceBuilder, type SplitChoice, type Splits } from "./space/space-builder.ts";
export { constrainedConfigs, listedConfigs, type ValidConfigs } from "./space/valid-configs.ts";
export { defaultSchedule, referenceSchedule } from "./target/default-schedule.ts";
export { type DeviceLimits, gpuLimits } from "./target/gpu-limits.ts";
export type { LaunchDef } from "./target/launch-def.ts";
export { launches } from "./target/launches.ts";
export { accessesOf, coefficients, formulasOf, gathers, grainOf, type Move, moveOf, reads } from "./te/access.ts";
export {
  axis,
  checkStored,
  compute,
  computeOpOf,
  defineOp,
  maxOf,
  minOf,
  placeholder,
  productOf,
  type Reduction,
  reduceAxis,
  remade,
  scan,
  sum,
} from "./te/compute.ts";
export {
  abs,
  add,
  all,
  any,
  at,
  cast,
  ceil,
  cos,
  div,
  equal,
  erf,
  exp,
  exp2,
  floor,
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
  pow,
  round,
  rsqrt,
  select,
  sigmoid,
  sin,
  sqrt,
  sub,
  tanh,
  tf32,
} from "./te/expr.ts";
export { fillOf, fills, setFill, type ToleranceOptions } from "./te/fill.ts";
export { arithmetic, flops } from "./te/flops.ts";
export type { Axis, Combiner, ComputeOp, Graph } from "./te/graph.ts";
export { GraphError } from "./te/graph-error.ts";
export { type GraphOptions, graphOf } from "./te/graph-of.ts";
export { gelu, geluTanh, hardSigmoid, hardSwish, relu6, silu } from "./te/ops/activations.ts";
export { conv2dHwcn, conv2dNchw, conv2dNhwc, conv2dNhwcnc, transposedConv2d } from "./te/ops/conv2d.ts";
export {
  type Border,
  borders,
  type ConvolutionOptions,
  convolution,
  type TransposedOptions,
  transposedConvolution,
} from "./te/ops/convolution.ts";
export {
  addTensors,
  axesOf,
  castTensor,
  divideTensors,
  elementwise,
  multiplyTensors,
  relu,
  subtractTensors,
} from "./te/ops/elementwise.ts";
export { type MatmulLayout, type MatmulOptions, matmul, matmulLayouts } from "./te/ops/matmul.ts";
export { batchNorm, groupNorm, layerNorm, logSoftmax, type NormOptions, rmsNorm, softmax } from "./te/ops/normalize.ts";
export { type PadOptions, pad } from "./te/ops/pad.ts";
export { averagePool, globalAveragePool, maxPool, type PoolOptions } from "./te/ops/pool.ts";
export { type AttentionOptions, attention, type BatchMatmulOptions, batchMatmul } from "./te/ops/products.ts";
export { dequantize, type QuantizeOptions, quantize, requantize, saturated } from "./te/ops/quantize.ts";
export { argmax, argmin, maxOver, meanOver, minOver, productOver, sumOver } from "./te/ops/reductions.ts";
export { type ResizeOptions, resize } from "./te/ops/resize.ts";
export { concatenate, gather, reshape, slice, transpose } from "./te/ops/shapes.ts";
export type { WindowOptions } from "./te/ops/window.ts";
export { type Limits, verifyLimits } from "./verify/limits.ts";
export { registersOfProduct } from "./verify/roles.ts";
