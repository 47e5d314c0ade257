import { FarmError, type Json } from "@warpfarm/common";
import { nameOfTask } from "@warpfarm/records/search";
import { createTask, findTemplate } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { readSuiteFile, type SuiteFile } from "./format.ts";
import { type PlanSurroundings, planTasks, readTasks } from "./plan.ts";
import { shapesOf } from "./shapes.ts";
import { deepbenchProducts } from "./shipped/deepbench.ts";
import { shippedSuites } from "./shipped/index.ts";

const planSuite = async (file: SuiteFile, from: PlanSurroundings) => planTasks(file, await readTasks(file, from), from.keys);
const noFile = () => Promise.reject(new Error("no file"));
const of = (file: unknown) => {
  const read = readSuiteFile(file);
  if (!read.ok) throw new Error(read.error);
  return read.value;
};
const surroundings = (keys: readonly string[], files: Readonly<Record<string, string>> = {}) => ({
  source: async ({ task }: { readonly task: string }) => {
    const { name, targets } = findTemplate(task);
    const known = new Map<string, readonly Json[]>();
    const argsOf = (json: Json) => {
      const key = JSON.stringify(json);
      const args = known.get(key) ?? createTask(task, json, targets[0]?.kind === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90a").args;
      known.set(key, args);
      return [...args];
    };
    const on = (json: Json, key: string) => ({ task: { template: name }, args: argsOf(json), target: key });
    const names = Object.keys(findTemplate(task).args);
    return { name, names, targets, on, check: (json: Json) => void argsOf(json) };
  },
  read: async (file: string) => files[file] ?? "",
  keys: () => keys,
});
const sizesOf = async (shapes: unknown, files: Readonly<Record<string, string>> = {}) => {
  const [task] = of({ name: "s", tasks: [{ task: "t", shapes }] }).tasks;
  const found = await shapesOf(task?.shapes, {}, "here", async (file) => files[file] ?? "");
  return found.map(({ place: _, ...shape }) => shape);
};

test("shapes come from lists, ranges, CSV and JSON lines; equal ones add up", async () => {
  const wanted = [
    { args: { M: 1, N: 8 }, count: 3 },
    { args: { M: 2, N: 8 }, count: 1 },
  ];
  expect(
    await sizesOf([
      { M: 1, N: 8, count: 2 },
      { N: 8, M: 1 },
      { M: 2, N: 8 },
    ]),
  ).toEqual(wanted);
  expect(await sizesOf("a.csv", { "a.csv": '\uFEFFM, N,count\r\n1,8,3\r\n"2",8,\r\n\r\n' })).toEqual(wanted);
  expect(await sizesOf("a.jsonl", { "a.jsonl": '{"M":1,"N":8,"count":3}\n\n{"M":2,"N":8}\n' })).toEqual(wanted);
  expect(
    (await sizesOf({ ranges: { M: { from: 1, to: 9, times: 2 }, N: { from: 8, to: 24, step: 8 }, l: ["NN"] } })).map(({ args }) =>
      Object.values(args as object),
    ),
  ).toEqual([1, 2, 4, 8].flatMap((M) => [8, 16, 24].map((N) => [M, N, "NN"])));
  expect(await sizesOf("a.csv", { "a.csv": 'M,layout,label,library_us\n1,NT,"a, ""b""",12.5\n' })).toEqual([
    { args: { M: 1, layout: "NT" }, count: 1, label: 'a, "b"', library: { "": 12.5e-6 } },
  ]);
});

test("a number that JSON cannot carry is the word that it is, and -0 is 0", async () => {
  expect(await sizesOf("a.csv", { "a.csv": "M,N\n1e400,-0\n" })).toEqual([{ args: { M: "1e400", N: 0 }, count: 1 }]);
  await expect(sizesOf("a.jsonl", { "a.jsonl": '{"M":1}\n{"M":1e400}\n' })).rejects.toThrow(
    'a.jsonl line 2: it is not JSON: "M": its number is not a finite one',
  );
});

test.each([
  [{ "a.csv": "M,N\n1\n" }, "a.csv line 2: it has 1 cells, and the header 2"],
  [{ "a.csv": "M,M\n1,2\n" }, "a.csv line 1: two columns are named M"],
  [{ "a.csv": 'M\n"1\n' }, "a.csv line 2: a quote is not closed"],
  [{ "a.csv": "" }, "a.csv: it is empty"],
  [{ "a.csv": "M,count\n1,-2\n" }, "a.csv line 2, column count: count is -2; it takes a number above 0"],
])("%j is refused", async (files, words) => {
  await expect(sizesOf("a.csv", files)).rejects.toThrow(words);
});

test.each([
  [{ name: "s" }, "tasks: "],
  [
    { name: "s", tasks: [{ task: "t", shape: [] }] },
    "tasks[0]: shape is no field of it; fields are task, spec, args, epilogue, shapes",
  ],
  [{ name: "s", tasks: [{ task: "t" }], budget: { wall_time: "30" } }, 'budget.wall_time: it is "30", without a unit: write 30s'],
  [{ name: "s", tasks: [{ task: "t", where: ["nonsense"] }] }, "tasks[0].where[0]: takes label=value"],
  [{ name: "a b", tasks: [{ task: "t" }] }, "name: 1 to 64 letters"],
  [{ name: "s", tasks: [{ task: "t" }], finalists: 9 }, "finalists: 2 to 8 or 0, or an object of count"],
])("%j is refused in one sentence", (file, words) => {
  const read = readSuiteFile(file);
  expect(read.ok ? "" : read.error).toContain(words);
});

test("tasks are shapes x kinds of device that the task has code for, with weights and budgets", async () => {
  const file = of({
    name: "s",
    tasks: [
      { task: "matmul_simt", shapes: [{ M: 64, count: 5 }, { M: 128 }], weight: 2, budget: { trials: 7 } },
      { task: "conv2d_nchw_cpu", shapes: [{ N: 64 }] },
    ],
    budget: { trials: 40, device_time: "90s", total_trials: 1000, wall_time: "2h" },
  });
  const plan = await planSuite(file, surroundings(["cuda/sm_80", "cuda/sm_90", "cpu/x86-64-v3"]));
  expect(
    plan.tasks.map(({ search: { task, args, key, budget }, weight }) => [
      nameOfTask(task),
      args[0],
      key,
      weight,
      budget?.trials,
      budget?.patience,
      budget?.device_time,
    ]),
  ).toEqual([
    ["matmul_simt", 64, "cuda/sm_80", 10, 7, 24, "90s"],
    ["matmul_simt", 128, "cuda/sm_80", 2, 7, 24, "90s"],
    ["matmul_simt", 64, "cuda/sm_90", 10, 7, 24, "90s"],
    ["matmul_simt", 128, "cuda/sm_90", 2, 7, 24, "90s"],
    ["conv2d_nchw_cpu", 64, "cpu/x86-64-v3", 1, 40, 24, "90s"],
  ]);
  const ends = async (...budgets: readonly object[]) => {
    const [own, common] = budgets;
    const one = of({ name: "s", tasks: [{ task: "matmul_derived", shapes: [{ M: 64 }], budget: own }], budget: common });
    return (await planSuite(one, surroundings(["cpu/x86-64-v3"]))).tasks[0]?.search.budget;
  };
  // Patience is what a search has that nothing else ends before its trials.
  expect(await ends({ trials: 200 }, {})).toEqual({ trials: 200, patience: 100 });
  expect(await ends({ trials: 200 }, { until: 0.98 })).toEqual({ trials: 200, until: 0.98 });
  expect(await ends({ trials: 200, until: 0.9, patience: 9 }, { until: 0.98 })).toEqual({ trials: 200, until: 0.9, patience: 9 });
  expect(plan.budget).toEqual({ trials: 1000, wallMs: 7_200_000 });
  expect(new Set(plan.tasks.map(({ id }) => id)).size).toBe(5);
  expect(await planSuite(file, surroundings(["cuda/sm_80", "cuda/sm_90", "cpu/x86-64-v3"]))).toEqual(plan);
});

test("a library's time is that of the kind of device, and one for all where it has none", async () => {
  const library_us = { "cuda/sm_90": 5, "": 12, "cuda/sm_80": 7 };
  const file = of({ name: "s", tasks: [{ task: "matmul_simt", shapes: [{ M: 1, N: 8, K: 8, library_us }] }] });
  const { tasks } = await planSuite(file, surroundings(["cuda/sm_90", "cuda/sm_80", "cuda/sm_86"]));
  const times = Object.fromEntries(tasks.map(({ search, librarySeconds }) => [search.key, librarySeconds]));
  expect(times).toEqual({ "cuda/sm_90": 5e-6, "cuda/sm_80": 7e-6, "cuda/sm_86": 12e-6 });
  // A framework takes the time of each shape as often as the suite counts it.
  const shapes = [
    { M: 1, N: 8, K: 8, library_us, count: 2 },
    { M: 2, N: 8, K: 8, library_us: 12 },
  ];
  const framework = { name: "PyTorch 2.5", device: "a board", key: "cuda/sm_90" };
  const model = of({ name: "m", framework, tasks: [{ task: "matmul_simt", weight: 3, shapes }] });
  expect((await planSuite(model, surroundings(["cuda/sm_90"]))).framework?.seconds).toBeCloseTo(3 * (2 * 5 + 12) * 1e-6, 12);
});

test("targets that are named wait for their devices; without any the suite is refused", async () => {
  const named = of({ name: "s", tasks: [{ task: "matmul_simt" }], targets: ["cuda/sm_90"] });
  expect((await planSuite(named, surroundings(["cpu/x86-64-v3"]))).tasks.map(({ search }) => search.key)).toEqual(["cuda/sm_90"]);
  const open = of({ name: "s", tasks: [{ task: "matmul_simt" }] });
  await expect(planSuite(open, surroundings(["cpu/x86-64-v3"]))).rejects.toThrow(
    "matmul_simt runs on cuda; of the farm's devices there are cpu/x86-64-v3",
  );
  const wrong = of({ name: "s", tasks: [{ task: "matmul_simt", shapes: [{ Q: 1 }] }] });
  await expect(planSuite(wrong, surroundings(["cuda/sm_90"]))).rejects.toThrow(FarmError);
});

test.each(
  Object.entries(shippedSuites),
)("%s: every task is one of today's templates, on a GPU and on a processor", async (name, document) => {
  const file = of(document);
  expect(file.name).toBe(name);
  const plan = await planSuite(file, { ...surroundings(["cuda/sm_90", "cpu/x86-64-v3"]), read: noFile });
  const [gpu, cpu] = ["cuda/sm_90", "cpu/x86-64-v3"].map((key) => plan.tasks.filter(({ search }) => search.key === key));
  expect(gpu?.length).toBe(cpu?.length);
  expect(gpu?.length).toBeGreaterThanOrEqual(9);
});

test("the shipped networks have the layers that are published", async () => {
  const layers = async (name: string) =>
    (await planSuite(of(shippedSuites[name]), surroundings(["cuda/sm_90"]))).tasks.map(({ search: { args }, weight }) => ({
      args: args.flat() as number[],
      weight,
    }));
  const resnet = await layers("resnet50");
  expect([resnet.length, resnet.reduce((sum, { weight }) => sum + weight, 0)]).toEqual([23, 53]);
  // 4.09 G multiply-adds in all layers (torchvision's figure for v1.5), 2.05 M of them in the classifier.
  const adds = ({ args: [, H = 0, W = 0, CO = 0, CI = 0, KH = 0, KW = 0, stride = 1], weight }: (typeof resnet)[number]) =>
    (weight * H * W * CO * CI * KH * KW) / stride ** 2;
  expect(resnet.reduce((sum, layer) => sum + adds(layer), 0) / 1e9).toBeCloseTo(4.087, 2);
  const mobile = await layers("mobilenet-v2");
  // 52 convolutions in all, 17 of them depthwise.
  expect(mobile.reduce((sum, { weight }) => sum + weight, 0)).toBe(35);
  expect([deepbenchProducts.training.length, deepbenchProducts.inference.length]).toEqual([160, 73]);
});

test("a task's epilogue belongs to all its shapes, and to their identity", async () => {
  const planned = async (task: object) => {
    const { tasks } = await planSuite(
      of({ name: "s", tasks: [{ task: "matmul_mma", shapes: [{ M: 16 }, { M: 32 }], ...task }] }),
      surroundings(["cuda/sm_90"]),
    );
    return tasks;
  };
  const [plain, followed] = [await planned({}), await planned({ epilogue: ["bias", "clamp(0, 6)"] })];
  expect(followed.map(({ search }) => search.args?.at(-1))).toEqual([1, 2].map(() => ({ epilogue: ["bias", "clamp(0,6)"] })));
  expect(new Set([...plain, ...followed].map(({ id }) => id)).size).toBe(4);
});

test("a shape that two tasks of the suite have is one task, with the weight of both", async () => {
  const task = { task: "matmul_derived", shapes: [{ M: 8, N: 8, K: 8, count: 2 }] };
  const { tasks } = await planSuite(of({ name: "s", tasks: [task, { ...task, weight: 3 }] }), surroundings(["cpu/x86-64-v3"]));
  expect(tasks.map(({ weight }) => weight)).toEqual([2 + 2 * 3]);
});
