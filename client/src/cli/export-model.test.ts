/**
 * `export SUITE --plan`: a model that runs in Python as NumPy computes it, on this processor and by the CUDA driver's calls, and
 * what is refused.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultMeasureOptions, digestOf, type Json } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler";
import { encodeTrial } from "@warpfarm/records/logs";
import { createTask } from "@warpfarm/templates";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { buildHere, here, processorDriver, python, sharedObject } from "../export/exported.testing.ts";
import { exportUnit } from "../export/unit.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { SuiteDirectory } from "../suite/directory.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const shapes = { square: [8, 16, 16], wide: [8, 32, 16] } as const;
const argsOf = (label: keyof typeof shapes) => [...shapes[label], "float32", "NN"];
const tensor = (...shape: number[]) => ({ dtype: "float32", shape });

/**
 * y = x u u u v, in four rows; the first products have the same kernel and weight. The first of them and a weight are outputs
 * too.
 */
const network = {
  format: "warpfarm-plan",
  version: 1,
  model: "products",
  inputs: [{ name: "x.1", ...tensor(8, 16) }],
  outputs: ["y", "h1", "u"],
  tensors: {
    ...{ u: tensor(16, 16), v: tensor(16, 32), y: tensor(4, 64) },
    // A kernel may have two axes of its tensor as one.
    ...{ h1: tensor(8, 16), h2: tensor(2, 4, 16), h3: tensor(8, 16), h4: tensor(8, 32) },
  },
  weights: {
    file: "net.weights.bin",
    digest: "",
    tensors: { v: { offset: 0, bytes: 2048 }, u: { offset: 2112, bytes: 1024 } },
  },
  steps: [
    { task: "square", inputs: ["x.1", "u"], outputs: ["h1"] },
    { task: "square", inputs: ["h1", "u"], outputs: ["h2"] },
    { task: "square", inputs: ["h2", "u"], outputs: ["h3"] },
    { task: "wide", inputs: ["h3", "v"], outputs: ["h4"] },
    { view: "y", of: "h4" },
  ],
};
type Network = typeof network;

/** A log with a time of one config. */
function trialLine(template: string, args: Json): string {
  const task = createTask(template, args, here);
  const index = task.space.toIndex(3);
  const config = configToJson(task.space, task.space.get(index));
  const run = { task: template, args: task.args, target: here, tuner: "random", seed: 0 };
  const trial = { run, config, program: exportUnit("x", task, index).program.digest, sequence: 1, told: 0, session: "s" };
  return `${encodeTrial({ ...trial, options: defaultMeasureOptions("cpu"), result: timedResult(1e-6) } as never)}\n`;
}

function suiteIn(home: string, timed: readonly (keyof typeof shapes)[], change: (plan: Network) => unknown = () => {}) {
  const directory = new SuiteDirectory(join(home, "mine"));
  mkdirSync(join(directory.path, "logs"), { recursive: true });
  const tasks = (Object.keys(shapes) as (keyof typeof shapes)[]).map((label) =>
    plannedTask(`id-${label}`, "matmul_derived", { args: argsOf(label), key: here }, { label }),
  );
  writeFileSync(join(directory.path, "suite.json"), JSON.stringify(suitePlan({ name: "mine", tasks })));
  for (const label of timed) {
    writeFileSync(directory.logOf(`id-${label}`), trialLine("matmul_derived", argsOf(label)));
  }
  const weights = new Float32Array(784).map((_, i) => Math.fround(Math.sin(i)));
  writeFileSync(join(home, "net.weights.bin"), weights);
  const plan = structuredClone(network);
  plan.weights.digest = digestOf(new Uint8Array(weights.buffer));
  writeFileSync(join(home, "net.plan.json"), JSON.stringify(change(plan) ?? plan));
}

const exported = (home: string, ...more: readonly string[]) =>
  runCli(["export", "mine", "--plan", "net.plan.json", "-o", "out", ...more], { home, buildHere });

