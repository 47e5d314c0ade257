/**
 * The package `warpfarm`.
 *
 * Write templates and kernel specs: everything of the first group, and nothing else, is also what a template's file may import.
 * Programs import the rest too: farms, searches, measurements, records and exports.
 */
/// <reference lib="esnext.disposable" />

// Open a farm: an embedded one on this machine, or the one at an address.
export type { CallOptions, Farm, FarmDevice, FarmOptions } from "@warpfarm/client/library";
// Write templates and kernel specs.
export * from "@warpfarm/client/template";

import type { OnThisMachine } from "@warpfarm/client/library";
/** Opens a farm: an embedded one (tracker, builder, runner as processes), or the one at an address. Throws FarmError. */
export declare const openFarm: OnThisMachine["openFarm"];

// Search, and measure one config.
// Read records, and write kernels as files.
export {
  type BestAsked,
  type BestRecord,
  best,
  type ConfigNamed,
  type ExportFormat,
  type ExportOptions,
  type KernelNamed,
  type MeasureAsked,
  type MeasureResult,
  measure,
  openSearch,
  type RecordSource,
  type RecordsAsked,
  records,
  type Search,
  type SearchAsked,
  type SearchOptions,
  type SearchSpec,
  type TaskNamed,
  type TuneEvent,
  type TuneSummary,
  type TuningRecord,
} from "@warpfarm/client/library";
/** Writes a kernel for use without Warpfarm, and returns the paths of its files. Throws FarmError. */
export declare const exportKernel: OnThisMachine["exportKernel"];
