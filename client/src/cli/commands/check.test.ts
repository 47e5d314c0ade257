/** `check` of correct tasks, and of templates with planted faults. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { divisors, graphOf, matmul, placeholder } from "@warpfarm/compiler";
import { createTask, defineTemplate, whole } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { withRule } from "../exit.ts";
import { smallEnough } from "./check.ts";

const small = ["matmul_derived", "--target", "cpu", "--args", '{"M":16,"N":32,"K":16}'];

test("configs that do what the task says are sound, on a CPU and on a GPU", async () => {
  const said = await runCli(["check", ...small, "--samples", "3", "--json"]);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(said.stdout)).toMatchObject({ sound: 3, faulty: 0, refused: 0 });
  const gpu = ["tutorial/conv2d_no_batching", "--args", '{"CO":32,"CI":8,"H":4,"W":4}', "--samples", "1"];
  expect((await runCli(["check", ...gpu])).stdout).toMatch(/^config \d+: sound\n.* for cuda\/sm_90: 1 sound, 0 faulty/);
});

test("a config that rounds at another place than the definition is sound", async () => {
  const small = ["attention_tma", "--args", '{"H":1,"M":16,"N":32,"D":32}', "--index", "1", "--json"];
  const said = await runCli(["check", ...small]);
  expect([said.code, JSON.parse(said.stdout)]).toMatchObject([0, { sound: 1, faulty: 0 }]);
});

test("a template whose candidates compute something else is exit 4, with the first wrong element", async () => {
  const cwd = scratch();
  const text = `import { addTensors, defineTemplate, graphOf, matmul, placeholder, whole } from "warpfarm";
    const graph = (n, wrong) => {
      const [a, b] = [placeholder("a", [n, n]), placeholder("b", [n, n])];
      return wrong ? graphOf([a, b], [addTensors(a, b, { name: "c" })]) : graphOf([a, b], [matmul(a, b, { name: "c" })]);
    };
    export default defineTemplate({ name: "mine", summary: "planted", targets: ["cpu"], args: { n: whole(4) },
      graph: ({ args }) => graph(args.n, true), reference: ({ args }) => graph(args.n, false),
      space: (space) => ({ u: space.choice("u", [0, 1]) }), schedule: () => {} });`;
  writeFileSync(join(cwd, "mine.mjs"), text);
  const said = await runCli(["check", "./mine.mjs", "--index", "0"], { cwd });
  expect(said.code).toBe(4);
  expect(said.stdout).toMatch(/^config 0: faulty: c\[0\] is -?\d+, the definition says -?\d+ \[check\.differs\]\n/);
});

/** A template on one line of imports; its graph, and what else it says. */
const templateText = (name: string, graph: string, rest = "") => `import * as w from "warpfarm";
  const { add, at, cast, compute, fills, floorDiv, graphOf, mul, placeholder, sqrt, sub } = w;
  export default w.defineTemplate({ name: "${name}", summary: "planted", targets: ["cpu"], args: { n: w.whole(8) },
    graph: ({ args: { n } }) => ${graph}, ${rest}
    space: (space) => ({ p: space.choice("p", [0, 1]) }),
    schedule: (s, { p }) => { if (p === 1) s.parallel(s.axes(s.stage("out"))[0]); } });`;

async function checked(text: string) {
  const cwd = scratch();
  writeFileSync(join(cwd, "mine.mjs"), text);
  return runCli(["check", "./mine.mjs", "--target", "cpu/x86-64-v2"], { cwd });
}

test.each([
  [
    "an index below the number of elements",
    `{ const [index, x] = [placeholder("index", [n], "int32", fills.below(2 * n)), placeholder("x", [2 * n])];
      return graphOf([index, x], [compute("out", [["i", n]], (i) => at(x, at(index, i)))]); }`,
  ],
  [
    "a permutation",
    `{ const [order, x] = [placeholder("order", [n], "int32", fills.permutation), placeholder("x", [n])];
      return graphOf([order, x], [compute("out", [["i", n]], (i) => at(x, at(order, i)))]); }`,
  ],
  [
    "variances that are positive",
    `{ const [x, v] = [placeholder("x", [n]), placeholder("v", [n], "float32", fills.positive)];
      return graphOf([x, v], [compute("out", [["i", n]], (i) => w.div(at(x, i), sqrt(at(v, i))))]); }`,
  ],
  [
    "divisors without zero",
    `{ const [x, d] = [placeholder("x", [n], "int32"), placeholder("d", [n], "int32", fills.range(1, 3))];
      return graphOf([x, d], [compute("out", [["i", n]], (i) => floorDiv(at(x, i), at(d, i)))]); }`,
  ],
])("inputs hold what their fills say: %s", async (_, graph) => {
  const said = await checked(templateText("filled", graph));
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toMatch(/: 2 sound, 0 faulty, 0 refused by the static check\n$/);
});

test("a tolerance that the computation states counts", async () => {
  const graph = (by: number, tolerance: string) =>
    `{ const x = placeholder("x", [n], "float32", fills.range(1, 2));
      return graphOf([x], [compute("out", [["i", n]], (i) => mul(at(x, i), ${by}))]${tolerance}); }`;
  const reference = (tolerance: string) => `reference: ({ args: { n } }) => ${graph(1.01, tolerance)},`;
  const near = await checked(templateText("near", graph(1, ""), reference(", { tolerance: { out: { rtol: 0.02 } } }")));
  expect(near.stdout).toMatch(/: 2 sound, 0 faulty/);
  const far = await checked(templateText("near", graph(1, ""), reference("")));
  expect(far.stdout).toMatch(/: 0 sound, 2 faulty/);
});

