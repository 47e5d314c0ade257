/** Run by new-primitive.test.ts where the toys are primitives: what random schedules make of them, as JSON. */
import { parseTarget, Random } from "@warpfarm/common";
import { Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { interpretKernels } from "../../src/interp/interpret.ts";
import { infer } from "../../src/schedule/infer.ts";
import { replay } from "../../src/schedule/schedule.ts";
import { emit, lowerFunc, verifyKernels } from "../../src/target/index.ts";
import { difference, subjectOf } from "../subject.ts";

const target = parseTarget("cuda/sm_90");
const accepted: Record<string, number> = { halve: 0, crowd: 0 };
const refused = new Map<string, number>();
const wrong: string[] = [];
let [printed, bounds] = ["", 0];

for (let seed = 1; seed <= 80; seed++) {
  const makers = Object.values(graphs);
  const subject = subjectOf((makers[seed % makers.length] as (typeof makers)[number])());
  const schedule = new Walk(subject.graph, new Random(seed), "cuda", refused).run(6);
  if (!schedule) continue;
  const ops = schedule.trace.map(({ op }) => op).filter((op) => op in accepted);
  for (const op of ops) accepted[op] = (accepted[op] ?? 0) + 1;
  if (ops.length === 0) continue;
  printed ||=
    schedule
      .print()
      .split("\n")
      .find((line) => line.includes("sch.halve")) ?? "";

  const again = replay(subject.graph, JSON.parse(JSON.stringify(schedule.trace)));
  if (!again.ok) throw again.error;
  const inferred = infer(again.value.state);
  if (!inferred.ok) throw inferred.error;
  const func = inferred.value.func();
  const kernels = lowerFunc(func, target);
  if (verifyKernels(kernels, target).length > 0) continue;
  const why = difference(subject, interpretKernels(kernels, subject.inputs));
  if (why !== undefined) wrong.push(`seed ${seed}: ${why}`);
  if (
    ops.includes("crowd") &&
    /__launch_bounds__\(\d+, 2\)/.test(emit(kernels, func.params, target, { graph: subject.graph }).text)
  )
    bounds++;
}
console.log(JSON.stringify({ accepted, refused: Object.fromEntries(refused), wrong, printed, bounds }));