/** Prints the greatest errors of the outputs of two calls. */
const check = `import numpy, sys, model
m = model.load(sys.argv[1] if len(sys.argv) > 1 else ".")
weights = numpy.fromfile("../net.weights.bin", "<f4")
v, u = weights[:512].reshape(16, 32), weights[528:784].reshape(16, 16)
for seed in range(2):
    x = numpy.random.RandomState(seed).standard_normal((8, 16)).astype("f4")
    out = m(**{"x.1": x})
    y = (x @ u @ u @ u @ v).reshape(4, 64)
    print(sorted(out), out["y"].shape, (out["u"] == u).all(), numpy.abs(out["h1"] - x @ u).max() < 1e-4, numpy.abs(out["y"] - y).max() < 1e-4 * numpy.abs(y).max())
`;
const agrees = "['h1', 'u', 'y'] (4, 64) True True True\n".repeat(2);

test("a subgraph is told by its operators; its nodes are for --json", async () => {
  const nodes = Array.from({ length: 10 }, (_, i) => ({
    op: i === 0 ? "Relu" : "Exp",
    inputs: [`t${i}`],
    outputs: [`t${i + 1}`],
  }));
  const args = [[{ name: "t0", dtype: "float32", shape: [8, 16] }], nodes, ["t10"]];
  const of = ["export", "subgraph_derived", "--args", JSON.stringify(args), "--index", "0", "--target", here, "-o", "out"];
  const said = await runCli(of);
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(said.stdout).toMatch(/: subgraph_derived of Relu(, Exp){7} and 2 more, config 0, for /);
  expect(said.stdout).not.toContain('"op"');
});

test("a model runs as NumPy computes it, in less memory than its tensors have, and tells its time", async (ctx) => {
  needs(ctx, "numpy", "cc");
  const home = scratch();
  suiteIn(home, ["square", "wide"]);
  const said = await exported(home);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  // x.1 is kept, h1 and y are outputs; h2 is over when y is written.
  expect(said.stdout).toContain("products: 4 steps, 2560 bytes of memory for 3072 bytes of tensors; model.py runs it");
  const folder = join(home, "out");
  expect(readdirSync(folder).sort()).toEqual(
    [
      ...[
        "libmatmul_derived_0.so",
        "libmatmul_derived_1.so",
        "matmul_derived_0.json",
        "matmul_derived_1.json",
        "mine_kernels.py",
      ],
      ...["model.json", "model.py", "weights.bin"],
    ].sort(),
  );
  expect(python(folder, check)).toBe(agrees);
  const timed = `import json, subprocess, sys, time, model
told = json.loads(subprocess.run([sys.executable, "model.py", "--time", "3"], capture_output=True, text=True, check=True).stdout)
print(told["model"], told["runs"], told["least"] <= told["seconds"] <= told["most"], told["seconds"] > 0)
m = model.load()
begin = time.perf_counter()
seconds = m.time(4)
print(len(seconds), 0 < sum(seconds) <= time.perf_counter() - begin)
`;
  expect(python(folder, timed)).toBe("products 3 True True\n4 True\n");
});

