import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@warpfarm/common";
import { findOperator, fittingTarget } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { oneSentence, runCli, scratch } from "../cli/context.testing.ts";
import { executed, f16, f32, i64, info, node, readFiles, written } from "./model.testing.ts";

const numbers = (count: number, salt = 1): number[] => Array.from({ length: count }, (_, i) => ((i * 7 + salt * 13) % 11) - 5);
const convert = (cwd: string, ...flags: readonly string[]) => runCli(["suite", "from-onnx", "model.onnx", ...flags], { cwd });

describe("a convolution with a batch norm, a residual and a head", () => {
  const [x, w, v] = [numbers(3 * 5 * 5), numbers(3 * 3 * 3 * 3, 2), [1, 4, 0.25]];
  const [scale, bias, mean] = [
    [2, -1, 0.5],
    [1, 2, 3],
    [0.5, -2, 1],
  ];
  const file = () =>
    written({
      node: [
        node("Conv", ["x", "w"], ["c"], { pads: [1, 1, 1, 1] }),
        node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], { epsilon: 0.5 }),
        node("Add", ["n", "x"], ["a"]),
        node("Relu", ["a"], ["r"]),
        node("Shape", ["r"], ["shape"]),
        node("Gather", ["shape", "zero"], ["batch"]),
        node("Concat", ["batch", "rest"], ["to"], { axis: 0 }),
        node("Reshape", ["r", "to"], ["y"]),
      ],
      input: [info("x", ["n", 3, 5, 5])],
      output: [info("y", ["n", 75])],
      initializer: [
        f32("w", [3, 3, 3, 3], w),
        f32("s", [3], scale),
        f32("b", [3], bias),
        f32("m", [3], mean),
        f32("v", [3], v),
        i64("zero", [0]),
        i64("rest", [-1]),
      ],
    });
  const at = (f: number, i: number, j: number): number => {
    let sum = 0;
    for (let c = 0; c < 3; c++)
      for (let p = 0; p < 3; p++)
        for (let q = 0; q < 3; q++) {
          const [r, s] = [i + p - 1, j + q - 1];
          if (r < 0 || r > 4 || s < 0 || s > 4) continue;
          sum += (x[c * 25 + r * 5 + s] as number) * (w[((f * 3 + c) * 3 + p) * 3 + q] as number);
        }
    const [m = 0, d = 0, g = 0, b = 0] = [mean[f], v[f], scale[f], bias[f]];
    return Math.max(0, ((sum - m) / Math.sqrt(d + 0.5)) * g + b + (x[f * 25 + i * 5 + j] as number));
  };

  it("is one task and a view, with the norm in the weights, and the plan computes it", async () => {
    const cwd = file();
    const said = await convert(cwd, "--batch", "1");
    expect([said.code, said.stderr]).toEqual([0, ""]);
    expect(said.stdout).toContain("1 task, 1 kernel,");
    const { tasks, plan } = readFiles(cwd);
    expect(tasks.map(({ label, nodes }) => [label, nodes.map(({ op }) => op)])).toEqual([
      ["conv_add_relu_1", ["Conv", "Add", "Relu"]],
    ]);
    expect(plan.steps.map(({ task, view }) => task ?? view)).toEqual(["conv_add_relu_1", "y"]);
    const wanted = Array.from({ length: 75 }, (_, k) => at(Math.floor(k / 25), Math.floor(k / 5) % 5, k % 5));
    const [got = []] = executed(cwd, { x });
    for (const [i, value] of wanted.entries()) expect(got[i]).toBeCloseTo(value, 4);
  });
  it("asks for a dimension without a number by its name, and takes it by --dim", async () => {
    const cwd = file();
    const said = await convert(cwd);
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      "warpfarm suite: model.onnx: the inputs have dimensions without a number: n; give --dim n=NUMBER",
    ]);
    expect((await convert(cwd, "--dim", "n=3")).code).toBe(0);
    expect(readFiles(cwd).plan.tensors.y?.shape).toEqual([3, 75]);
    // --batch is the first dimension alone.
    const open = ["n", "h"];
    const two = written({ node: [node("Relu", ["x"], ["y"])], input: [info("x", open)], output: [info("y", open)] });
    expect(oneSentence(await convert(two, "--batch", "2"))).toBe(
      "warpfarm suite: model.onnx: the inputs have dimensions without a number: h; give --dim h=NUMBER",
    );
    expect((await convert(two, "--batch", "2", "--dim", "h=3")).code).toBe(0);
    expect(readFiles(two).plan.tensors.y?.shape).toEqual([2, 3]);
  });
});

