/**
 * The start of a search, in its log. A farm's records change, and a search that is continued elsewhere must have the same start.
 * `{"warm_start": [{"name": "[1024] on NVIDIA H100", "of": {"args": [1024], "target": "cuda/sm_90"}, "rows": [[[8, 2], 0.00012],
 * [[8, 4], null], [[4, 4], {"at_least": 0.0002}]]}], "starts": [[8, 2]], "knobs": [["tile", "ot"], ["stages", "ot"]]}`: the
 * values of each config's knobs and its time, null for a failure, and a bound where its program ended early; then the configs
 * that the template named. Today's space may have a config that the old one did not have, and the other way round.
 */
import { readFile } from "node:fs/promises";
import { defined, type Json, unreadable } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, knobValues, valuesAt } from "@warpfarm/compiler/language";
import { readLog } from "@warpfarm/records/logs";
import { notesOf, type SearchSpec } from "@warpfarm/records/search";
import { z } from "zod";
import type { Known, OtherRow, ShareRow, ShareSource } from "../tuner/tuner.ts";
import type { Beginning } from "./farm-records.ts";

const seconds = z.number().positive();
const known = z.union([seconds, z.object({ at_least: seconds })]).nullable();
const schema = z.object({
  warm_start: z.array(
    z.object({
      name: z.string(),
      of: z.object({ args: z.json(), target: z.string() }).optional(),
      rows: z.array(z.tuple([z.array(z.json()), known])),
    }),
  ),
  starts: z.array(z.array(z.json())),
  knobs: z.array(z.tuple([z.string(), z.string()])),
});

/** What a search begins with, and the space of its indices. */
export interface WarmStart extends Beginning {
  readonly space: ConfigSpace;
}

const writtenOf = ({ seconds, isBound }: Known) => (isBound ? { at_least: seconds } : (seconds ?? null));
const knownOf = (written: z.output<typeof known>): Known =>
  typeof written === "object" && written !== null
    ? { seconds: written.at_least, isBound: true }
    : { seconds: written ?? undefined };

export const warmStartNote = ({ space, sources, starts }: WarmStart): object => ({
  warm_start: sources.map(({ name, of, rows, others = [] }) => ({
    name,
    ...defined({ of }),
    rows: [
      ...rows.map((row) => [valuesAt(space, row.index), writtenOf(row)]),
      ...others.map((row) => [row.values, writtenOf(row)]),
    ],
  })),
  starts: starts.map((index) => valuesAt(space, index)),
  knobs: space.knobs.map(({ name, kind }) => [name, kind]),
});

/** The start of a search in a continued log; empty for one that began without. */
export async function warmStartOf(path: string, space: ConfigSpace, of: Pick<SearchSpec, "task">): Promise<Beginning> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    // The opener reports it.
    return error.code === "ENOENT" ? "" : unreadable(path)(error);
  });
  // A file that is no log is reported where it is opened.
  const lines = text.split("\n").filter((line) => line.startsWith("#"));
  for (const note of notesOf(readLog(`${lines.join("\n")}\n`, path).notes, of)) {
    const { data } = schema.safeParse(note);
    if (data)
      return {
        sources: data.warm_start.map((source) => sourceIn(space, data.knobs, source)),
        starts: data.starts.flatMap((written) => indexIn(space, data.knobs, written) ?? []),
      };
  }
  return { sources: [], starts: [] };
}

type Knobs = z.output<typeof schema>["knobs"];

/** The values of today's knobs; undefined where they are others. */
function valuesIn(space: ConfigSpace, knobs: Knobs, written: readonly Json[]): readonly Json[] | undefined {
  const values = knobValues(
    space,
    knobs.map(([knob, kind], i) => [knob, kind, written[i] ?? null]),
  );
  return values.ok ? values.value : undefined;
}
function indexIn(space: ConfigSpace, knobs: Knobs, written: readonly Json[]): ConfigIndex | undefined {
  const values = valuesIn(space, knobs, written);
  return values && space.indexOfValues(values);
}

/** A row whose knobs this space does not have is left out. */
function sourceIn(space: ConfigSpace, knobs: Knobs, source: z.output<typeof schema>["warm_start"][number]): ShareSource {
  const { name, of } = source;
  const rows: ShareRow[] = [];
  const others: OtherRow[] = [];
  for (const [written, time] of source.rows) {
    const values = valuesIn(space, knobs, written);
    if (values === undefined) continue;
    const index = space.indexOfValues(values);
    if (index === undefined) others.push({ values, ...knownOf(time) });
    else rows.push({ index, ...knownOf(time) });
  }
  return { name, ...defined({ of }), rows, ...(others.length > 0 && { others }) };
}