/** max(0, conv(x, w) + b), whose task is timed by a template of its operator alone. */
test("a subgraph runs by the operator's template that won", async (ctx) => {
  needs(ctx, "numpy", "cc");
  const home = scratch();
  const directory = new SuiteDirectory(join(home, "mine"));
  mkdirSync(join(directory.path, "logs"), { recursive: true });
  const shapes = { x: [1, 4, 6, 7], w: [8, 4, 3, 3], b: [8, 1, 1] } as const;
  const subgraph = [
    Object.values(shapes).map((shape, i) => ({ name: `x${i}`, ...tensor(...shape) })),
    [
      { op: "Conv", inputs: ["x0", "x1"], outputs: ["t0"], attributes: { pads: [1, 1, 1, 1] } },
      { op: "Add", inputs: ["t0", "x2"], outputs: ["t1"], attributes: {} },
      { op: "Relu", inputs: ["t1"], outputs: ["t2"], attributes: {} },
    ],
    ["t2"],
  ];
  const search = { task: { operator: "subgraph" }, args: subgraph as never, key: here };
  const planned = plannedTask("id-conv", "", search, { label: "conv" });
  writeFileSync(join(directory.path, "suite.json"), JSON.stringify(suitePlan({ name: "mine", tasks: [planned] })));
  const args = [1, 6, 7, 8, 4, 3, 3, 1, 1, { epilogue: ["bias", "relu"] }];
  writeFileSync(directory.logOf("id-conv"), trialLine("conv2d_nchw_cpu", args as never));
  const weights = new Float32Array(288 + 8).map((_, i) => Math.fround(Math.sin(i)));
  writeFileSync(join(home, "net.weights.bin"), weights);
  const plan = {
    ...network,
    inputs: [{ name: "x", ...tensor(...shapes.x) }],
    outputs: ["y"],
    tensors: { w: tensor(...shapes.w), b: tensor(...shapes.b), y: tensor(1, 8, 6, 7) },
    weights: {
      ...{ file: "net.weights.bin", digest: digestOf(new Uint8Array(weights.buffer)) },
      tensors: { w: { offset: 0, bytes: 1152 }, b: { offset: 1152, bytes: 32 } },
    },
    steps: [{ task: "conv", inputs: ["x", "w", "b"], outputs: ["y"] }],
  };
  writeFileSync(join(home, "net.plan.json"), JSON.stringify(plan));
  const said = await exported(home);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toContain("conv_add_relu_0: conv2d_nchw_cpu");
  const text = `import numpy, model
numbers = numpy.fromfile("../net.weights.bin", "<f4")
w, b = numbers[:288].reshape(8, 4, 3, 3), numbers[288:]
x = numpy.random.RandomState(1).standard_normal((1, 4, 6, 7)).astype("f4")
wide = numpy.pad(x[0], ((0, 0), (1, 1), (1, 1)))
y = numpy.array([[[(wide[:, i:i + 3, j:j + 3] * w[f]).sum() + b[f] for j in range(7)] for i in range(6)] for f in range(8)])
print(numpy.abs(model.load()(x=x)["y"][0] - numpy.maximum(y, 0)).max() < 1e-4)
`;
  expect(python(join(home, "out"), text)).toBe("True\n");
});