test.each([
  [
    "reads outside",
    `compute("out", [["i", n]], (i) => at(x, add(i, 1)))`,
    /^warpfarm check: wrong: compute "out" reads "x" at i \+ 1 .* 1 to 8/,
  ],
  [
    "divides by zero",
    `compute("out", [["i", n]], (i) => cast("float32", floorDiv(7, cast("int32", mul(at(x, i), 0)))))`,
    /wrong \[8\] cannot be computed from the inputs that its fills give: an integer is divided by 0/,
  ],
])("a computation that %s is the user's fault, said in a sentence", async (_, out, words) => {
  const said = await checked(templateText("wrong", `{ const x = placeholder("x", [n]); return graphOf([x], [${out}]); }`));
  expect([said.code, oneSentence(said)]).toEqual([2, expect.stringMatching(words)]);
  expect(said.stderr).not.toMatch(/fault of warpfarm/);
});

test("a race is named, with the configs that have it, though a search would pass them over", async () => {
  const cwd = scratch();
  const text = `import { defineTemplate, exactly, graphOf, matmul, placeholder, whole } from "warpfarm";
    export default defineTemplate({ name: "racy", summary: "planted", targets: ["cuda"], args: { n: whole(16) },
      graph: ({ args: { n } }) => {
        const [a, b] = [placeholder("a", [n, n]), placeholder("b", [n, n])];
        return graphOf([a, b], [matmul(a, b, { name: "c" })]);
      },
      space: (space) => ({ memory: space.choice("memory", ["local", "shared"]), unroll: space.choice("unroll", [0, 1]) }),
      schedule: (schedule, { memory }) => {
        const c = schedule.stage("c");
        const sum = schedule.cacheWrite(c, memory);
        const [row, column] = exactly(2, schedule.axes(c));
        schedule.bind(row, "blockIdx.x");
        schedule.bind(column, "threadIdx.x");
        schedule.computeAt(sum, c, column);
      } });`;
  writeFileSync(join(cwd, "racy.mjs"), text);
  // The message names the rule, the buffer, and two places: the sum and the loop whose threads make it.
  const race =
    /config \d and 1 more: refused: "c\.shared" accumulates in shared memory at loop "j" of "c", and none of its loops is bound to threadIdx\.x, as loop "j" of "c" is \(extent 16\): each of the 16 would add to the same elements; .* \[reduce\.repeated\] at step 3\n/;
  const said = await runCli(["check", "./racy.mjs"], { cwd });
  expect(said.code).toBe(0);
  expect(said.stdout).toMatch(race);
  expect(said.stdout).toMatch(/: 2 sound, 0 faulty, 2 refused by the static check\n$/);
  const { refused, passed_over: passed } = JSON.parse((await runCli(["check", "./racy.mjs", "--json"], { cwd })).stdout);
  expect([refused, passed]).toEqual([2, [expect.objectContaining({ rule: "reduce.repeated", count: 2 })]]);
});

test("a task too large for an interpreter is made smaller where its template allows it", () => {
  const template = defineTemplate({
    name: "picky",
    summary: "takes multiples of 8",
    targets: ["cpu"],
    args: { n: whole(512), m: whole(512) },
    check: ({ m }) => (m < 512 ? "m is 512" : undefined),
    graph: ({ args: { n, m } }) => {
      const [a, b] = [placeholder("a", [n, m]), placeholder("b", [m, n])];
      return graphOf([a, b], [matmul(a, b, { name: "c" })]);
    },
    space: (space) => ({ u: space.choice("u", divisors(4)) }),
    schedule: () => {},
  });
  const task = smallEnough(template, createTask(template, undefined, "cpu/x86-64-v3"));
  expect(task.args).toEqual([64, 512]);
});

test("a large task says what is checked instead; one config of it is refused", async () => {
  const said = await runCli(["check", "matmul_derived", "--target", "cpu", "--index", "0"]);
  expect([said.code, oneSentence(said)]).toEqual([
    2,
    expect.stringMatching(/takes 268 Mflop, more than .* give smaller shapes with --args$/),
  ]);
});

test("a large graph without arguments is to be made smaller in its file", async () => {
  const cwd = scratch();
  const text = `import { graphOf, matmul, placeholder } from "warpfarm";
const x = placeholder("x", [1024, 1024]);
export default graphOf([x], [matmul(x, x)]);`;
  writeFileSync(join(cwd, "large.mjs"), text);
  expect(oneSentence(await runCli(["check", "./large.mjs", "--target", "cpu"], { cwd }))).toMatch(
    /give smaller shapes in its file, which takes no arguments$/,
  );
});

test("a rule's name stands once", () => {
  expect(withRule({ message: "no [a.b] at step 2", rule: "a.b" })).toBe("no [a.b] at step 2");
  expect([withRule({ message: "no", rule: "a.b" }), withRule({ message: "no" })]).toEqual(["no [a.b]", "no"]);
});