it("equal parts are one task with its count; a product takes what follows, and a value that two read is stored", async () => {
  const w = f32("w", [4, 4], numbers(16));
  const layers = ["a", "b", "c"].flatMap((name, i) => [
    node("MatMul", [i === 0 ? "x" : `${"ab"[i - 1]}r`, "w"], [`${name}m`]),
    node("Relu", [`${name}m`], [`${name}r`]),
  ]);
  const last = node("Add", ["cr", "ar"], ["y"]);
  const cwd = written({ node: [...layers, last], input: [info("x", [2, 4])], output: [info("y", [2, 4])], initializer: [w] });
  expect((await convert(cwd)).code).toBe(0);
  const { tasks, plan } = readFiles(cwd);
  expect(tasks.map(({ label, count }) => [label, count])).toEqual([
    ["mat_mul_relu_1", 2],
    ["mat_mul_relu_add_1", 1],
  ]);
  expect(plan.steps.map(({ task }) => task)).toEqual(["mat_mul_relu_1", "mat_mul_relu_1", "mat_mul_relu_add_1"]);
  const x = numbers(8, 3);
  const layer = (from: readonly number[]) =>
    Array.from({ length: 8 }, (_, k) => {
      const products = [0, 1, 2, 3].map((l) => (from[(k >> 2) * 4 + l] as number) * (numbers(16)[l * 4 + (k % 4)] as number));
      return Math.max(
        0,
        products.reduce((a, b) => a + b),
      );
    });
  const first = layer(x);
  expect(executed(cwd, { x })).toEqual([layer(layer(first)).map((value, i) => value + (first[i] as number))]);
});

it("names of modules may have any length, and begin alike", async () => {
  const path = "/encoder/layers/layers.0/attention/after_attention/";
  const [sum, norm] = [`${path}Add_output_0`, `${path}LayerNormalization_output_0`];
  const cwd = written({
    node: [node("Add", ["x", `${path}bias`], [sum]), node("LayerNormalization", [sum, `${path}scale`], [norm])],
    input: [info("x", [1, 2])],
    output: [info(norm, [1, 2])],
    initializer: [f32(`${path}bias`, [2], [1, 4]), f32(`${path}scale`, [2], [1, 3])],
  });
  const said = await convert(cwd);
  expect([said.code, said.stderr]).toEqual([0, ""]);
  const [got = []] = executed(cwd, { x: [1, 0] }); // Both are one from their mean.
  expect(got[0]).toBeCloseTo(-1, 4);
  expect(got[1]).toBeCloseTo(3, 4);
});

