/** What a session and its inputs say for their records. */
import type { Json } from "@warpfarm/common";
import { defined, mostRecordableDepth, whyUnrecordable } from "@warpfarm/common";
import { readSearchSpec, type SearchSpec } from "@warpfarm/records/search";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";

export interface Provenance {
  readonly search?: SearchSpec;
  /** Digest of the config space. */
  readonly space?: string;
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

export const keepToWire = (keep: RecordsKept): Sent<Wire.Keep> => `KEEP_${keep.toUpperCase() as Uppercase<RecordsKept>}`;

export function keepFromWire(name: string, keep: Sent<Wire.Keep> | string): RecordsKept {
  const found = recordsKept.find((each) => keepToWire(each) === keep);
  return found ?? field.refuse(name, field.shown(keep), "SHARED, PRIVATE or NONE");
}

export const provenanceToWire = ({ search, space, defaultSeconds, librarySeconds }: Provenance): Sent<Wire.Provenance> => ({
  ...(search === undefined ? {} : { search: JSON.stringify(search) }),
  ...defined({ space, default_seconds: defaultSeconds, library_seconds: librarySeconds }),
});

export function provenanceFromWire(name: string, w: Wire.Provenance): Provenance {
  const seconds = (key: string, value: number) => field.finite(`${name}.${key}`, value, Number.MIN_VALUE, 1e9);
  return {
    ...(w.search === "" ? {} : { search: readSearchSpec(jsonFromWire(`${name}.search`, w.search), `${name}.search`) }),
    ...(w.space === "" ? {} : { space: field.digest(`${name}.space`, w.space) }),
    ...(w.default_seconds === undefined ? {} : { defaultSeconds: seconds("default_seconds", w.default_seconds) }),
    ...(w.library_seconds === undefined ? {} : { librarySeconds: seconds("library_seconds", w.library_seconds) }),
  };
}

/** Also of RecordService. */
export function argsFromWire(name: string, text: string): readonly Json[] {
  const json = jsonFromWire(name, text);
  return Array.isArray(json) ? json : field.refuse(name, field.shown(text), "a JSON array");
}

function jsonFromWire(name: string, text: string): Json {
  field.prose(name, text, most);
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

export const proposalToWire = ({ config, trial, told }: Proposal): Sent<Wire.MeasureRequest_Proposal> => ({
  config,
  trial,
  told,
});

export const proposalFromWire = (name: string, w: Wire.MeasureRequest_Proposal): Proposal => ({
  config: field.prose(`${name}.config`, w.config, most),
  trial: field.integer(`${name}.trial`, w.trial, 0, max),
  told: field.integer(`${name}.told`, w.told, 0, max),
});
