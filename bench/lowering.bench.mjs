/**
 * What a candidate costs before any compiler runs: the static refusal of a config that cannot run; and, of one that can, the
 * client's part (schedule, inference, check, the program's bytes), lowering with verification (replay to checked kernels), and
 * the whole of a builder's part, which is that between reading the bytes and printing. Warm, medians over 500 seeded random
 * configs of each template, under AutoTVM's limits. Times are processor time of this process.
 */

import { Random } from "@warpfarm/common";
import {
  compileProgram,
  decodeProgram,
  gpuLimits,
  infer,
  lowerVerified,
  parseTarget,
  replay,
  verifyLimits,
  verifyScheduled,
} from "@warpfarm/compiler";
import { createTask, templates } from "@warpfarm/templates";
import { medianOf, quantile, table } from "./table.mjs";
import { targetFor } from "./target-for.mjs";
import { valueIn } from "./value-in.mjs";

const count = 500;
const warmRuns = 200;

export function run() {
  const rows = templates.flatMap(({ name, targets: needs }) => needs.flatMap((need) => measure(name, targetFor(need))));
  table("milliseconds", rows);
}

/**
 * What `work` gives, and the milliseconds of processor it took.
 * @template T
 * @param {() => T} work
 */
function timed(work) {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

/** @param {import("@warpfarm/compiler").Program} program */
function lowered(program) {
  if (program.kind !== "schedule") throw new Error(`a program of kind ${program.kind} has no schedule`);
  const { graph, trace, intrinsics, target } = program;
  const schedule = replay(graph, trace, intrinsics);
  if (!schedule.ok) return schedule;
  const inferred = infer(schedule.value.state);
  if (!inferred.ok) return inferred;
  const func = inferred.value.func();
  const [wrong] = [...verifyLimits(inferred.value, gpuLimits(target)), ...verifyScheduled(func)];
  return wrong ? { ok: false, error: wrong } : lowerVerified(func, parseTarget(target));
}

function measure(name, target) {
  const task = createTask(name, undefined, target);
  // AutoTVM knows no blocks with more than 48 KiB, which all of those for one architecture have.
  const limits = gpuLimits(target.endsWith("a") ? target : "autotvm");
  const random = new Random(1);
  /** @type {Record<"refused" | "client" | "lowering" | "builder", number[]>} */
  const times = { refused: [], client: [], lowering: [], builder: [] };
  const enough = count + warmRuns;
  const isDone = () => times.builder.length >= enough && (times.refused.length === 0 || times.refused.length >= enough);
  for (let tried = 0; !isDone() && tried < 20 * enough; tried++) {
    const index = task.space.toIndex(random.below(task.space.size));
    const { value, ms } = timed(() => {
      const violations = target.startsWith("cuda") ? task.validate(index, limits) : [];
      return violations.length > 0 ? undefined : task.instantiate(index);
    });
    if (!value?.ok) {
      times.refused.push(ms);
      continue;
    }
    if (times.builder.length >= enough) continue;
    times.client.push(ms);
    const { bytes } = value.value.program;
    const program = valueIn(decodeProgram(bytes));
    const kernels = timed(() => lowered(program));
    if (!kernels.value.ok) {
      // Registers for sums are counted in kernels, which the static check does not make.
      if (Array.isArray(kernels.value.error) && kernels.value.error[0]?.rule === "wgmma.registers") continue;
      throw new Error(`${name} ${index}: ${JSON.stringify(kernels.value.error)}`);
    }
    times.lowering.push(kernels.ms);
    const text = timed(() => compileProgram(valueIn(decodeProgram(bytes))));
    if (!text.value.ok) throw new Error(`${name} ${index}: ${text.value.error.message}`);
    times.builder.push(text.ms);
  }
  const row = (what, all) => {
    const warm = all.slice(warmRuns, enough);
    if (warm.length === 0) return [];
    const ms = (value) => value.toFixed(3);
    return [{ template: name, target, what, n: warm.length, "median ms": ms(medianOf(warm)), "p90 ms": ms(quantile(warm, 0.9)) }];
  };
  return [
    ...row("refused by the static check", times.refused),
    ...row("client: schedule, inference, check, program bytes", times.client),
    ...row("lowering and verification", times.lowering),
    ...row("builder: reading, lowering, verification, text", times.builder),
  ];
}
