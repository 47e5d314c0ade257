/** Elementwise operators of two matrices, or of one, of any type and shape, on any target, with derived schedules. */
import { addTensors, graphOf, multiplyTensors, placeholder, relu, subtractTensors } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { whole, word } from "../template-args.ts";

const binary = { add: addTensors, subtract: subtractTensors, multiply: multiplyTensors };
const names = [...(Object.keys(binary) as (keyof typeof binary)[]), "relu"] as const;

export const elementwiseArgs = {
  rows: whole(4096),
  columns: whole(4096),
  op: word("add", names),
  dtype: word("float32", ["float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32"]),
};

export const elementwiseDerived = defineTemplate({
  name: "elementwise_derived",
  aliases: [],
  summary: "add, subtract, multiply or relu of matrices of any type and shape, with a derived schedule",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args: elementwiseArgs,

  graph: ({ args: { rows, columns, op, dtype } }) => {
    const [x, y] = [placeholder("x", [rows, columns], dtype), placeholder("y", [rows, columns], dtype)];
    return op === "relu" ? graphOf([x], [relu(x, { name: "z" })]) : graphOf([x, y], [binary[op](x, y, { name: "z" })]);
  },
});