test("a label that two tasks of the suite have names neither of them", async () => {
  const home = scratch();
  suiteIn(home, []);
  const path = join(home, "mine", "suite.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"wide"', '"square"'));
  const said = await exported(home);
  expect([said.code, oneSentence(said)]).toEqual([
    2,
    "warpfarm export: mine has several tasks named square, which net.plan.json runs; give each a label of its own in the suite",
  ]);
});

test("a label on devices of two conditions names no task; on devices of two kinds, --target chooses", async () => {
  const home = scratch();
  const said = async (...tasks: readonly (readonly [key: string, where?: string])[]) => {
    const wide = { label: "wide", search: { args: argsOf("wide"), key: here } };
    const all = [...tasks.map(([key, where]) => ({ label: "square", search: { args: argsOf("square"), key, where } })), wide];
    const planned = all.map(({ label, search }, i) =>
      plannedTask(`id-${i}`, "matmul_derived", { ...search, args: search.args as never } as never, { label }),
    );
    writeFileSync(join(home, "mine", "suite.json"), JSON.stringify(suitePlan({ name: "mine", tasks: planned })));
    return oneSentence(await exported(home));
  };
  suiteIn(home, []);
  const runs = "warpfarm export: mine has square, which net.plan.json runs, on";
  const alone = "export a suite of one of them";
  expect(await said([here, "model=a"], [here, "model=b"])).toBe(`${runs} ${here},model=a and on ${here},model=b; ${alone}`);
  expect(await said([here], [here, "model=b"], [here])).toBe(`${runs} ${here} and on ${here},model=b; ${alone}`);
  expect(await said([here, "model=a"], [here, "model=a"])).toBe(
    "warpfarm export: mine has several tasks named square, which net.plan.json runs; give each a label of its own in the suite",
  );
  expect(await said([here], ["cuda/sm_90"])).toBe(
    `warpfarm export: mine has square on ${here} and on cuda/sm_90; choose with --target`,
  );
});

test("a model refuses inputs and weights that are not its own, and names them", async (ctx) => {
  needs(ctx, "numpy", "cc");
  const home = scratch();
  suiteIn(home, ["square", "wide"]);
  await exported(home);
  const text = `import numpy, model
m = model.load()
x = numpy.zeros((8, 16), "f4")
for inputs in [{}, {"x.1": x, "z": x}, {"x.1": x.astype("f8")}, {"x.1": x.T}, {"x.1": x.astype(">f4")}]:
    try: m(**inputs)
    except (TypeError, ValueError) as error: print(error)
try: m.time(0)
except ValueError as error: print(error)
with open("weights.bin", "r+b") as file: file.write(b"1")
try: model.load()
except ValueError as error: print(error)
`;
  const takes = "it takes x.1: float32[8, 16]";
  expect(python(join(home, "out"), text).split("\n")).toEqual([
    `products needs the input 'x.1'; ${takes}`,
    `products has no input 'z'; ${takes}`,
    "products: the input x.1 is float64[8, 16]; it must be float32[8, 16]",
    "products: the input x.1 is float32[16, 8]; it must be float32[8, 16]",
    "products: the input x.1 is >f4[8, 16]; it must be float32[8, 16]",
    "repeats is 0; it takes 1 or more",
    expect.stringMatching(/weights\.bin is not the model's/),
    "",
  ]);
});

test("on a GPU all kernels are one graph, which each call launches once", async (ctx) => {
  needs(ctx, "numpy", "cc", "nvcc");
  const home = scratch();
  suiteIn(home, ["square", "wide"]);
  await exported(home);
  const folder = join(home, "out");
  // The same kernels as a device's code: pointers to the addresses, instead of the addresses.
  for (const [i, label] of (["square", "wide"] as const).entries()) {
    const path = join(folder, `matmul_derived_${i}.json`);
    const document = JSON.parse(readFileSync(path, "utf8"));
    const task = createTask("matmul_derived", argsOf(label), here);
    const { kernel } = exportUnit("x", task, task.space.toIndex(3));
    const calls = kernel.kernels.map(
      ({ name, args }) => `int device_${name}_params[] = {${args.map(() => "8, ").join("")}0};
void device_${name}(void **p) { void *args[] = {${args.map((_, j) => `*(void **)p[${j}]`).join(", ")}}; ${name}(args); }
`,
    );
    writeFileSync(join(folder, "device.cubin"), "");
    const file = `matmul_derived_${i}.cubin`;
    writeFileSync(join(folder, file), sharedObject("device", kernel.text + calls.join("")));
    for (const one of document.kernels) one.name = `device_${one.name}`;
    writeFileSync(path, JSON.stringify({ ...document, code: { ...document.code, file, format: "cubin" } }));
  }
  const path = join(folder, "model.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(here, "cuda/sm_90"));
  const said = python(folder, `${check}print(m.time(2))`, { LD_LIBRARY_PATH: processorDriver() });
  expect(said).toContain("captured 4\n");
  const after = said.slice(said.indexOf("captured"));
  expect(after.split("\n").filter((line) => line !== "graph")).toEqual([
    "captured 4",
    ...agrees.trimEnd().split("\n"),
    "[0.0025, 0.0025]",
    "",
  ]);
  // Two calls, and of the times one that warms up.
  expect(after.match(/^graph$/gm)?.length).toBe(5);
});

/** The plan with another value at a path, such as `steps.2.task`. */
function changed(plan: Network, path: string, value: unknown): Network {
  const names = path.split(".");
  const holder = names
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, plan as never);
  holder[names.at(-1) as string] = value;
  return plan;
}

describe("refused are", () => {
  const refusal = async (change: (plan: Network) => unknown, ...more: readonly string[]) => {
    const home = scratch();
    suiteIn(home, ["square", "wide"], change);
    const said = await exported(home, ...more);
    return [said.code, oneSentence(said)];
  };
  test.each<[what: string, path: string, value: unknown, message: RegExp]>([
    ["a plan of another version", "version", 2, /net\.plan\.json: it is no plan of a model: version: /],
    ["a step that is none", "steps.0", { run: 1 }, /steps\.0: a step is \{task, inputs, outputs\} or/],
    ["views alone", "steps", [{ view: "h1", of: "x.1" }], /net\.plan\.json: no step runs a task; a model of views alone/],
    ["an absent task", "steps.3.task", "absent", /net\.plan\.json runs the task absent, which mine does not have/],
    ["steps in a wrong order", "steps.0.inputs", ["h2", "u"], /step 1 \(square\) reads h2, which no step before it writes/],
    ["a tensor written twice", "steps.1.outputs", ["h1"], /step 2 \(square\) writes h1, which is there already/],
    ["a view of other bytes", "tensors.y", tensor(4, 65), /y\) is float32\[4, 65\], and h4 is float32\[8, 32\]/],
    ["an output that nothing writes", "outputs", ["y", "z"], /the output z is written by no step/],
    ["another shape", "tensors.h2", tensor(16, 8), /step square gives h2, float32\[16, 8\], for C, which is float32\[8, 16\]/],
    [
      "more elements",
      "tensors.h2",
      tensor(8, 16, 2),
      /step square gives h2, float32\[8, 16, 2\], for C, which is float32\[8, 16\]/,
    ],
    ["too few inputs", "steps.0.inputs", ["u"], /step square has 1 inputs; its kernel has A, B/],
    ["other weights", "weights.digest", digestOf("x"), /net\.weights\.bin has the digest sha256:.*, and the plan/],
    ["weights cut off", "weights.tensors.u.offset", 2176, /the weight u ends at byte 3200, and .* has 3136/],
    ["a weight at an odd place", "weights.tensors.u.offset", 2052, /weight u is at 2052, which is no multiple of 64/],
    ["weights elsewhere", "weights.file", "../w.bin", /weights\.file is "\.\.\/w\.bin"; it takes a name/],
    ["weights that are not there", "weights.file", "w.bin", /the weights w\.bin cannot be read: /],
  ])("%s", async (_, path, value, message) => {
    expect(await refusal((plan) => changed(plan, path, value))).toEqual([2, expect.stringMatching(message)]);
  });

  test("other formats, other things than suites, plans that cannot be read, and tasks without a kernel", async () => {
    expect(await refusal(() => {}, "--format", "c")).toEqual([2, expect.stringContaining("--plan writes a runner in Python")]);
    expect(await refusal(() => {}, "--task", "matmul_derived")).toEqual([
      2,
      expect.stringContaining("--task is not for a model's plan"),
    ]);
    const home = scratch();
    suiteIn(home, ["square"]);
    const other = await runCli(["export", "matmul_derived", "--plan", "net.plan.json", "-o", "out"], { home });
    expect([other.code, oneSentence(other)]).toEqual([
      2,
      expect.stringContaining("--plan is for a suite, whose tasks the plan runs"),
    ]);
    const absent = await exported(home, "--plan", "absent.json");
    expect([absent.code, oneSentence(absent)]).toEqual([
      2,
      expect.stringContaining('--plan names "absent.json", which cannot be read'),
    ]);
    // A template by hand has no start that is known to be sound.
    const square = plannedTask("id-square", "matmul_derived", { args: argsOf("square"), key: here }, { label: "square" });
    const wide = plannedTask("id-wide", "conv2d_nchw_cpu", { args: [1, 7, 7, 8, 4, 3, 3, 1, 1], key: here }, { label: "wide" });
    writeFileSync(join(home, "mine", "suite.json"), JSON.stringify(suitePlan({ name: "mine", tasks: [square, wide] })));
    const untimed = await exported(home);
    expect([untimed.code, oneSentence(untimed)]).toEqual([
      1,
      expect.stringContaining("wide has no time, and its space no config"),
    ]);
  });
});
