import {
  compileProgram,
  decodeProgram,
  gpuLimits,
  infer,
  lowerFunc,
  parseTarget,
  verifyKernels,
  verifyLimits,
} from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { isFull, some } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { nestOf, pointOf } from "./template.testing.ts";

const words = "cuda/sm_90a";
const target = parseTarget(words);
/**
 * Registers of a consumer thread, computed by hand from 65536 for all threads in eights: by consumers, then by producer 0, 24,
 * 40.
 */
const registers: Readonly<Record<number, readonly [number, number, number]>> = {
  1: [255, 255, 255],
  2: [255, 240, 232],
  3: [168, 160, 152],
  4: [128, 112, 104],
};
/** Those of the start where a producer is one more warpgroup: 65536 / (128 consumers + 128). ptxas refuses a product of more. */
const atStart: Readonly<Record<number, number>> = { 1: 255, 2: 168, 3: 128, 4: 96 };
/** A number of columns that these divide. */
const widths = { 64: 256, 128: 256, 160: 1280, 192: 768, 224: 1792, 256: 256 } as const;

it.each(some([1, 2, 3, 4], 0, 2))("sums that a thread has no registers for are refused: %i consumers", (consumers) => {
  const found: string[] = [];
  const wanted: string[] = [];
  for (const [columns, N] of Object.entries(widths).map(([c, n]) => [Number(c), n] as const)) {
    const task = createTask("matmul_tma", { M: 768, N, K: 64, layout: "NT" }, words);
    for (const [i, producer] of [0, 24, 40].entries()) {
      const name = `${columns} columns, producer ${producer}`;
      const kernels = lowerFunc(nestOf(task, pointOf(task, { consumers, columns, producer })), target);
      if (verifyKernels(kernels, target).some(({ rule }) => rule === "wgmma.registers")) found.push(name);
      const start = producer === 0 ? 255 : (atStart[consumers] as number);
      if (columns / 2 + 40 > (registers[consumers]?.[i] as number) || columns / 2 + 26 > start) wanted.push(name);
    }
  }
  expect(found).toEqual(wanted);
});

it("a kernel of which two are to fit a multiprocessor has half of the registers", () => {
  const task = createTask("matmul_tma", { M: 128, N: 256, K: 64, layout: "NT" }, words);
  const refusedAt = (minBlocks: number) => {
    const [kernel] = lowerFunc(nestOf(task, pointOf(task, { consumers: 2, columns: 256 })), target);
    const found = verifyKernels([{ ...(kernel as NonNullable<typeof kernel>), minBlocks }], target);
    return found.map(({ rule }) => rule);
  };
  expect([refusedAt(1), refusedAt(2)]).toEqual([[], ["wgmma.registers"]]);
});

it("shared memory is counted as the text lays it out, barriers and gaps with it", () => {
  const task = createTask("matmul_tma", { M: 768, N: 512, K: 512 }, words);
  let counted = 0;
  for (const consumers of some([1, 2, 3, 4], 0, 3))
    for (const producer of [0, 24])
      for (const epilogue of ["direct", "tma"])
        for (const stages of [2, 4]) {
          const at = pointOf(task, { consumers, producer, epilogue, stages, columns: 64, waves: 3, order: "hilbert" });
          const made = task.instantiate(at);
          if (!made.ok) throw new Error(made.error.message);
          const inferred = infer(made.value.schedule.state);
          const program = decodeProgram(made.value.program.bytes);
          const text = program.ok ? compileProgram(program.value) : program;
          if (!inferred.ok || !text.ok || !("kernels" in text.value))
            throw new Error(`the config is built: ${JSON.stringify(text.ok ? "" : text.error)}`);
          const bytes = text.value.kernels[0]?.dynamic_shared_bytes ?? 0;
          if (bytes === 0) continue;
          counted++;
          const refused = (sharedBytesPerBlock: number) =>
            verifyLimits(inferred.value, { ...gpuLimits(words), sharedBytesPerBlock }).map(({ rule }) => rule);
          expect([refused(bytes), refused(bytes - 1)]).toEqual([[], ["gpu.shared_bytes"]]);
        }
  expect(counted).toBeGreaterThanOrEqual(isFull ? 25 : 12);
});
