/** What the sections of the proof share: the task, the peer's figures, how a result is put in words. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./sections.mjs";

export const taskName = "tutorial/conv2d_no_batching";
export const us = (seconds) => `${(seconds * 1e6).toFixed(2)} us`;
export const scratch = mkdtempSync(join(tmpdir(), "warpfarm-proof-"));

/** What a result is, in few words. */
export const words = (r) =>
  r.kind === "timed" ? us(median(r.costs)) : `${r.kind} ${r.errorNo ?? ""} ${r.rule ?? ""}: ${(r.message ?? "").slice(0, 100)}`;

// AutoTVM's figures on an H100 80GB HBM3 (TVM v0.17.0), by its own loop timer.
export const peer = { bestIndex: 10_280_619, bestUs: 65.4, secondsPerTrial: 1.04, buildSeconds: [1.7, 2.7] };
