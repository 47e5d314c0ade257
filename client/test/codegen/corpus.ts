/**
 * The programs whose text is pinned: for three targets of each backend of a template its published and default schedules and 20
 * seeded configs, and random schedules. One id names one program in every commit.
 */
import { type ArtifactManifest, backendOf, digestOf, type Json, keyOf, Random, toProgramDigest } from "@warpfarm/common";
import { type ConfigIndex, compileProgram, gpuLimits, type Program } from "@warpfarm/compiler";
import { encodeManifest } from "@warpfarm/proto";
import { createTask, findTemplate, type Task, templates, usualTarget } from "@warpfarm/templates";
import { Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { tiledGraph, tiledProduct, tileIntrinsics } from "../../../test-support/programs/tiles.ts";

export interface Case {
  readonly id: string;
  /** Made when it is asked for. */
  readonly program: Program;
  /** Whether its template, on the target for which it is built, calls the config valid. */
  readonly isValid?: boolean;
}

const targets = {
  cuda: ["cuda/sm_90", "cuda/sm_80", "cuda/sm_75"],
  cpu: ["cpu/x86-64-v3", "cpu/x86-64-v2", "cpu/x86-64-v4"],
} as const;
const seeded = 20;
/**
 * What is pinned under which name: each template with a schedule of its own for its default arguments, matmul_mma where no block
 * divides them, and epilogues behind products by warpgroups and by warps.
 */
export const pinned: readonly { readonly name: string; readonly template: string; readonly args?: Json }[] = [
  ...templates.filter(({ name }) => name !== "subgraph_derived").map(({ name }) => ({ name, template: name })),
  { name: "matmul_mma_odd", template: "matmul_mma", args: { M: 1760, N: 7000, K: 1768 } },
  { name: "matmul_tma_e4m3", template: "matmul_tma", args: { dtype: "float8_e4m3fn", layout: "NT" } },
  { name: "matmul_tma_int8", template: "matmul_tma", args: { dtype: "int8", layout: "NT" } },
  { name: "matmul_tma_linear", template: "matmul_tma", args: { epilogue: ["bias", "residual", "relu"] } },
  { name: "conv2d_nhwc_mma_gelu", template: "conv2d_nhwc_mma", args: { epilogue: ["bias", "gelu", "cast(float16)"] } },
];
const pinnedAs = (name: string) => pinned.find((each) => each.name === name) ?? { name, template: name };
export const randomSchedules = 300;
const tiledEvery = 30;

type Scheduled = Pick<Extract<Program, { kind: "schedule" }>, "graph" | "trace" | "intrinsics">;

const programOf = (target: string, { graph, trace, intrinsics }: Scheduled): Program => ({
  version: 1,
  kind: "schedule",
  target,
  graph,
  trace,
  ...(intrinsics && { intrinsics }),
});

/**
 * The size of a space before knobs were added, which are the last: its configs are the first ones, and the draws are unchanged.
 */
const firstSize = ({ knobs }: Task["space"]): number =>
  knobs.reduce((size, knob) => (knob.absent === undefined ? size * knob.size : size), 1);

/** Templates that grew after configs of them were pinned: as many configs of all their knobs are pinned too. */
const grown = ["conv2d_splitk", "depthwise_derived", "matmul_latency", "matmul_simt"];

/** Configs that the target can launch, the first ones a seeded walk meets. */
function* seededConfigs(task: Task, target: string, stored: readonly number[]) {
  if (stored.length > 0) {
    yield* stored.map((index) => task.space.toIndex(index));
    return;
  }
  const met = new Set<ConfigIndex>();
  for (const size of [firstSize(task.space), ...(grown.includes(task.name) ? [task.space.size] : [])])
    for (const index of walk(task, target, size)) {
      if (!met.has(index)) yield index;
      met.add(index);
    }
}

function* walk(task: Task, target: string, size: number): Generator<ConfigIndex> {
  const random = new Random(1);
  const seen = new Set<number>();
  const limits = gpuLimits(target);
  for (let tried = 0; tried < 4000 && seen.size < seeded; tried++) {
    const index = task.space.toIndex(random.below(size));
    if (seen.has(index) || task.validate(index, limits).length > 0) continue;
    seen.add(index);
    yield index;
  }
}

/** A target on which the template can be opened: what a schedule for it says of an older one is pinned too. */
const openable = (name: string, target: string): string => usualTarget(findTemplate(name).targets, target);

/** What needs features of its own is built for them, on the same devices. */
const builtFor = (name: string, target: string): string =>
  keyOf(openable(name, target)) === target ? openable(name, target) : target;

/**
 * The default schedule first, then the published config where there is one, then the seeded ones: those that are stored, or else
 * those that a walk through the space finds anew.
 */
export function* templateCases(name: string, target: string, stored: readonly number[] = []): Generator<Case> {
  const { template, args } = pinnedAs(name);
  const task = createTask(template, args, openable(template, target));
  const built = builtFor(template, target);
  yield { id: `${name} default ${target}`, program: programOf(built, task.defaultSchedule) };
  const scheduled = (id: string, index: ConfigIndex): Case => ({
    id,
    get program() {
      const schedule = task.schedule(index);
      if (!schedule.ok) throw new Error(`${name} ${index}: ${schedule.error.message}`);
      return programOf(built, schedule.value);
    },
    get isValid() {
      return built === openable(template, target) && task.validate(index, gpuLimits(target)).length === 0;
    },
  });
  if (task.published !== undefined) yield scheduled(`${name} published ${target}`, task.published);
  for (const index of seededConfigs(task, target, stored)) yield scheduled(`${name} ${index} ${target}`, index);
}

function* randomCases(count: number): Generator<Case> {
  const names = Object.keys(graphs);
  const makers = Object.values(graphs);
  for (let seed = 1, made = 0; made < count; seed++) {
    const random = new Random(seed);
    const isTiled = seed % tiledEvery === 0;
    const flavour = isTiled || random.below(5) < 3 ? "cuda" : "cpu";
    const graph = isTiled ? tiledGraph() : (makers[seed % makers.length] as (typeof makers)[number])();
    const schedule = isTiled ? tiledProduct(graph, random) : new Walk(graph, random, flavour, new Map()).run(6 + random.below(7));
    if (!schedule) continue;
    const target = targets[flavour][made % 3] as string;
    const id = `random ${seed} ${isTiled ? "tiles" : names[seed % names.length]} ${target}`;
    const intrinsics = isTiled ? { intrinsics: tileIntrinsics } : {};
    yield { id, program: programOf(target, { graph, trace: schedule.trace, ...intrinsics }) };
    made++;
  }
}

export const targetsOf = (kind: string): readonly string[] => targets[kind as keyof typeof targets];

/** The configs of a template's seeded programs among the ids. */
function storedConfigs(ids: readonly string[], name: string, target: string): readonly number[] {
  const [start, end] = [`${name} `, ` ${target}`];
  return ids
    .filter((id) => id.startsWith(start) && id.endsWith(end))
    .map((id) => id.slice(start.length, -end.length))
    .filter((what) => /^\d+$/.test(what))
    .map(Number);
}

/**
 * Without ids, as they are made by the walk through each space; with them, the configs that they name. `random`: so many random
 * schedules, the first ones.
 */
export function* corpus(ids: readonly string[] = [], random = randomSchedules): Generator<Case> {
  for (const { name, template } of pinned)
    for (const { kind } of findTemplate(template).targets)
      for (const target of targetsOf(kind)) yield* templateCases(name, target, storedConfigs(ids, name, target));
  yield* randomCases(random);
}

/** The golden of a template: its published config, or else the seeded one with the shortest text. */
export function goldenCase(name: string, target: string): Case {
  const [, ...configs] = templateCases(name, target);
  const published = configs.find(({ id }) => id === `${name} published ${target}`);
  if (published) return published;
  const lengths = new Map(configs.map((entry) => [entry, textOf(entry.program).length]));
  return configs.reduce((least, entry) => ((lengths.get(entry) ?? 0) < (lengths.get(least) ?? 0) ? entry : least));
}

export function refusalOf(program: Program): string | undefined {
  const made = compileProgram(program);
  return made.ok ? undefined : made.error.message;
}

/** What a builder would send to a toolchain and to a runner, as one text; for a refused program the refusal. */
export function textOf(program: Program): string {
  const made = compileProgram(program);
  if (!made.ok) return `refused: ${made.error.message}\n`;
  const { text, kernels, buffers, notes } = made.value;
  const manifest: ArtifactManifest = {
    version: 1,
    program: toProgramDigest(digestOf(Buffer.alloc(0))),
    target: program.target,
    format: backendOf(program.target) === "cuda" ? "cubin" : "so",
    code: digestOf(Buffer.alloc(0)),
    kernels,
    buffers,
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "none",
    notes,
  };
  return `${text}\n${JSON.stringify(JSON.parse(Buffer.from(encodeManifest(manifest).bytes).toString()), undefined, 1)}\n`;
}

/** Half of a SHA-256, which is enough to notice a change. */
export const shortDigest = (text: string): string => digestOf(Buffer.from(text)).slice("sha256:".length, "sha256:".length + 32);
