/**
 * Operators: computations that several templates implement. All templates of an operator take the same tensors and give the same
 * result. Shape, types and target determine which of them fit.
 */
import type { Json } from "@warpfarm/common";
import { asOperator, NoOperator } from "./as-operator.ts";
import { type AttentionArgs, attentionArgs, attentionTypes } from "./built-in/attention-args.ts";
import { convArgsWith, gradientArg } from "./built-in/conv-args.ts";
import { depthwiseArgs } from "./built-in/conv2d-derived.ts";
import { elementwiseArgs } from "./built-in/elementwise-derived.ts";
import { productTypes } from "./built-in/product-of-tiles.ts";
import { subgraphArgs } from "./built-in/subgraph-derived.ts";
import { tmaTypes } from "./built-in/tma-product.ts";
import type { Template } from "./define-template.ts";
import { sizeOf } from "./onnx/node.ts";
import { readSubgraph, subgraphGraph } from "./onnx/subgraph.ts";
import { createTask, findTemplate, refusingGraphErrors, type TemplateTask } from "./task.ts";
import {
  type ArgSpecs,
  type ArgValues,
  readTaskArgs,
  whole,
  withEpilogue,
  word,
  writeArgs,
  writeTaskArgs,
} from "./template-args.ts";
import { TemplateRefusal } from "./template-refusal.ts";

/**
 * A template's arguments, or why it does not support these, as the end of a sentence. `epilogue`: what makes the operator's
 * result of the template's, before the epilogue that was asked for.
 */
type Fit<Values> = (values: Values) => { readonly args: Json; readonly epilogue?: readonly string[] } | { readonly why: string };

export interface Operator {
  readonly name: string;
  readonly summary: string;
  readonly args: ArgSpecs;
  readonly templates: readonly Template[];
  /** Complete, in order. Throws FarmError INVALID_ARGUMENT for arguments that the operator does not have, as `fitting` does. */
  argsOf(args: Json | undefined): readonly Json[];
  fitting(args: Json | undefined, targetOf: (template: Template) => string): FittingTemplates;
}

export interface FittingTemplates {
  readonly args: readonly Json[];
  readonly tasks: readonly TemplateTask[];
  readonly refused: readonly { readonly template: string; readonly why: string }[];
}

interface OperatorOfTemplates extends Operator {
  /** Without those that serve only what no other template takes. */
  readonly own: Pick<Operator, "templates" | "fitting">;
}

type Fits<Values> = Readonly<Record<string, Fit<Values>>>;

function defineOperator<Specs extends ArgSpecs>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly args: Specs;
  readonly fits: Fits<ArgValues<Specs>>;
  readonly otherwise: Fits<ArgValues<Specs>>;
}): OperatorOfTemplates {
  const { name, summary, args: specs } = definition;
  const found = (fits: Fits<ArgValues<Specs>>) =>
    Object.entries(fits).map(([template, fit]) => [findTemplate(template), fit] as const);
  const made = found(definition.fits);
  const all = [...made, ...found(definition.otherwise)];
  const fittingOf = (some: typeof all): OperatorOfTemplates["own"] => ({
    templates: some.map(([template]) => template),
    fitting(json, targetOf) {
      const asked = readTaskArgs(name, specs, json);
      const { values, epilogue } = asked;
      const tasks: TemplateTask[] = [];
      const refused: { template: string; why: string }[] = [];
      for (const [i, [template, fit]] of some.entries()) {
        const fitted =
          i >= made.length && tasks.length > 0 ? { why: "it serves only what no other template takes" } : fit(values);
        const task =
          "why" in fitted
            ? fitted.why
            : taskOrReason(template, withEpilogue(fitted.args, [...(fitted.epilogue ?? []), ...epilogue]), targetOf(template));
        if (typeof task === "string") refused.push({ template: template.name, why: task });
        else tasks.push(task);
      }
      return { args: writeTaskArgs(specs, asked), tasks, refused };
    },
  });
  const argsOf = (json: Json | undefined) => writeTaskArgs(specs, readTaskArgs(name, specs, json));
  return { name, summary, args: specs, argsOf, ...fittingOf(all), own: fittingOf(made) };
}

function taskOrReason(template: Template, args: Json | undefined, target: string): TemplateTask | string {
  try {
    return createTask(template, args, target);
  } catch (error) {
    if (error instanceof TemplateRefusal) return error.why;
    throw error;
  }
}

