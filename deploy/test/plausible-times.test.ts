/**
 * No honest time is refused: the fastest time of each recorded search of a GPU is well above the least believable one of its
 * program.
 */
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type Json, leastSeconds } from "@warpfarm/common";
import { workOfProgram } from "@warpfarm/proto";
import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";

const folder = new URL("../../bench/results/logs/", import.meta.url);

interface Trial {
  readonly kind: string;
  readonly costs: readonly number[];
  readonly target: string;
  readonly device: { readonly name: string };
}

/** The fastest trial of a log: its task, arguments and config. */
function fastestOf(file: string) {
  const lines = gunzipSync(readFileSync(new URL(file, folder)))
    .toString()
    .split("\n");
  const trials = lines.flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const { input, config, warpfarm } = JSON.parse(line) as {
      readonly input: readonly [string, string, readonly Json[]];
      readonly config: { readonly index: number };
      readonly warpfarm: Trial;
    };
    return warpfarm.kind === "timed" ? [{ input, config, trial: warpfarm, seconds: Math.min(...warpfarm.costs) }] : [];
  });
  return trials.sort((a, b) => a.seconds - b.seconds)[0];
}

it("is broken by no recorded time, and not far below the fastest kernels", () => {
  const ratios = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"))) {
    const found = fastestOf(file);
    if (!found) continue;
    const { input, config, trial, seconds } = found;
    const task = createTask(input[1], input[2], trial.target);
    const made = config.index < task.space.size && task.instantiate(task.space.toIndex(config.index));
    if (made === false || !made.ok) continue;
    const work = workOfProgram(JSON.parse(Buffer.from(made.value.program.bytes).toString()));
    expect(work, file).toBeDefined();
    ratios.set(file, leastSeconds(work, trial.device.name) / seconds);
  }
  expect(ratios.size).toBeGreaterThan(130);
  const greatest = Math.max(...ratios.values());
  expect(greatest).toBeLessThan(0.5);
  expect(greatest).toBeGreaterThan(0.4);
  // Bytes alone bound small kernels, more weakly, but not by nothing.
  expect(Math.min(...ratios.values())).toBeGreaterThan(1e-4);
});
