/** Section compile of the proof: seconds per kernel in one compile child, how it scales, and nvcc as a subprocess. */

import { Random } from "../../common/dist/index.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { createTask } from "../../templates/dist/index.js";
import { cores, dry, openBuilds, targetHere } from "./shared/device-host.mjs";
import { taskName } from "./shared/proof-facts.mjs";
import { median, table } from "./shared/sections.mjs";

/** Random configs of the task, as a builder might get them, as programs. */
function randomPrograms(task, count) {
  const random = new Random(11);
  const limits = gpuLimits("autotvm");
  const programs = [];
  while (programs.length < count) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (task.validate(index, limits).length > 0) continue;
    const made = task.instantiate(index);
    if (made.ok) programs.push(made.value.program);
  }
  return programs;
}

const compileSeconds = 55;

/** @typedef {import("@warpfarm/common").ProgramBytes} ProgramBytes */

/**
 * The same few kernels once for each child, so that the wall time stays the same unless children wait for each other. Kernels
 * that need more than three seconds are left out, which bounds the section's time; the share that was left out is printed.
 */
export async function compileSection() {
  const target = targetHere();
  const task = createTask(taskName, undefined, target);
  const begun = performance.now();
  const spent = () => (performance.now() - begun) / 1000;
  /** @type {(built: import("./shared/device-host.mjs").Built) => number | undefined} */
  const seconds = ({ refused, compileMs, ms }) => (refused ? undefined : (compileMs ?? ms) / 1000);
  const tried = randomPrograms(task, dry ? 3 : 24);
  const first = await openBuilds(cores);
  const probed = [];
  await Promise.all(
    tried.map(async (program) => {
      const took = seconds(await first.build(program, 3000));
      if (took !== undefined) probed.push({ program, took });
    }),
  );
  await first.close();
  probed.sort((a, b) => a.took - b.took);
  const wanted = dry ? 1 : 4;
  const from = Math.max(0, (probed.length - wanted) >> 1);
  const programs = probed.slice(from, from + wanted).map(({ program }) => program);
  console.log(
    `${probed.length} of ${tried.length} random configs build within 3 s, ${programs.length} around their median are taken`,
  );
  /** @type {[string, ProgramBytes[]][]} */
  const sets = [
    ["random configs", programs],
    ["default schedule", [task.reference]],
  ];
  const levels = [];
  /** @type {["nvcc" | undefined, number][]} */
  const ways = [
    [undefined, cores],
    [undefined, 4],
    [undefined, 1],
    ["nvcc", 1],
  ];
  for (const [toolchain, slots] of ways) {
    if (spent() > compileSeconds - 12 || programs.length === 0) {
      console.log(`${toolchain ?? "first found"}, ${slots} children: left out, ${spent().toFixed(0)} s are spent`);
      continue;
    }
    const builds = await openBuilds(slots, toolchain);
    try {
      // Children start and load the compiler outside of the time.
      await Promise.all(Array.from({ length: slots }, () => builds.build(task.reference)));
      for (const [what, list] of sets) {
        const jobs = list.flatMap((program) => Array.from({ length: slots }, () => program));
        const start = performance.now();
        const stop = start + 14_000;
        const built = await Promise.all(
          jobs.map(async (program) => {
            const done = await builds.buildWithin(program, () => Math.min(12_000, stop - performance.now()));
            return done === undefined ? undefined : seconds(done);
          }),
        );
        const wall = (performance.now() - start) / 1000;
        const compile = built.filter((s) => s !== undefined);
        const level = { what, toolchain: builds.toolchain, slots, kernels: compile.length, of: jobs.length, wall, compile };
        levels.push(level);
        console.log(
          `${level.toolchain}, ${slots} children, ${what}: ${compile.length} of ${jobs.length} in ${wall.toFixed(1)} s`,
        );
      }
    } finally {
      await builds.close();
    }
  }
  report(levels);
  return { levels, tried: tried.length, within3s: probed.length, seconds: spent() };
}

function report(levels) {
  const rows = levels.map(({ what, toolchain, slots, kernels, wall, compile }) => [
    `${toolchain}: ${what}`,
    slots,
    kernels,
    wall.toFixed(2),
    compile.length > 0 ? median(compile).toFixed(3) : "-",
    (wall / kernels).toFixed(3),
    ((wall * Math.min(slots, cores)) / kernels).toFixed(3),
  ]);
  table(["compiler", "children", "kernels", "wall s", "median s in a child", "wall s a kernel", "core s a kernel"], rows);
  const rate = (what, slots, nvcc) => {
    const l = levels.find((x) => x.what === what && x.slots === slots && x.toolchain.startsWith("nvcc") === nvcc);
    return l && l.kernels / l.wall;
  };
  for (const what of new Set(levels.map((level) => level.what))) {
    const [one, many, nvcc] = [rate(what, 1, false), rate(what, cores, false), rate(what, 1, true)];
    if (one && nvcc)
      console.log(`${what}: one warm child makes ${(one / nvcc).toFixed(2)}x the kernels of nvcc as a subprocess (wanted 1.7x)`);
    if (one && many) console.log(`${what}: ${cores} children make ${(many / one).toFixed(1)}x the kernels of one`);
  }
}
