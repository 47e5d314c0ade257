/** What a session and its inputs say for their records. */

import type { Json } from "@warpfarm/common";
import { defined, mostRecordableDepth, whyUnrecordable } from "@warpfarm/common";
import { indexedText } from "@warpfarm/records";
import { nameOfTask, readSearchSpec, type SearchSpec } from "@warpfarm/records/search";
import type { Keep } from "../gen/warpfarm/farm/v1/Keep.ts";
import type {
  _warpfarm_farm_v1_MeasureRequest_Proposal,
  _warpfarm_farm_v1_MeasureRequest_Proposal__Output,
} from "../gen/warpfarm/farm/v1/MeasureRequest.ts";
import type { Provenance__Output, Provenance as WireProvenance } from "../gen/warpfarm/farm/v1/Provenance.ts";
import * as field from "./fields.ts";

/** With `search`, which says all but the space and the times, the others follow from it. */
export interface Provenance {
  readonly search?: SearchSpec;
  readonly task?: string;
  readonly args?: readonly Json[];
  readonly template?: string;
  readonly templateVersion?: string;
  readonly space?: string;
  readonly tuner?: string;
  readonly seed?: number;
  readonly trials?: number;
  readonly defaultSeconds?: number;
  readonly librarySeconds?: number;
}

export interface Proposal {
  /** JSON as in a line of a log. No party on the way reads it. */
  readonly config: string;
  /** Position in the tuner's proposals, from 1, and the number of results that it had been told by then. */
  readonly trial: number;
  readonly told: number;
}

/** `private`: its owner and admins see the records; `none`: there are none. */
export const recordsKept = ["shared", "private", "none"] as const;
export type RecordsKept = (typeof recordsKept)[number];

const most = 16 * 1024;
const max = Number.MAX_SAFE_INTEGER;

export const keepToWire = (keep: RecordsKept): Keep => `KEEP_${keep.toUpperCase() as Uppercase<RecordsKept>}`;

export function keepFromWire(name: string, keep: Keep | string): RecordsKept {
  const found = recordsKept.find((each) => keepToWire(each) === keep);
  return found ?? field.refuse(name, field.shown(keep), "SHARED, PRIVATE or NONE");
}

export function provenanceToWire(p: Provenance): WireProvenance {
  const { search, space } = p;
  const times = defined({ default_seconds: p.defaultSeconds, library_seconds: p.librarySeconds });
  if (search !== undefined) return { search: JSON.stringify(search), ...defined({ space }), ...times };
  return {
    ...defined({ task: p.task }),
    ...(p.args === undefined ? {} : { args: JSON.stringify(p.args) }),
    ...defined({
      template: p.template,
      template_version: p.templateVersion,
      space,
      tuner: p.tuner,
      seed: p.seed,
      trials: p.trials,
    }),
    ...times,
  };
}

export function provenanceFromWire(name: string, w: Provenance__Output): Provenance {
  const texts = [w.search, w.task, w.template, w.template_version, w.args, w.space, w.tuner];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > most) field.refuse(name, `${bytes} bytes`, `at most ${most} bytes`);
  const text = (key: string, value: string) => field.text(`${name}.${key}`, value, most);
  const indexed = (key: "task" | "template", value: string) => indexedText(key, value, `${name}.${key}`);
  const seconds = (key: string, value: number) => field.finite(`${name}.${key}`, value, Number.MIN_VALUE, 1e9);
  return {
    ...(w.search === "" ? {} : searchFromWire(name, w)),
    ...(w.task === "" ? {} : { task: indexed("task", w.task) }),
    ...(w.args === "" ? {} : { args: argsFromWire(`${name}.args`, w.args) }),
    ...(w.template === "" ? {} : { template: indexed("template", w.template) }),
    ...(w.template_version === "" ? {} : { templateVersion: text("template_version", w.template_version) }),
    ...(w.space === "" ? {} : { space: field.digest(`${name}.space`, w.space) }),
    ...(w.tuner === "" ? {} : { tuner: text("tuner", w.tuner), seed: field.integer(`${name}.seed`, w.seed, -max, max) }),
    ...(w.trials === 0 ? {} : { trials: w.trials }),
    ...(w.default_seconds === undefined ? {} : { defaultSeconds: seconds("default_seconds", w.default_seconds) }),
    ...(w.library_seconds === undefined ? {} : { librarySeconds: seconds("library_seconds", w.library_seconds) }),
  };
}

function searchFromWire(name: string, w: Provenance__Output): Provenance {
  const beside = (["task", "template", "template_version", "args", "tuner"] as const).find((key) => w[key] !== "");
  if (beside !== undefined) field.refuse(`${name}.${beside}`, field.shown(w[beside]), "unset where search says it");
  const search = readSearchSpec(jsonFromWire(`${name}.search`, w.search), `${name}.search`);
  const { task, args, tuner, seed = 0, budget } = search;
  const template = nameOfTask(task);
  const templateVersion = "digest" in task ? task.digest : "version" in task ? task.version : undefined;
  return {
    ...{ search, task: template, template },
    ...(Array.isArray(args) ? { args } : {}),
    ...(tuner === undefined ? {} : { tuner, seed }),
    ...defined({ templateVersion, trials: budget?.trials }),
  };
}

/** Used by RecordService too. */
export function argsFromWire(name: string, text: string): readonly Json[] {
  const json = jsonFromWire(name, text);
  return Array.isArray(json) ? json : field.refuse(name, field.shown(text), "a JSON array");
}

function jsonFromWire(name: string, text: string): Json {
  field.text(name, text, most);
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    return field.refuse(name, field.shown(text), "JSON");
  }
  const why = whyUnrecordable(json);
  if (why !== undefined)
    field.refuse(name, `JSON with ${why}`, `whole characters, finite numbers, at most ${mostRecordableDepth} levels`);
  return json;
}

export const proposalToWire = ({ config, trial, told }: Proposal): _warpfarm_farm_v1_MeasureRequest_Proposal => ({
  config,
  trial,
  told,
});

export const proposalFromWire = (name: string, w: _warpfarm_farm_v1_MeasureRequest_Proposal__Output): Proposal => ({
  config: field.text(`${name}.config`, w.config, most),
  trial: field.integer(`${name}.trial`, w.trial, 0, max),
  told: field.integer(`${name}.told`, w.told, 0, max),
});
