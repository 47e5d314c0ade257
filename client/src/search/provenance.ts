/** Facts of a search that its session sends for the records of its results. */
import { canonicalJson, defined, digestOf, type MeasureResult, medianSeconds } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";

type SearchFacts = Pick<Provenance, "tuner" | "seed" | "trials" | "defaultSeconds" | "librarySeconds">;

/** Describes the space: names, kinds and sizes of its knobs, in order. */
export function provenanceOf(
  { name, version, args, space }: Pick<Task, "name" | "version" | "args" | "space">,
  search: SearchFacts = {},
): Provenance {
  const knobs = space.knobs.map((knob) => [knob.name, knob.kind, knob.size]);
  const template = { template: name, ...defined({ templateVersion: version }) };
  return { task: name, args, ...template, space: digestOf(canonicalJson(knobs)), ...search };
}

/** Times to compare with, as far as they are known when the session is opened. `found`: the default schedule's, in the log. */
export const timesOf = (
  found: MeasureResult | undefined,
  librarySeconds?: number,
): Pick<SearchFacts, "defaultSeconds" | "librarySeconds"> =>
  defined({ defaultSeconds: found?.kind === "timed" ? medianSeconds(found.costs) : undefined, librarySeconds });