const productArgs = {
  M: whole(4096),
  N: whole(4096),
  K: whole(4096),
  dtype: word("float16", Object.keys(productTypes) as (keyof typeof productTypes)[]),
  layout: word("NN", ["NN", "NT", "TN", "TT"]),
};
type Product = ArgValues<typeof productArgs>;
const fewRows = 64;

const takes = (dtypes: readonly string[], dtype: string): { readonly why: string } => ({
  why: `dtype is ${dtype}; it takes ${dtypes.join(" and ")}`,
});
const halves = ["float16", "bfloat16"];
const productOf =
  (dtypes: readonly string[]): Fit<Product> =>
  (values) =>
    dtypes.includes(values.dtype) ? { args: { ...values } } : takes(dtypes, values.dtype);
const halfProduct = productOf(halves);
/** For templates whose rows are N and whose columns M, and in whose layout B's letter comes first. */
const rowsAreN =
  (dtypes: readonly string[]): Fit<Product> =>
  ({ M, N, K, dtype, layout }) =>
    dtypes.includes(dtype) ? { args: { N: M, L: K, M: N, dtype, layout: `${layout[1]}${layout[0]}` } } : takes(dtypes, dtype);

const matmul = defineOperator({
  name: "matmul",
  summary:
    "matrix product C (M, N) = A B, summed in float32, of whole numbers in int32; letters of `layout` are A's and B's, T for transposed in memory",
  args: productArgs,
  fits: {
    matmul_latency: (values) => {
      const { M, N } = values;
      if (Math.min(M, N) > fewRows) return { why: `M is ${M} and N is ${N}; it is for one of them up to ${fewRows}` };
      return halfProduct(values);
    },
    matmul_mma: halfProduct,
    matmul_tma: productOf(tmaTypes),
    matmul_simt: ({ dtype, ...rest }) => (dtype === "float32" ? { args: rest } : takes(["float32"], dtype)),
    "tutorial/auto_tensorcore/test_gemm": rowsAreN(["int8"]),
  },
  otherwise: { matmul_derived: (values) => ({ args: { ...values } }) },
});

const convOperatorArgs = {
  ...convArgsWith({
    layout: word("NCHW", ["NCHW", "NHWC", "HWCN", "NHWCnc"]),
    dtype: word("float32", ["float32", "float16", "bfloat16", "float64", "int8", "uint8"]),
  }),
  ...gradientArg,
};
type Conv = ArgValues<typeof convOperatorArgs>;

/** `more`: arguments of the template besides those of all convolutions. */
const inLayout =
  (
    wanted: Conv["layout"],
    dtypes: readonly string[],
    more: (values: Conv) => Readonly<Record<string, Json>> = () => ({}),
    epilogue: readonly string[] = [],
  ): Fit<Conv> =>
  (values) => {
    const { layout, dtype, gradient, ...sizes } = values;
    const own = more(values);
    if (layout !== wanted) return { why: `layout is ${layout}; it takes ${wanted}` };
    if (gradient !== "none" && !("gradient" in own)) return { why: `gradient is ${gradient}; it computes convolutions alone` };
    return dtypes.includes(dtype) ? { args: { ...sizes, ...own }, epilogue } : takes(dtypes, dtype);
  };

const conv2d = defineOperator({
  name: "conv2d",
  summary:
    "convolution of data and kernel as `layout` says: NCHW and OIHW, NHWC and HWIO, HWCN and HWIO, NHWCnc and HWIOio in tiles of 16; or the gradient of its data; summed in float32, of whole numbers in int32",
  args: convOperatorArgs,
  fits: {
    conv2d_nchw_gemm: inLayout("NCHW", ["float32"]),
    // This border is the operator's: the other treatment differs where a weight is not a number.
    conv2d_splitk: inLayout("NCHW", ["float32"], () => ({ border: "pad" })),
    "tutorial/conv2d_no_batching": inLayout("NCHW", ["float32"]),
    conv2d_nhwc_tma: inLayout("NHWC", halves, ({ dtype, gradient }) => ({ dtype, gradient }), ["cast(float32)"]),
    conv2d_nhwc_mma: inLayout("NHWC", ["float16"]),
    conv2d_nhwcnc_wmma: inLayout("NHWCnc", ["float16"]),
    conv2d_hwcn_direct: inLayout("HWCN", ["float32"]),
    conv2d_hwcn: inLayout("HWCN", ["float32"]),
    conv2d_nchw_cpu: inLayout("NCHW", ["float32"]),
    conv2d_hwcn_cpu: inLayout("HWCN", ["float32"], ({ dtype }) => ({ dtype })),
  },
  otherwise: { conv2d_derived: (values) => ({ args: { ...values } }) },
});

