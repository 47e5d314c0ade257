/**
 * A third kind of device, defined by one entry in each of five tables, takes a task through a farm: template, schedule, static
 * check, lowering, text, build, dispatch by key, run, check against the reference. Its compiler numbers the kernels and its
 * device interprets them.
 */

import { parse } from "@warpfarm/client/cli";
import {
  backends,
  defaultMeasureOptions,
  digestOf,
  type ManifestBuffer,
  systemClock,
  type Target,
  toDigest,
} from "@warpfarm/common";
import {
  addTensors,
  compileProgram,
  createData,
  decodeProgram,
  defaultSchedule,
  gpuLimits,
  graphOf,
  interpretKernels,
  type Kernel,
  languageOf,
  launches,
  placeholder,
  relu,
  targets,
} from "@warpfarm/compiler";
import { decodeManifest, encodeManifest } from "@warpfarm/proto";
import { createTask, defineTemplate, exactly, type Task, whole } from "@warpfarm/templates";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findToolchains, openToolchain, toolchains } from "../../builder/src/toolchain/index.ts";
import { deviceKind, deviceKinds, openDevice } from "../../runner/src/device/index.ts";
import { carryOut } from "../../runner/src/worker/measure-job.ts";
import { Workloads } from "../../runner/src/worker/workloads.ts";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, runner } from "../../test-support/farm/scripted.ts";
import { ScriptedDevice } from "../../test-support/scripted-device.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const written: Kernel[][] = [];
const device = new ScriptedDevice();

