/**
 * Whole kernels as text, read as code when they change. Renew with WARPFARM_GOLDEN=write. Equal programs give equal bytes, so a
 * difference is a change of the compiler.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { compileProgram } from "../src/compile.ts";
import type { Schedule } from "../src/schedule/schedule.ts";
import { defaultSchedule } from "../src/target/default-schedule.ts";
import { placeholder } from "../src/te/compute.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { matmul } from "../src/te/ops/matmul.ts";
import { convGraph, packedConvGraph, published, resnetConv, scheduleA, schedulePacked } from "./programs.testing.ts";

/** Of much work, halves into floats, and no extent is one of whole tiles. */
function productWithTails(): Graph {
  const [a, b] = [placeholder("A", [1001, 2003], "float16"), placeholder("B", [1007, 2003], "float16")];
  return graphOf([a, b], [matmul(a, b, { layout: "TN", outDtype: "float32" })]);
}

const folder = fileURLToPath(new URL("golden/", import.meta.url));

it.each<[file: string, target: string, schedule: () => Schedule]>([
  ["conv2d-4881186.cu", "cuda/sm_90", () => scheduleA(convGraph(resnetConv), published)],
  ["conv2d-default.cu", "cuda/sm_90", () => defaultSchedule(convGraph(resnetConv), "cuda/sm_90")],
  ["matmul-default.cu", "cuda/sm_90", () => defaultSchedule(productWithTails(), "cuda/sm_90")],
  ["conv2d-packed.c", "cpu/x86-64-v3", () => schedulePacked(packedConvGraph(resnetConv, 8), 7)],
  ["conv2d-default.c", "cpu/x86-64-v3", () => defaultSchedule(convGraph(resnetConv), "cpu/x86-64-v3")],
])("%s is what the compiler prints", (file, target, make) => {
  const schedule = make();
  const made = compileProgram({ version: 1, kind: "schedule", target, graph: schedule.graph, trace: schedule.trace });
  if (!made.ok) throw new Error(made.error.message);
  if (process.env.WARPFARM_GOLDEN === "write") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(folder + file, made.value.text);
  }
  expect(made.value.text).toBe(readFileSync(folder + file, "utf8"));
});
