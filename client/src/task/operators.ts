/**
 * Operators: what is to be computed, whichever template does it. Every template of an operator takes the same tensors and gives
 * the same result; which of them fit depends on shape, types and target.
 */
import { FarmError, type Json } from "@warpfarm/common";
import type { Template } from "./define-template.ts";
import { createTask, findTemplate, type TemplateTask } from "./task.ts";
import { type ArgSpecs, type ArgValues, readArgs, whole, word, writeArgs } from "./template-args.ts";
import { convArgs } from "./templates/conv-args.ts";

/** A template's arguments, or why it is not for these: the end of a sentence. */
type Fit<Values> = (values: Values) => { readonly args: Json } | { readonly why: string };

export interface Operator {
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  readonly args: ArgSpecs;
  readonly templates: readonly Template[];
  /** Complete, in order. Throws FarmError INVALID_ARGUMENT for arguments that the operator does not have, as `fitting` does. */
  argsOf(args: Json | undefined): readonly Json[];
  fitting(args: Json | undefined, targetOf: (template: Template) => string): FittingTemplates;
}

export interface FittingTemplates {
  /** Complete, in the order of the operator's arguments. */
  readonly args: readonly Json[];
  readonly tasks: readonly TemplateTask[];
  readonly refused: readonly { readonly template: string; readonly why: string }[];
}

function defineOperator<Specs extends ArgSpecs>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly args: Specs;
  readonly fits: Readonly<Record<string, Fit<ArgValues<Specs>>>>;
}): Operator {
  const { name, summary, args: specs } = definition;
  const all = Object.entries(definition.fits).map(([template, fit]) => [findTemplate(template), fit] as const);
  return {
    name,
    summary,
    args: specs,
    templates: all.map(([template]) => template),
    argsOf: (json) => writeArgs(specs, readArgs(name, specs, json)),
    fitting(json, targetOf) {
      const values = readArgs(name, specs, json);
      const tasks: TemplateTask[] = [];
      const refused: { template: string; why: string }[] = [];
      for (const [template, fit] of all) {
        const fitted = fit(values);
        const task = "why" in fitted ? fitted.why : taskOrReason(template, fitted.args, targetOf(template));
        if (typeof task === "string") refused.push({ template: template.name, why: task });
        else tasks.push(task);
      }
      return { args: writeArgs(specs, values), tasks, refused };
    },
  };
}

/** The template itself says for which targets and arguments it is. */
function taskOrReason(template: Template, args: Json, target: string): TemplateTask | string {
  try {
    return createTask(template, args, target);
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT")
      return error.message.replace(`${template.name}: `, "").replace(`${template.name} is`, "it is");
    throw error;
  }
}

const productArgs = {
  M: whole(4096),
  N: whole(4096),
  K: whole(4096),
  dtype: word("float16", ["float16", "bfloat16", "float32"]),
  layout: word("NN", ["NN", "NT", "TN", "TT"]),
};
type Product = ArgValues<typeof productArgs>;
/** The shorter side of a result that one wave of small blocks makes. */
const fewRows = 64;

const halfProduct: Fit<Product> = (values) =>
  values.dtype === "float32" ? { why: "dtype is float32; it takes float16 and bfloat16" } : { args: { ...values } };
const needsFloat32 = (dtype: string): { readonly why: string } => ({ why: `dtype is ${dtype}; it takes float32` });

const matmul = defineOperator({
  name: "matmul",
  summary: "matrix product C (M, N) = A B, summed in float32; letters of `layout` are A's and B's, T for transposed in memory",
  args: productArgs,
  fits: {
    matmul_latency: (values) => {
      const { M, N } = values;
      if (Math.min(M, N) > fewRows) return { why: `M is ${M} and N is ${N}; it is for one of them up to ${fewRows}` };
      return halfProduct(values);
    },
    matmul_mma: halfProduct,
    matmul_tma_mma: halfProduct,
    matmul_tma: halfProduct,
    matmul_simt: ({ dtype, ...rest }) => (dtype === "float32" ? { args: rest } : needsFloat32(dtype)),
    // Its rows are N and its columns M, and the letter of B stands first.
    matmul_cpu: ({ M, N, K, dtype, layout }) =>
      dtype === "float32" ? { args: { N: M, L: K, M: N, dtype, layout: `${layout[1]}${layout[0]}` } } : needsFloat32(dtype),
  },
});

const convOperatorArgs = {
  ...convArgs,
  layout: word("NCHW", ["NCHW", "NHWC", "HWCN"]),
  dtype: word("float32", ["float32", "float16"]),
};
type Conv = ArgValues<typeof convOperatorArgs>;

/** Templates of data in that layout and of these types. */
const nchw =
  (rest: Readonly<Record<string, Json>> = {}): Fit<Conv> =>
  ({ layout, dtype, ...values }) => {
    if (layout !== "NCHW") return { why: `layout is ${layout}; it takes NCHW` };
    return dtype === "float32" ? { args: { ...values, ...rest } } : needsFloat32(dtype);
  };
const inLayout =
  (layout: Conv["layout"], dtypes: readonly Conv["dtype"][], saysType = false): Fit<Conv> =>
  (values) => {
    const { N, H, W, CO, CI, KH, KW, stride, padding, dtype } = values;
    if (values.layout !== layout) return { why: `layout is ${values.layout}; it takes ${layout}` };
    if (!dtypes.includes(dtype)) return { why: `dtype is ${dtype}; it takes ${dtypes.join(" and ")}` };
    if (KH !== KW || stride[0] !== stride[1] || padding[0] !== padding[1])
      return { why: `the kernel is ${KH}x${KW}, stride [${stride}], padding [${padding}]; it takes squares` };
    const sides = { batch: N, height: H, width: W, in_channels: CI, out_channels: CO };
    return { args: { ...sides, kernel: KH, stride: stride[0], padding: padding[0], ...(saysType ? { dtype } : {}) } };
  };

const conv2d = defineOperator({
  name: "conv2d",
  summary: "convolution of data and kernel as `layout` says: NCHW and OIHW, NHWC and HWIO, HWCN and HWIO; summed in float32",
  args: convOperatorArgs,
  fits: {
    conv2d_nchw_gemm: nchw(),
    // What the operator is: the other way to treat the border differs where a weight is no number.
    conv2d_splitk: nchw({ border: "pad" }),
    "tutorial/conv2d_no_batching": nchw(),
    conv2d_nhwc_mma: inLayout("NHWC", ["float16"]),
    conv2d_nhwc_wmma: inLayout("NHWC", ["float16"]),
    conv2d_hwcn_direct: inLayout("HWCN", ["float32"]),
    conv2d_hwcn: inLayout("HWCN", ["float32"]),
    conv2d_nchw_cpu: nchw(),
    conv2d_nhwc_cpu: inLayout("NHWC", ["float32", "float16"], true),
    conv2d_hwcn_cpu: inLayout("HWCN", ["float32"], true),
  },
});

export const operators: readonly Operator[] = [matmul, conv2d];

export const findOperator = (name: string): Operator | undefined => operators.find((operator) => operator.name === name);
