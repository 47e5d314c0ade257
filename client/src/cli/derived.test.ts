/** Tasks without a schedule of their own: files that export a computation, and what `space` says of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const softmax = `
import { at, compute, div, exp, graphOf, maxOf, placeholder, reduceAxis, sub, sum } from "warpfarm";
const [R, C] = [64, 256];
const x = placeholder("x", [R, C]);
const [k, l] = [reduceAxis("k", C), reduceAxis("l", C)];
const top = compute("top", [["i", R]], (i) => maxOf(at(x, i, k.loopVar), [k]));
const power = compute("power", [["i", R], ["j", C]], (i, j) => exp(sub(at(x, i, j), at(top, i))));
const total = compute("total", [["i", R]], (i) => sum(at(power, i, l.loopVar), [l]));
export default graphOf([x], [compute("out", [["i", R], ["j", C]], (i, j) => div(at(power, i, j), at(total, i)))]);
`;
const template = (parts: string) => `
import { defineTemplate, graphOf, placeholder, relu, whole } from "warpfarm";
export default defineTemplate({
  name: "mine", summary: "a test", targets: ["cpu", "cuda"], args: { n: whole(64) },
  graph: ({ args: { n } }) => { const x = placeholder("x", [n, n]); return graphOf([x], [relu(x, { name: "out" })]); },
  ${parts}
});
`;

function file(name: string, text: string) {
  const cwd = scratch();
  writeFileSync(join(cwd, name), text);
  return (...argv: readonly string[]) => runCli([argv[0] as string, `./${name}`, ...argv.slice(1)], { cwd });
}

test("a file that exports a computation is a task of its name, with a space for each target", async () => {
  const run = file("softmax.mjs", softmax);
  const { stdout, code } = await run("space", "--target", "cuda/sm_90", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout).knobs.map(({ name }: { name: string }) => name)).toEqual([
    "out.row_threads",
    "out.rows",
    "out.vector",
    "out.hold",
  ]);
  const cpu = JSON.parse((await run("space", "--target", "cpu/x86-64-v3", "--json")).stdout);
  expect(cpu.knobs.map(({ name }: { name: string }) => name)).toEqual(["out.lanes", "out.rows", "out.keep_power"]);
  const lowered = await run("lower", "--target", "cpu/x86-64-v3", "--index", "0");
  expect(lowered.stdout).toContain("__builtin_expf");
});

test("--explain says which rule took each stage, and why no better one did", async () => {
  const run = file("softmax.mjs", softmax);
  const { stdout } = await run("space", "--target", "cuda/sm_90", "--explain");
  expect(stdout).toBe(
    [
      "top    rows: in the nest of out",
      "power  rows: in the nest of out",
      "total  rows: in the nest of out",
      "out    rows",
      "",
    ].join("\n"),
  );
  const json = JSON.parse((await run("space", "--target", "cuda/sm_90", "--explain", "--json")).stdout);
  expect(json).toMatchObject({
    digest: expect.stringMatching(/^sha256:/),
    stages: [{ stage: "top" }, {}, {}, { stage: "out", rule: "rows" }],
  });
  const own = await runCli(["space", "conv2d_nchw_cpu", "--explain"]);
  expect([own.code, oneSentence(own)]).toEqual([
    2,
    "warpfarm space: conv2d_nchw_cpu has a schedule of its own; --explain is for tasks whose schedule is derived",
  ]);
  const both = await runCli(["space", "conv2d_nchw_cpu", "--explain", "--stats"]);
  expect([both.code, oneSentence(both)]).toEqual([
    2,
    "warpfarm space: --explain and --stats each show something else; give one of them",
  ]);
});

test.each([
  ["space: () => ({}),", "it has a space and no schedule; give both, or neither: then both are derived from the graph"],
  ["schedule: () => {},", "it has a schedule and no space; give both, or neither: then both are derived from the graph"],
  ["outline: () => ({}),", "it has outline, but no space and schedule, to which that belongs; give them, or leave outline out"],
  ["space: 1, schedule: () => {},", "space is 1; it is a function"],
])("a template with %s", async (parts, why) => {
  const said = await file("mine.mjs", template(parts))("space", "--target", "cpu/x86-64-v3");
  expect([said.code, oneSentence(said)]).toEqual([2, `warpfarm space: template file ./mine.mjs: defineTemplate of mine: ${why}`]);
});

test("without both, its arguments give the space", async () => {
  const run = file("mine.mjs", template(""));
  const size = async (n: number) =>
    JSON.parse((await run("space", "--target", "cpu/x86-64-v3", "--args", `{"n":${n}}`, "--json")).stdout).size;
  expect([await size(4), await size(64)]).toEqual([1, 5]);
});
