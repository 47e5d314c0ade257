import { describe, expect, it } from "vitest";
import { convGraph, published, resnetConv, scheduleA } from "../test/programs.testing.ts";
import { compileProgram } from "./compile.ts";
import * as b from "./ir/build.ts";
import type { PrimFunc } from "./ir/prim-func.ts";
import { LoweringLog, type LoweringLogOptions, quietLowering } from "./lowering-log.ts";
import type { ScheduleProgram } from "./serial/program.ts";

const graph = convGraph(resnetConv);
const trace = scheduleA(graph, published).trace;
const program: ScheduleProgram = { version: 1, kind: "schedule", target: "cuda/sm_90", graph, trace };

function lowered(options: Partial<LoweringLogOptions>): LoweringLog {
  let now = 0;
  const log = new LoweringLog({ ...quietLowering, ...options }, () => now++);
  const made = compileProgram(program, { log });
  expect(made).toEqual(compileProgram(program));
  return log;
}
const passes = [
  "bulk-copies",
  "tensorize",
  "tensor-core",
  "lift-conditions",
  "root-workspaces",
  "inject-virtual-thread",
  "lower-threads",
  "fold-threads",
  "flatten-buffers",
  "make-channels",
  "split-roles",
  "run-ahead",
  "carry-loads",
  "simplify",
  "part-masks",
  "vectorize",
  "clamp-copies",
  "insert-barriers",
  "hoist-guards",
  "place-waits",
  "unroll",
];
const timeOf = (line: string) => /^(?:pass )?([\w-]+): [\d.]+ ms/.exec(line)?.[1];

describe("a lowering log", () => {
  it("is not made when nobody wants to know", () => {
    expect(LoweringLog.of({ level: 1, dump: false, check: false }, () => 0)).toBeUndefined();
    for (const wanted of [{ level: 2 }, { dump: true }, { check: true }])
      expect(LoweringLog.of({ ...quietLowering, ...wanted }, () => 0)).toBeInstanceOf(LoweringLog);
  });
  it("level 2: the time of every step and pass, in order", () => {
    const { lines, files } = lowered({ level: 2 });
    expect(lines.map(timeOf)).toEqual(["replay", "infer", "nest", ...passes, "lower", "emit"]);
    expect(lines).toContain("pass tensorize: 1.00 ms (unchanged)");
    expect(lines).toContain("pass flatten-buffers: 1.00 ms");
    expect(files).toEqual([]);
  });
  it("level 3: every step of the trace besides; level 4: the device text besides", () => {
    const two = lowered({ level: 2 }).lines;
    const three = lowered({ level: 3 }).lines;
    const four = lowered({ level: 4 }).lines;
    expect(three.filter((line) => line.startsWith("  "))).toHaveLength(trace.length);
    expect(three).toHaveLength(two.length + 1 + trace.length);
    const text = compileProgram(program);
    const printed = text.ok ? text.value.text.trimEnd().split("\n") : [];
    expect(four.slice(three.length)).toEqual(printed);
  });
  it("level 5: the function after each pass that changed it, and the rules that fired", () => {
    const { lines } = lowered({ level: 5 });
    const shown = lines.filter((line) => line.startsWith("after ")).map((line) => line.slice("after ".length, -1));
    const unchanged = lines.filter((line) => line.endsWith("(unchanged)")).map(timeOf);
    expect(shown).toEqual(["nest", ...passes.filter((pass) => !unchanged.includes(pass))]);
    expect(lines.filter((line) => line.startsWith("rules fired in"))).toContainEqual(
      expect.stringMatching(/^rules fired in lower: .*(div|mod)-[a-z-]+ \d+/),
    );
  });
  it("a dump has one numbered file for each pass, in order, then the text; an unchanged one says so", () => {
    const { lines, files } = lowered({ dump: true });
    expect(lines).toEqual([]);
    const names = ["nest", ...passes].map((pass, i) => `${String(i).padStart(3, "0")}_${pass}.tir`);
    expect(files.map((file) => file.name)).toEqual([...names, `0${names.length}_text.cu`]);
    const textOf = (pass: string) => files.find((file) => file.name.includes(pass))?.text ?? "";
    expect(textOf("tensorize")).toBe("(unchanged)\n");
    expect(textOf("insert-barriers")).toContain("barrier");
    expect(textOf("clamp-copies")).not.toContain("barrier");
  });
  it("check: a function that breaks its dialect after a pass is a fault of the compiler, named by pass and rule", () => {
    const broken: PrimFunc = { dialect: "scheduled", name: "f", params: [], body: b.barrier };
    const log = (check: boolean) => new LoweringLog({ ...quietLowering, check }, () => 0);
    const show = (check: boolean, changed: boolean) => () => log(check).hooks.after?.("simplify", broken, changed);
    expect(show(true, true)).toThrow(/after simplify the function is not legal scheduled: .*\[scheduled.no-barrier\]/);
    expect(show(false, true)).not.toThrow();
    expect(show(true, false)).not.toThrow();
    expect(lowered({ check: true }).lines).toEqual([]);
  });
});
