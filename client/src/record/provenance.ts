/** Facts of a search that its session sends for the records of its results. */
import { canonicalJson, digestOf } from "@warpfarm/common";
import type { Provenance, RecordsKept } from "@warpfarm/proto";
import type { Command } from "commander";
import type { Task } from "../task/task.ts";

/** Describes the space: names, kinds and sizes of its knobs, in order. */
export function provenanceOf(
  { name, args, space }: Pick<Task, "name" | "args" | "space">,
  search: Pick<Provenance, "tuner" | "seed" | "trials"> = {},
): Provenance {
  const knobs = space.knobs.map((knob) => [knob.name, knob.kind, knob.size]);
  return { task: name, args, template: name, space: digestOf(canonicalJson(knobs)), ...search };
}

export interface KeepFlags {
  /** False by `--no-record`. */
  readonly record?: boolean;
  readonly private?: boolean;
}

export const addKeepFlags = (command: Command): Command =>
  command
    .option("--private", "show records of the results to you and admins only")
    .option("--no-record", "make no records of the results");

export const keepOf = ({ record, private: hidden }: KeepFlags): RecordsKept =>
  record === false ? "none" : hidden ? "private" : "shared";