const level = (name: string): number | undefined => {
  const digits = /^t(\d)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

const registrations = [
  () =>
    backends.add("toy", {
      keyWords: ["toy/tN"],
      targetWords: ["toy/tN"],
      atLeastExample: "toy/t1+",
      read: (name) => {
        const read = level(name);
        return read === undefined ? undefined : { level: read, features: new Set() };
      },
      write: (target) => `t${target.level}`,
      deviceOf: (target) => target,
      familyOf: () => "t",
      runsOn: (target, on) => target.level <= on.level,
      targetsOn: (on) => Array.from({ length: on.level }, (_, i): Target => ({ ...on, level: i + 1 })),
      usualTarget: "toy/t2",
      devices: "numbered",
      timers: ["wall"],
      minRepeatMs: 9,
      burst: { mostMs: 8.75, idleMs: 0 },
      takesText: false,
      compilerAdvice: "ask for a toy",
      tvm: { write: (name) => `toy ${name}`, read: () => undefined },
    }),
  () =>
    launches.add("toy", {
      ...launches.of("cpu"),
      limits: () => ({ ...gpuLimits("cpu/arm64"), threadsPerBlock: 1 }),
    }),
  () =>
    targets.add("toy", {
      ...targets.of("cpu"),
      language: { name: "toy", extension: "toy" },
      print: (kernels) => ({ text: `kernels ${written.push([...kernels]) - 1}`, dynamicSharedBytes: kernels.map(() => 0) }),
    }),
  () =>
    toolchains.add("toy", {
      find: async ({ path }) => ({
        ok: true,
        value: { kind: "toyc", id: "toyc 1", path: "toyc", searchPath: path, targets: ["toy/t1", "toy/t2"] },
      }),
      open: {
        toyc: (facts) => ({
          facts,
          language: "toy",
          format: "so",
          flags: () => [],
          compile: async ({ text }) => ({
            ok: true,
            code: Buffer.from(text.text),
            resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
            notes: [],
          }),
        }),
      },
    }),
  () =>
    deviceKinds.add("toy", {
      onHost: false,
      environment: [],
      load: async () => ({
        prepare: () => {},
        open: () => ({
          api: device,
          description: {
            facts: { key: "toy/t2", name: "A toy", uuid: "toy-0", driver: "none" },
            memoryBytes: 2 ** 30,
            limits: {},
          },
        }),
      }),
    }),
];

let registered: Disposable[] = [];
beforeEach(() => {
  registered = registrations.map((register) => register());
});
afterEach(() => {
  for (const one of registered) one[Symbol.dispose]();
});

/** Made while the backend is known. */
const template = () =>
  defineTemplate({
    name: "sum_relu",
    summary: "a sum on a toy",
    targets: [{ kind: "toy", from: 2 }],
    args: { n: whole(24) },
    graph: ({ args: { n } }) => {
      const [x, y] = [placeholder("x", [n]), placeholder("y", [n])];
      return graphOf([x, y], [relu(addTensors(x, y, { name: "sum" }), { name: "out" })]);
    },
    space: (space) => ({ rows: space.choice("rows", [1, 2, 4]) }),
    schedule: (schedule, { rows }) => {
      const [n] = exactly(1, schedule.axes(schedule.stage("out")));
      const [task] = exactly(2, schedule.split(n, [null, rows]));
      schedule.parallel(task);
    },
  });

/** As a builder's child does, in this process. */
const build: Answer = async ({ job }, { tracker }) => {
  if (job.kind !== "build") throw new Error("a builder was given a run");
  const program = decodeProgram(job.program.bytes);
  if (!program.ok) throw program.error;
  const { target } = program.value;
  const text = compileProgram(program.value);
  if (!text.ok) throw new Error(text.error.message);
  const { toolchains: found } = await findToolchains("", "/nowhere");
  const toolchain = found
    .map(openToolchain)
    .find((one) => one.language === text.value.language && one.facts.targets.includes(target));
  if (!toolchain) throw new Error(`nothing compiles ${text.value.language} for ${target}`);
  const compiled = await toolchain.compile({
    text: text.value,
    clientText: "refused",
    target,
    directory: "/nowhere",
    timeoutMs: 1,
  });
  if (!compiled.ok) throw new Error(compiled.message);
  const code = await tracker.artifacts.upload(compiled.code);
  const { kernels, buffers, notes } = text.value;
  const { resources } = compiled;
  const made = encodeManifest({
    version: 1,
    program: job.program.digest,
    target,
    format: toolchain.format,
    code: toDigest(code),
    kernels,
    buffers,
    resources,
    toolchain: toolchain.facts.id,
    notes,
  });
  await tracker.artifacts.upload(made.bytes);
  return { kind: "built", artifact: made.digest, buildMs: 1, cached: false };
};

/** Interprets the kernels that the code numbers, on the device's bytes. */
function interpreting(code: string, buffers: readonly ManifestBuffer[]) {
  const kernels = written[Number(/^kernels (\d+)$/m.exec(code)?.[1])] as Kernel[];
  device.scripts.set(digestOf(code), {
    ms: (number) => 10 * number,
    compute: (bytes) => {
      const floats = ({ name, shape: [length = 0] }: ManifestBuffer) => {
        const { buffer, byteOffset } = bytes(name);
        return new Float32Array(buffer, byteOffset, length);
      };
      const inputs = buffers.filter(({ role }) => role === "in").map((spec) => [spec.name, floats(spec).slice()] as const);
      const { data } = interpretKernels(kernels, new Map(inputs));
      for (const spec of buffers) if (spec.role === "out") floats(spec).set(data.get(spec.name) ?? createData("float32", 0));
    },
  });
  return digestOf(code);
}

/** As a runner's child does, in this process. */
const run: Answer = async ({ job }, { tracker }) => {
  if (job.kind !== "run") throw new Error("a runner was given a build");
  const opened = await openDevice("toy:0", { threads: 1, allowShared: false, yieldToOthers: false });
  if (!("api" in opened)) throw new Error(opened.taken);
  const local = async (digest: typeof job.artifact) => {
    const manifest = decodeManifest(await tracker.artifacts.download(digest));
    if (!manifest.ok) throw new Error(manifest.error.message);
    const code = Buffer.from(await tracker.artifacts.download(manifest.value.code)).toString();
    return { digest, manifest: manifest.value, codePath: interpreting(code, manifest.value.buffers) };
  };
  const answer = await carryOut(
    {
      kind: "measure",
      artifact: await local(job.artifact),
      ...(job.reference ? { reference: await local(job.reference) } : {}),
      options: job.options,
    },
    {
      device: opened.api,
      description: opened.description,
      workloads: new Workloads(opened.api, 1e6),
      clock: systemClock,
      enter: async () => {},
      hold: () => ({ [Symbol.dispose]() {} }),
    },
  );
  if (answer.kind !== "timed") throw new Error(`the child says ${JSON.stringify(answer)}`);
  const facts = { ...opened.description.facts, node: "test-node" };
  const { kind: _, paired: _one, ...timing } = answer;
  return {
    kind: "run",
    result: { ...timing, kind: "timed", device: facts, artifact: job.artifact, buildMs: 1, runMs: 1, timestampMs: 1, attempt: 1 },
  };
};

const instantiated = (task: Task, index: number) => {
  const made = task.instantiate(task.space.toIndex(index));
  if (!made.ok) throw new Error(made.error.message);
  return made.value.program;
};

it("is lowered, built, measured and checked by its entries in five tables", async () => {
  const task = createTask(template(), { n: 22 }, "toy/t2");
  expect(() => createTask(template(), {}, "toy/t1")).toThrow("sum_relu is for toy/t2 and later, not for toy/t1");
  expect(languageOf("toy/t2").extension).toBe("toy");
  expect(gpuLimits("toy/t2")).toMatchObject({ name: "toy/t2", threadsPerBlock: 1 });
  expect(defaultSchedule(task.graph, "toy/t2").trace.map(({ op }) => op)).toContain("parallel");
  expect(parse.device("--device")("toy:3")).toBe("toy:3");
  expect(deviceKind("toy:0").onHost).toBe(false);

  const { address, start, measuring } = await farm();
  start(builder(address, build, 1, undefined, ["toy/t1", "toy/t2"]));
  const toy = start(runner(address, 1, run, { key: "toy/t2" }));
  const other = start(runner(address, 2, undefined, { key: "cpu/x86-64-v4" }));
  await until(() => toy.registered !== undefined && other.registered !== undefined, "registration");
  const options = { ...defaultMeasureOptions("toy"), repeat: 2 };
  expect(options).toMatchObject({ timer: "wall", minRepeatMs: 7 });
  const session = await measuring(0, options, { selector: "toy" });
  for (let i = 0; i < 3; i++) session.send(i + 1, instantiated(task, i), task.reference);
  await session.finish();
  expect([...session.results.values()].map((result) => result.kind === "timed" && [result.costs, result.checked])).toEqual(
    Array(3).fill([[0.01, 0.01], true]),
  );
  expect([toy.jobs.length, other.jobs.length]).toEqual([3, 0]);
});

it("without its entry in a table is an error that names those there are", () => {
  const unknown = (run: () => unknown, table: number, message: string) => {
    registered[table]?.[Symbol.dispose]();
    expect(run).toThrow(message);
  };
  const { graph } = createTask(template(), {}, "toy/t2");
  unknown(() => deviceKind("toy:0"), 4, "there are: cpu; cuda:0, cuda:1, ...");
  unknown(() => openToolchain({ kind: "toyc", id: "", path: "", searchPath: "", targets: [] }), 3, "known are cc, nvrtc, nvcc");
  unknown(() => languageOf("toy/t2"), 2, 'compiler target "toy" is not known; known are cpu, cuda');
  unknown(() => defaultSchedule(graph, "toy/t2"), 1, 'compiler target "toy" is not known; known are cpu, cuda');
  unknown(() => defaultMeasureOptions("toy"), 0, 'backend "toy" is not known; known are cpu, cuda');
});
