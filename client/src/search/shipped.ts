/**
 * Results of our own searches that come with the package (client/knowledge, made by scripts/pack-knowledge.mjs): a search on a
 * farm without records of its template begins with them, as with records of other shapes. They are trusted because their digests
 * are part of the program. They are in no store, and no failure among them is known to a farm.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { FarmError, type Json } from "@warpfarm/common";
import { type ConfigSpace, knobValues } from "@warpfarm/compiler/language";
import { shippedSuffix } from "@warpfarm/records/suites";
import { isTemplateFile, isTemplateTask, type Task } from "@warpfarm/templates";
import { type TunerName, usesRecords } from "../tuner/index.ts";
import { type KnownConfig, type KnownRecord, knownOf, resultsIn, sourcesOfConfigs } from "../tuner/known-records.ts";
import type { ShareSource } from "../tuner/tuner.ts";
import { shippedDigests } from "./shipped-digests.ts";

/** Microseconds; null for a failure, a bound for a trial that was ended early. */
type Time = number | { readonly at_least: number } | null;

interface Knowledge {
  readonly task: string;
  readonly target: string;
  readonly device: string;
  /** Recordings of this repository, by path. */
  readonly origin: readonly string[];
  /** Of the newest result: YYYY-MM-DD. */
  readonly date: string;
  readonly licence: string;
  /** Makes the file from its origin. */
  readonly command: string;
  readonly knobs: readonly string[];
  /** Of each shape rows of the knobs' values, null for a knob that the shape does not have, and a time. */
  readonly shapes: readonly { readonly args: readonly Json[]; readonly rows: readonly (readonly Json[])[] }[];
}

const folder = new URL("../../knowledge/", import.meta.url);
const isShipped = ({ name }: ShareSource): boolean => name.endsWith(shippedSuffix);

/** By file: the tasks of a suite ask for the same ones. */
const known = new Map<string, Knowledge>();

function readKnowledge(file: string): Knowledge {
  const path = new URL(file, folder);
  // A file that is not there is not the one that belongs here either.
  const knowledge = known.get(file) ?? knowledgeIn(file, existsSync(path) ? readFileSync(path) : new Uint8Array());
  known.set(file, knowledge);
  return knowledge;
}

/** Throws FarmError DATA_LOSS where a file is not the one that belongs to this version. */
export function knowledgeIn(file: string, bytes: Uint8Array): Knowledge {
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (digest !== shippedDigests[file])
    throw new FarmError(
      "DATA_LOSS",
      `${new URL(file, folder).pathname} is not the file that belongs to this version of Warpfarm; install it anew, or begin with --transfer none`,
    );
  return JSON.parse(gunzipSync(bytes).toString()) as Knowledge;
}

/**
 * Of the task's template, by shape and model of device. None for a user's template or kernel, and none of another backend, whose
 * configs this space does not have.
 */
export function shippedFor(task: Task): readonly ShareSource[] {
  if (!isTemplateTask(task) || isTemplateFile(task.word)) return [];
  const prefix = `${task.name.replaceAll("/", ".")}-`;
  return Object.keys(shippedDigests)
    .filter((file) => file.startsWith(prefix))
    .map(readKnowledge)
    .filter(({ task: name }) => name === task.name)
    .flatMap((knowledge) => sourcesIn(knowledge, task));
}

export function sourcesIn(knowledge: Knowledge, { space }: Pick<Task, "space">): readonly ShareSource[] {
  const sources = sourcesOfConfigs(space, configsIn(knowledge, space), true);
  return sources.map((source): ShareSource => ({ ...source, name: `${source.name} until ${knowledge.date}${shippedSuffix}` }));
}

/** By file and the names of knobs, which shapes of one template mostly have in common. */
const configs = new Map<Knowledge, Map<string, readonly KnownConfig[]>>();

function configsIn(knowledge: Knowledge, space: ConfigSpace): readonly KnownConfig[] {
  const { target, device: name, shapes } = knowledge;
  const ofFile = configs.get(knowledge) ?? new Map<string, readonly KnownConfig[]>();
  configs.set(knowledge, ofFile);
  const key = JSON.stringify(space.knobs.map((knob) => [knob.name, knob.absent]));
  const found = ofFile.get(key);
  if (found) return found;
  const device = { key: target, name };
  const kinds = new Map(space.knobs.map((knob) => [knob.name, knob.kind]));
  const named = knowledge.knobs.map((knob) => [knob, kinds.get(knob) ?? "ot"] as const);
  const valuesOf = (row: readonly Json[]): readonly Json[] | undefined => {
    const values = knobValues(
      space,
      named.flatMap(([knob, kind], i) => (row[i] === null ? [] : [[knob, kind, row[i] as Json]])),
    );
    return values.ok ? values.value : undefined;
  };
  const made = shapes.flatMap(({ args, rows }) =>
    rows.map((row) => ({ args, target, device, values: valuesOf(row), known: knownOf(resultOf(row.at(-1) as Time)) })),
  );
  ofFile.set(key, made);
  return made;
}

function resultOf(time: Time): KnownRecord["result"] {
  if (time === null) return { kind: "failed", errorNo: 4 };
  if (typeof time === "number") return { kind: "timed", costs: [time / 1e6] };
  return { kind: "slower", atLeast: time.at_least / 1e6 };
}

/** The farm's sources, and those of the package for tuners that can begin with records. */
export const withShipped = (farm: readonly ShareSource[], task: Task, tuner: TunerName): readonly ShareSource[] =>
  usesRecords.includes(tuner) ? [...farm, ...shippedFor(task)] : farm;

/** "1204 results of 24 shapes that come with Warpfarm, measured on NVIDIA H200 until 2026-11-29"; undefined without any. */
export function shippedWords(sources: readonly ShareSource[]): string | undefined {
  const own = sources.filter(isShipped);
  if (own.length === 0) return undefined;
  const devices = [...new Set(own.map(({ name }) => name.slice(name.lastIndexOf(" on ") + 4, -shippedSuffix.length)))].sort();
  const results = resultsIn(own);
  return `${results} results of ${own.length} shapes that come with Warpfarm, measured on ${devices.join(" and ")}`;
}

export const withoutShipped = (sources: readonly ShareSource[]): readonly ShareSource[] =>
  sources.filter((source) => !isShipped(source));
