/**
 * What a candidate costs before any compiler runs: the static refusal of a config that cannot run, and lowering with verification of one that
 * can. Warm, medians over 500 seeded random configs of the tutorial's convolution (sm_90, the limits of AutoTVM) and of the CPU template.
 */
import { createTask } from "@warpfarm/client";
import { Random } from "@warpfarm/common";
import { compileProgram, decodeProgram, gpuLimits } from "@warpfarm/compiler";
import { medianOf, quantile, table } from "./table.mjs";

const COUNT = 500;
const WARM = 200;

export function run() {
  const rows = [
    measure("tutorial/conv2d_no_batching", "cuda/sm_90", gpuLimits("autotvm")),
    measure("conv2d_nchw_cpu", "cpu/x86-64-v4"),
  ];
  table(rows.flat());
}

function measure(name, target, limits) {
  const task = createTask(name, undefined, target);
  const random = new Random(1);
  const refused = [];
  const checked = [];
  const lowered = [];
  while (lowered.length < COUNT + WARM) {
    const index = task.space.toIndex(random.below(task.space.size));
    const start = performance.now();
    const violations = limits === undefined ? [] : task.validate(index, limits);
    const instance = violations.length === 0 ? task.instantiate(index) : undefined;
    const checkedMs = performance.now() - start;
    if (violations.length > 0) {
      refused.push(checkedMs);
      continue;
    }
    if (!instance?.ok) continue;
    checked.push(checkedMs);
    const program = decodeProgram(instance.value.program.bytes);
    if (!program.ok) throw new Error(program.error.message);
    const begin = performance.now();
    const text = compileProgram(program.value);
    lowered.push(performance.now() - begin);
    if (!text.ok) throw new Error(`${name} ${index}: ${text.error.message}`);
  }
  const row = (what, times) => ({
    what: `${name}: ${what}`,
    n: times.length,
    "median ms": medianOf(times).toFixed(3),
    "p90 ms": quantile(times, 0.9).toFixed(3),
  });
  const warm = (times) => times.slice(WARM);
  return [
    ...(refused.length > WARM ? [row("refused by the static check", warm(refused))] : []),
    row("client: schedule, inference, check, program bytes", warm(checked)),
    row("builder: replay, inference, lowering, verification, text", warm(lowered)),
  ];
}