const alone = (name: string, summary: string, template: string, args: ArgSpecs): Operator =>
  defineOperator({ name, summary, args, fits: {}, otherwise: { [template]: (values) => ({ args: writeArgs(args, values) }) } });

const depthwise = alone(
  "depthwise",
  "depthwise convolution NCHW, M filters for each of C channels; summed in float32, of whole numbers in int32",
  "depthwise_derived",
  depthwiseArgs,
);
const elementwise = alone("elementwise", "add, subtract, multiply or relu of matrices", "elementwise_derived", elementwiseArgs);

const attention = defineOperator({
  name: "attention",
  summary:
    "softmax(Q K^T / sqrt(D)) V for Q (B, H, M, D), K and V (B, H, N, D); halves are summed in float32, their weights rounded",
  args: attentionArgs<AttentionArgs["dtype"]>("float16", attentionTypes),
  fits: {
    attention_tma: (values) => (halves.includes(values.dtype) ? { args: { ...values } } : takes(halves, values.dtype)),
  },
  otherwise: { attention_derived: (values) => ({ args: { ...values } }) },
});

const subgraphDerived = findTemplate("subgraph_derived");
const ofSubgraphs = { matmul, conv2d };
const besideDerived = Object.values(ofSubgraphs).flatMap(({ own }) => own.templates);

/** The types and sizes of a task's tensors, in order. */
const tensorsOf = ({ graph: { inputs, outputs } }: TemplateTask): string =>
  [inputs, outputs].map((list) => list.map(({ dtype, shape }) => `${dtype} of ${sizeOf(shape)}`).join(", ")).join(" to ");

/** The operator's own templates that take the same tensors as the subgraph. Throws NoOperator. */
function besideSubgraph(derived: TemplateTask, targetOf: (template: Template) => string): Omit<FittingTemplates, "args"> {
  const { values, epilogue } = readTaskArgs("subgraph", subgraphArgs, derived.args);
  const { operator, args, joined, epilogue: words } = asOperator(readSubgraph(values.inputs, values.nodes, values.outputs));
  const named = epilogue.find(({ axes = [] }) => axes.length > 0);
  if (joined > 1 && named)
    throw new NoOperator(`${named.text} names axes, and its first ${joined} are one axis of a ${operator}`);
  const { own } = ofSubgraphs[operator];
  const fitting = own.fitting(withEpilogue(args, [...words, ...epilogue]), targetOf);
  const tasks: TemplateTask[] = [];
  const refused = [...fitting.refused];
  for (const task of fitting.tasks)
    if (tensorsOf(task) === tensorsOf(derived)) tasks.push(task);
    else refused.push({ template: task.name, why: `it is from ${tensorsOf(task)}, and the subgraph from ${tensorsOf(derived)}` });
  const others = besideDerived.filter((template) => !own.templates.includes(template));
  return { tasks, refused: [...refused, ...refusedAs(others, `it is a ${operator}`)] };
}

const refusedAs = (some: readonly Template[], why: string) => some.map(({ name }) => ({ template: name, why }));

const subgraph: Operator = {
  name: "subgraph",
  summary:
    "nodes of ONNX's operators, given as data; where they are a product or a convolution with an epilogue, by its templates, too",
  args: subgraphArgs,
  templates: [subgraphDerived, ...besideDerived],
  argsOf(json) {
    const asked = readTaskArgs("subgraph", subgraphArgs, json);
    const { inputs, nodes, outputs } = asked.values;
    refusingGraphErrors("subgraph", () => subgraphGraph(readSubgraph(inputs, nodes, outputs)));
    return writeTaskArgs(subgraphArgs, asked);
  },
  fitting(json, targetOf) {
    const derived = createTask(subgraphDerived, json, targetOf(subgraphDerived));
    const { args } = derived;
    try {
      const { tasks, refused } = besideSubgraph(derived, targetOf);
      return { args, tasks: [derived, ...tasks], refused };
    } catch (error) {
      if (!(error instanceof NoOperator)) throw error;
      return { args, tasks: [derived], refused: refusedAs(besideDerived, error.message) };
    }
  },
};

export const operators: readonly Operator[] = [matmul, conv2d, depthwise, elementwise, attention, subgraph];

export const findOperator = (name: string): Operator | undefined => operators.find((operator) => operator.name === name);