describe("bad input", () => {
  const small = {
    node: [node("Relu", ["x"], ["y"])],
    input: [info("x", [4])],
    output: [info("y", [4])],
  };
  const externally = (location: string, bytes = 16) => ({
    node: [node("Add", ["x", "w"], ["y"])],
    input: [info("x", [4])],
    output: [info("y", [4])],
    initializer: [
      {
        name: "w",
        dims: [4],
        data_type: 1,
        data_location: 1,
        external_data: [
          { key: "location", value: location },
          { key: "offset", value: "8" },
          { key: "length", value: String(bytes) },
        ],
      },
    ],
  });

  it("another format, and a file that is cut off", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "model.onnx"), "\x7fELF and more");
    expect(oneSentence(await convert(cwd))).toMatch(/^warpfarm suite: model.onnx is no ONNX model, or it is cut off: /);
    writeFileSync(join(cwd, "model.onnx"), "");
    expect(oneSentence(await convert(cwd))).toBe(
      "warpfarm suite: model.onnx is no ONNX model, or it is cut off: it has no nodes",
    );
    const bytes = readFileSync(join(written(small), "model.onnx"));
    writeFileSync(join(cwd, "model.onnx"), bytes.subarray(0, bytes.length - 20));
    const said = await convert(cwd);
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      expect.stringContaining("model.onnx is no ONNX model, or it is cut off: "),
    ]);
  });
  it("an opset that is not known", async () => {
    const said = await convert(written(small, 99));
    expect([said.code, oneSentence(said)]).toEqual([2, "warpfarm suite: model.onnx is of opset 99; 7 to 25 are read"]);
  });
  it("a weight's file outside of the folder, by path and by link; one inside is read from its offset", async () => {
    for (const location of ["../outside.bin", "../absent.bin", "/etc/passwd", "link.bin"]) {
      const folder = scratch();
      const cwd = join(folder, "model");
      mkdirSync(cwd);
      writeFileSync(join(folder, "outside.bin"), Buffer.alloc(64));
      symlinkSync("../outside.bin", join(cwd, "link.bin"));
      writeFileSync(join(cwd, "model.onnx"), readFileSync(join(written(externally(location)), "model.onnx")));
      const said = await convert(cwd);
      expect([said.code, oneSentence(said)]).toEqual([
        2,
        `warpfarm suite: model.onnx: the weight w is in ${JSON.stringify(location)}, which is outside of the model's folder; put the file beside the model`,
      ]);
    }
    const cwd = written(externally("w.bin"));
    writeFileSync(join(cwd, "w.bin"), Buffer.from(Float32Array.of(9, 9, 1, 2, 3, 4).buffer));
    expect((await convert(cwd)).code).toBe(0);
    expect(executed(cwd, { x: [1, 1, 1, 1] })).toEqual([[2, 3, 4, 5]]);
    const wrong = async (change: object, size = 24): Promise<string> => {
      const entries = { location: "w.bin", offset: "8", length: "16", ...change };
      const external_data = Object.entries(entries).map(([key, value]) => ({ key, value }));
      const graph = externally("w.bin");
      const folder = written({ ...graph, initializer: [{ ...graph.initializer[0], external_data }] });
      writeFileSync(join(folder, "w.bin"), Buffer.alloc(size));
      mkdirSync(join(folder, "part"));
      return oneSentence(await convert(folder));
    };
    expect(await wrong({ offset: "-8" })).toBe(
      'warpfarm suite: model.onnx: the weight w has the offset "-8" in w.bin; it takes a whole number',
    );
    expect(await wrong({ length: "4" })).toBe(
      "warpfarm suite: model.onnx: the weight w takes 16 bytes from 8 of w.bin, and the model says 4",
    );
    expect(await wrong({ location: "part" })).toBe('warpfarm suite: model.onnx: the weight w is in "part", which is no file');
    writeFileSync(join(cwd, "w.bin"), Buffer.alloc(20));
    expect(oneSentence(await convert(cwd))).toBe(
      "warpfarm suite: model.onnx: the weight w takes 16 bytes from 8 of w.bin, which ends before; the file is cut off",
    );
  });
  it("the model as a suite, and its own file as the suite's", async () => {
    const cwd = written({ ...small, node: [node("Relu", ["x"], ["y"])] });
    expect(oneSentence(await runCli(["suite", "run", "model.onnx"], { cwd }))).toBe(
      "warpfarm suite: model.onnx is a model; warpfarm suite from-onnx model.onnx makes a suite of it, which suite run takes",
    );
    const before = readFileSync(join(cwd, "model.onnx"));
    writeFileSync(join(cwd, "model.pb"), before);
    const files = readdirSync(cwd);
    for (const [model, output] of [
      ["model.onnx", "./model.onnx"],
      ["model.onnx", "other.ONNX"],
      ["model.pb", "./model.pb"],
    ] as const) {
      const said = await runCli(["suite", "from-onnx", model, "-o", output], { cwd });
      expect([said.code, oneSentence(said)]).toEqual([
        ...[2, `warpfarm suite: -o names ${output}, which is a model's file; it takes the suite's, such as suite.yaml`],
      ]);
    }
    expect([readdirSync(cwd), ...["onnx", "pb"].map((end) => readFileSync(join(cwd, `model.${end}`)).equals(before))]).toEqual([
      ...[files, true, true],
    ]);
    expect((await runCli(["suite", "from-onnx", "model.pb", "-o", "my.onnx.yaml"], { cwd })).code).toBe(0);
  });
  it("names: given twice, of an output that nothing gives, and of a tensor that is another's", async () => {
    const of = async (...nodes: readonly object[]) => {
      const cwd = written({ ...small, node: nodes });
      return { cwd, said: await convert(cwd) };
    };
    const twice = await of(node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"]));
    expect(oneSentence(twice.said)).toBe("warpfarm suite: model.onnx: the node y gives y, which is there already");
    const missing = await of(node("Relu", ["x"], ["z"]));
    expect(oneSentence(missing.said)).toBe("warpfarm suite: model.onnx: the output y is given by no node");
    const [x, w] = [info("x", [4]), f32("w", [4], [1, 2, 3, 4])];
    for (const [more, words] of [
      [{ input: [x, x] }, "two inputs are named x"],
      [{ initializer: [w, w] }, "two weights are named w"],
    ] as const) {
      const said = await convert(written({ ...small, ...more }));
      expect([said.code, oneSentence(said)]).toEqual([2, `warpfarm suite: model.onnx: ${words}; each has a name of its own`]);
    }
    const shapes = await of(node("Concat", ["x", "x"], ["a"], { axis: 0 }), node("Add", ["x", "a"], ["y"]));
    expect(shapes.said.stderr).toContain("y: Add: the shapes [4] and [8] cannot be broadcast to each other");
    const same = await of(node("Relu", ["x"], ["r"]), node("Identity", ["r"], ["y"]));
    expect([same.said.code, readFiles(same.cwd).plan.outputs]).toEqual([0, ["y"]]);
    expect(executed(same.cwd, { x: [1, -2, 3, -4] })).toEqual([[1, 0, 3, 0]]);
  });
  it("a number of int64 that int32 does not hold, unless it means no bound, and a type that is not computed with", async () => {
    const put = async (op: string, type: number, ...initializer: readonly ReturnType<typeof i64>[]) => {
      const nodes = [node(op, ["x", ...initializer.map(({ name }) => name)], ["y"])];
      return oneSentence(await convert(written({ ...small, node: nodes, input: [info("x", [4], type)], initializer })));
    };
    expect(await put("Add", 7, i64("k", [2 ** 40]))).toMatch(
      /the weight k holds 1099511627776; elements of int64 are kept in int32, which has -2147483648 to 2147483647$/,
    );
    expect(await put("Slice", 1, i64("s", [0]), i64("e", [2 ** 63]))).toBe("");
    expect(await put("Relu", 8)).toMatch(/the input x has the type string of ONNX, which is not computed with$/);
  });
  it("a constant that would not fit, and no opset", async () => {
    const graph = {
      ...small,
      node: [node("ConstantOfShape", ["s"], ["c"]), node("Add", ["x", "c"], ["y"])],
      initializer: [i64("s", [2 ** 20, 2 ** 20])],
    };
    expect((await convert(written(graph))).stderr).toContain("it gives 1099511627776 elements; a constant has at most");
    expect(oneSentence(await convert(written(small, 0)))).toBe(
      "warpfarm suite: model.onnx states no opset of ONNX; 7 to 25 are read",
    );
  });
  it("operators that are not known, with node and domain; --skip-unknown takes the rest and says so", async () => {
    const cwd = written({
      node: [
        node("MatMul", ["x", "w"], ["p"]),
        { ...node("Magic", ["p"], ["q"]), domain: "com.\u001b[2Jexample" },
        node("Neg", ["q"], ["n"]),
        node("Loop", ["n"], ["r"]),
        node("Relu", ["s"], ["y"]),
      ],
      input: [info("x", [2, 4]), info("s", [2, 4])],
      output: [info("y", [2, 4]), info("r", [2, 4])],
      initializer: [f32("w", [4, 4], numbers(16))],
    });
    const said = await convert(cwd);
    expect(said.code).toBe(2);
    expect(said.stderr).toContain("model.onnx has 3 nodes that cannot be computed, listed above; --skip-unknown takes the rest");
    expect(said.stderr).toContain("q: Magic of com.?[2Jexample: operators of this domain are not known");
    expect(said.stderr).toContain("r: Loop: the operator is not known");
    // What only reads their results is counted.
    expect(said.stderr).toContain("\n  and 1 node after these\n");
    const skipped = await convert(cwd, "--skip-unknown");
    expect(skipped.code).toBe(0);
    expect(skipped.stdout).toContain("Left out: 3 nodes, so the sum of its tasks is not the model's time, and there is no plan");
    expect(skipped.stdout).toContain("mat_mul_1");
  });
  it("times: of the file, the node and the device that a capture names", async () => {
    const of = (key: string, value: string) => ({ key: `warpfarm.${key}`, value });
    const by = (key = "cpu/arm64", name = "PyTorch 2.5") => [of("framework", name), of("device", "a board"), of("key", key)];
    const timed = async (seconds: string, properties: readonly object[] = by()) => {
      const one = { ...node("Relu", ["x"], ["y"]), metadata_props: [{ key: "other", value: "-1" }, of("seconds", seconds)] };
      const cwd = written({ ...small, node: [one] }, 17, properties);
      return { cwd, said: await convert(cwd) };
    };
    for (const bad of ["-1", "NaN", "Infinity", "1e9", "", "0x10", "1 s"]) {
      const { said } = await timed(bad);
      expect([said.code, oneSentence(said)]).toEqual([
        2,
        `warpfarm suite: model.onnx: the node y (Relu) has ${JSON.stringify(bad)} as warpfarm.seconds; it takes a number from 0 to 1000000`,
      ]);
    }
    expect(oneSentence((await timed("1", by("cpu/z80"))).said)).toMatch(
      /^warpfarm suite: model.onnx: it has "cpu\/z80" as warpfarm.key; it takes a kind of device: /,
    );
    const unnamed =
      "warpfarm suite: model.onnx: it has times of its nodes; it takes warpfarm.framework and warpfarm.device beside them, of 1 to 200 characters";
    for (const properties of [[], by("cpu/arm64", ""), by("cpu/arm64", "x".repeat(201))])
      expect(oneSentence((await timed("1", properties)).said)).toBe(unnamed);
    const taken = await timed("2.5e-05");
    expect(taken.said.code).toBe(0);
    const suite = readFileSync(join(taken.cwd, "model.yaml"), "utf8");
    expect(suite).toContain('framework: {"name":"PyTorch 2.5","device":"a board","key":"cpu/arm64"}');
    expect(suite).toContain('"library_us":{"cpu/arm64":25}');
    // Equal nodes are one shape, which has their mean.
    const relu = (x: string, y: string, seconds: string) => ({
      ...node("Relu", [x], [y]),
      metadata_props: [of("seconds", seconds)],
    });
    const shape = [2, 3];
    const cwd = written(
      {
        node: [relu("x", "y", "2e-05"), relu("u", "v", "4e-05")],
        input: [info("x", shape), info("u", shape)],
        output: [info("y", shape), info("v", shape)],
      },
      17,
      by(),
    );
    expect([(await convert(cwd)).code, readFiles(cwd).tasks]).toMatchObject([0, [{ count: 2, library_us: { "cpu/arm64": 30 } }]]);
  });
  it("flags", async () => {
    const cwd = written(small);
    expect(oneSentence(await convert(cwd, "--dim", "n=3", "--dim", "n=4"))).toBe(
      "warpfarm suite: --dim gives n twice, as 3 and 4; give it once",
    );
    expect(oneSentence(await convert(cwd, "--dim", "n"))).toBe(
      'warpfarm suite: --dim is "n"; it takes NAME=N, with a whole number from 1',
    );
    expect(oneSentence(await convert(cwd, "--batch", "3"))).toBe(
      "warpfarm suite: model.onnx: --batch is given, and the first dimension of each input has a number already",
    );
    expect(oneSentence(await convert(cwd, "--dim", "n=3"))).toBe(
      "warpfarm suite: model.onnx: --dim names n, which is no open dimension of an input; those are none",
    );
    expect((await runCli(["suite", "from-onnx", "no.onnx"], { cwd })).code).toBe(2);
  });
});

