/** Facts of a search that its session sends for the records of its results. */
import { canonicalJson, defined, digestOf } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import type { SearchSpec } from "./search-spec.ts";

/** Describes the space: names, kinds and sizes of its knobs, in order. */
export function provenanceOf(
  { name, version, args, space }: Pick<Task, "name" | "version" | "args" | "space">,
  search: Pick<SearchSpec, "tuner" | "seed" | "budget"> = {},
): Provenance {
  const knobs = space.knobs.map((knob) => [knob.name, knob.kind, knob.size]);
  const template = { template: name, ...defined({ templateVersion: version }) };
  const { tuner, seed, budget } = search;
  return {
    task: name,
    args,
    ...template,
    space: digestOf(canonicalJson(knobs)),
    ...defined({ tuner, seed, trials: budget?.trials }),
  };
}
