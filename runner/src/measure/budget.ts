/** Milliseconds that the phases of a job may take: what a child announces, and what its supervisor allows. */
import type { MeasureOptions, PairedOptions } from "@warpfarm/common";
import { mostHeatMs } from "./heat.ts";

/** More batches than a turn has: those that calibrate, and those that a low clock asks for. */
export const mostIdles = 10;

/** For the repeats of one program in one round. */
export const turnMs = (
  { runTimeoutMs }: Pick<MeasureOptions, "runTimeoutMs">,
  { idleMs }: Pick<PairedOptions, "idleMs">,
): number => runTimeoutMs + mostIdles * idleMs;

/** For running so many programs until the device's power is steady; 0 where it need not be. */
export const heatMs = ({ power, runTimeoutMs }: Pick<MeasureOptions, "power" | "runTimeoutMs">, programs: number): number =>
  power === "sustained" ? mostHeatMs + programs * runTimeoutMs : 0;

/**
 * For all launches of a program that is measured interleaved. The run timeout is meant for a few repeats, so each round has it,
 * and so have the first and the last run.
 */
export const interleavedMs = (
  { runTimeoutMs }: Pick<MeasureOptions, "runTimeoutMs">,
  { rounds }: Pick<PairedOptions, "rounds">,
): number => runTimeoutMs * (rounds + 2);