it("BERT's feed-forward product at batch 32 is searched with the templates of matmul, too", async () => {
  const [one, half, root] = [1, 0.5, Math.SQRT2].map((x, i) => f16(`c${i}`, [], [x]));
  const zeros = (count: number) => new Array<number>(count).fill(0);
  const cwd = written({
    node: [
      node("MatMul", ["x", "w"], ["p"]),
      node("Add", ["b", "p"], ["s"]),
      node("Div", ["s", "c2"], ["d"]),
      node("Erf", ["d"], ["e"]),
      node("Add", ["e", "c0"], ["g"]),
      node("Mul", ["s", "g"], ["m"]),
      node("Mul", ["m", "c1"], ["y"]),
    ],
    input: [info("x", ["n", 128, 768], 10)],
    output: [info("y", ["n", 128, 3072], 10)],
    initializer: [f16("w", [768, 3072], zeros(768 * 3072)), f16("b", [3072], zeros(3072)), one, half, root] as object[],
  });
  expect((await convert(cwd, "--batch", "32")).code).toBe(0);
  const [{ inputs, nodes, outputs } = { inputs: [], nodes: [], outputs: [] }] = readFiles(cwd).tasks;
  const args = { inputs, nodes, outputs } as unknown as Json;
  const found = findOperator("subgraph")?.fitting(args, ({ targets }) => fittingTarget(targets, "cuda/sm_90"));
  const product = [4096, 3072, 768, "float16", "NN", { epilogue: ["bias", "gelu"] }];
  expect(found?.tasks.map(({ name, target, args: own }) => [name, target, own])).toEqual([
    ["subgraph_derived", "cuda/sm_90a", [inputs, nodes, outputs]],
    ["matmul_mma", "cuda/sm_90", product],
    ["matmul_tma", "cuda/sm_90a", product],
  ]);
});
