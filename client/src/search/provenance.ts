/** What a session tells of its search, for the records of its results and for the farm's page. */
import { canonicalJson, digestOf } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import type { SearchSpec } from "./search-spec.ts";
import { taskNamed } from "./task-source.ts";

/** `search`: its other fields; none where one config is measured. `space`: names, kinds and sizes of the knobs, in order. */
export function provenanceOf(
  task: Pick<Task, "name" | "word" | "version" | "args" | "target" | "space">,
  search: Omit<SearchSpec, "version" | "task" | "args" | "target"> = {},
): Provenance {
  const { args, target, space } = task;
  const knobs = space.knobs.map((knob) => [knob.name, knob.kind, knob.size]);
  return {
    search: { ...search, version: 1, task: taskNamed(task), args: [...args], target },
    space: digestOf(canonicalJson(knobs)),
  };
}
