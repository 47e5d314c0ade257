/**
 * A GPU that others use too, and the labels of GPUs: `npm run build && node bench/gpu/in-use.mjs`, some four minutes. Sections:
 *
 *   taken   tracker, builder and runner as processes of their own, another process on the GPU before the runner, during a
 *           tune, while the runner's children are away, and beside one that shares: what `nodes`, `measure` and `tune` say, that
 *           no time of a config is another for it, and that work goes on when the other process ends
 *   drift   a runner that is never idle, and another process that slows it down: what it notices, and that no config is blamed
 *
 * Each expectation is printed with what was seen; exit code 1 when one was not met. Options: --only=drift
 */
import { fileURLToPath } from "node:url";
import { driftSection } from "./in-use-drift.mjs";
import { takenSection } from "./in-use-taken.mjs";
import { runSections } from "./shared/sections.mjs";

await runSections(
  fileURLToPath(import.meta.url),
  "in-use",
  { taken: { seconds: 330, run: takenSection }, drift: { seconds: 90, run: driftSection } },
  { budget: 535 },
);
