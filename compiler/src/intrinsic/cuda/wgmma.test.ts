import { writeFileSync } from "node:fs";
import { formatTarget, parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import { printStmt } from "../../ir/print.ts";
import { inputsOf, nestOf } from "../../schedule/primitives/primitive.testing.ts";
import { emit, lowerVerified } from "../../target/index.ts";
import { scheduleOf } from "./wgmma.testing.ts";

const target = parseTarget("cuda/sm_90a");
it("try", () => {
  const sch = scheduleOf({
    dtype: "float16",
    layout: "NN",
    size: [128, 128, 128],
    n: 128,
    groups: 2,
    chunk: 64,
    slots: 2,
    span: 128,
  });
  const nest = nestOf(sch);
  const made = lowerVerified(nest, target);
  if (!made.ok) throw new Error(made.error.map((e) => `${e.rule}: ${e.message}`).join("\n"));
  console.log(printStmt((made.value[0] as any).func.body).slice(0, 3000));
  writeFileSync("/tmp/agents-try.cu", emit(made.value, nest.params, target, { graph: sch.graph }).text);
  const inputs = inputsOf(sch.graph);
  const want = evaluate(sch.graph, inputs).get("C");
  expect(interpretKernels(made.value, inputs).data.get("C")).toEqual(want);
});
