/**
 * The source programs as tasks: the registered templates, their types and layouts, the computation in PyTorch, the config that
 * represents each, and its peer.
 */

import { isFloat, Random } from "../../common/dist/index.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { createTask, templates } from "../../templates/dist/index.js";

/**
 * `tvmMs`: the published schedule by TVM 0.17 on an H100, its own timer. `goal`: seconds wanted of the best config, at size
 * `goalSize` where that is not the default. `like`: the published schedule is to be within 1.1x of that program's.
 * @typedef {{ short: string, layout?: string, tvmMs?: number, goal?: number, goalSize?: number, tuned?: boolean, like?: string,
 *   alsoSanitized?: number[] }} Facts
 * @type {Record<string, Facts>}
 */
const known = {
  conv2d_hwcn: { short: "hwcn", layout: "hwcn", tvmMs: 3.216, goal: 2.4e-3, tuned: true, alsoSanitized: [275] },
  conv2d_nhwcnc_wmma: { short: "nhwcnc_wmma", layout: "nhwcnc", tvmMs: 0.713, goal: 0.45e-3, tuned: true },
  "tutorial/auto_tensorcore/test_gemm": { short: "test_gemm", goal: 3.1e-6, tuned: true },
  matmul_mma: { short: "matmul_mma", goal: (2 * 4096 ** 3) / 400e12, goalSize: 4096, tuned: true },
  conv2d_nhwc_wmma: { short: "nhwc_wmma", layout: "nhwc", goal: 0.45e-3, like: "conv2d_nhwcnc_wmma", tuned: true },
  conv2d_nhwc_mma: { short: "nhwc_mma", layout: "nhwc", goal: 0.45e-3, tuned: true },
  "tutorial/conv2d_no_batching": { short: "no_batching", layout: "nchw" },
};

const byName = new Map(templates.map((template) => [template.name, template]));
/** In the order above; what is not registered is left out. */
export const programs = Object.entries(known).flatMap(([name, facts]) => {
  const template = byName.get(name);
  return template ? [{ name, template, ...facts }] : [];
});
export const absent = Object.keys(known).filter((name) => !byName.has(name));
/** CUDA templates that nothing here knows how to check. */
export const unknown = templates
  .filter(({ name, targets }) => targets.some(({ kind }) => kind === "cuda") && !(name in known))
  .map(({ name }) => name);
export function programOf(name) {
  const found = programs.find((program) => program.name === name);
  if (!found) throw new Error(`there is no program ${name}; there are ${programs.map((program) => program.name).join(", ")}`);
  return found;
}

const sizes = ({ template }) =>
  Object.entries(template.args)
    .filter(([, { default: value }]) => typeof value === "number")
    .map(([name]) => name);
const words = ({ template }, name) => template.args[name]?.allowed.replace(/^one of /, "").split(", ") ?? [undefined];

function attempt(make) {
  try {
    return make();
  } catch (error) {
    if (error.code === "INVALID_ARGUMENT") return undefined;
    throw error;
  }
}

/** Every type and layout that the template takes, the default first; `over` replaces sizes. */
export function variantsOf(program, target, over = {}) {
  const first = createTask(program.name, over, target);
  const found = [{ name: program.short, program, task: first }];
  for (const dtype of words(program, "dtype"))
    for (const layout of words(program, "layout")) {
      const args = { ...over, ...(dtype && { dtype }), ...(layout && { layout }) };
      const task = attempt(() => createTask(program.name, args, target));
      if (task === undefined) continue;
      const name = [program.short, dtype, layout].filter((part) => part !== undefined).join(" ");
      if (JSON.stringify(task.args) === JSON.stringify(first.args)) found[0].name = name;
      else found.push({ name, program, task });
    }
  return found;
}

/** The variant that the goal is about. */
export function goalTask(program, target) {
  const { goalSize } = program;
  return createTask(
    program.name,
    goalSize === undefined ? undefined : Object.fromEntries(sizes(program).map((name) => [name, goalSize])),
    target,
  );
}

const convSizes = {
  small: { batch: 128, height: 3, width: 3, in_channels: 64, out_channels: 128 },
  tiny: { batch: 16, height: 4, width: 3, in_channels: 16, out_channels: 32 },
};
const matmulSizes = {
  small: [
    [32, 512, 64],
    [128, 128, 128],
    [256, 256, 256],
    [512, 512, 512],
  ],
  tiny: [
    [16, 64, 32],
    [32, 64, 64],
    [64, 64, 64],
    [128, 128, 128],
  ],
};

/**
 * Sizes at which the same schedule runs quickly: `small` under a sanitizer, `tiny` in JavaScript. `fits(task)` says which will
 * do.
 */
export function smaller(program, target, how, fits = (_task) => true) {
  const names = sizes(program);
  const candidates =
    program.layout === undefined
      ? matmulSizes[how].map((list) => Object.fromEntries(names.map((name, i) => [name, list[i]])))
      : program.layout === "nchw"
        ? [{ H: 5, W: 4, CO: 32, CI: how === "tiny" ? 6 : 16 }]
        : [convSizes[how]];
  return candidates.find((args) => {
    const task = attempt(() => createTask(program.name, args, target));
    return task !== undefined && fits(task);
  });
}

/** What the task computes, for programs-torch.py. */
export function operatorOf({ program, task }) {
  const names = Object.keys(program.template.args);
  const arg = (name) => task.args[names.indexOf(name)];
  const one = (value) => (Array.isArray(value) ? value[0] : value);
  if (program.layout !== undefined)
    return { kind: "conv2d", layout: program.layout, stride: one(arg("stride")), padding: one(arg("padding")) };
  const { graph } = JSON.parse(new TextDecoder().decode(task.reference.bytes));
  // A last operation may only narrow the sums.
  const product = graph.ops.find((op) => op.reduce.length > 0);
  const [k] = product.reduce.map(({ name }) => name);
  const [a, b] = graph.inputs.map(({ name }) => indicesOf(product.body, name));
  const output = graph.ops.at(-1).dtype;
  return { kind: "matmul", transposeA: a[0] === k, transposeB: b[1] === k, isFloat: isFloat(output) };
}

/** Indices with which an expression in a program's JSON loads a tensor. */
function indicesOf(body, tensor) {
  if (!Array.isArray(body)) return undefined;
  if (body[0] === "load" && body[1] === tensor) return body[2];
  for (const part of body) {
    const found = indicesOf(part, tensor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Distinct valid configs in random order, found on demand. */
export function* validConfigs(task, target, seed) {
  const limits = gpuLimits(target);
  const random = new Random(seed);
  const { size } = task.space;
  const seen = new Set();
  const all = size <= 10_000 ? random.shuffle(Array.from({ length: size }, (_, i) => i)) : undefined;
  for (let tries = 0; tries < (all?.length ?? 20_000); tries++) {
    const at = all?.[tries] ?? random.below(size);
    if (seen.has(at)) continue;
    seen.add(at);
    const index = task.space.toIndex(at);
    if (task.validate(index, limits).length === 0) yield index;
  }
}

/** The published config, at other sizes too where the space is the same and it is valid; else the first valid one. */
export function standardConfig(program, task, target) {
  const standard = createTask(program.name, undefined, target);
  const published = standard.space.size === task.space.size ? standard.published : undefined;
  if (published !== undefined && task.validate(published, gpuLimits(target)).length === 0)
    return { index: published, what: "published" };
  for (const index of validConfigs(task, target, 1)) return { index, what: "first valid" };
  return undefined;
}
