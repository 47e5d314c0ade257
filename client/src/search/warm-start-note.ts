/**
 * The start of a search, in its log. A farm's records change, and a search that is continued elsewhere must have the same start.
 * `{"warm_start": [{"name": "[1024] on NVIDIA H100", "of": {"args": [1024], "target": "cuda/sm_90"}, "rows": [[17, 0.00012], [18,
 * null]]}]}`, null for a failure; `others` has results of configs that the space does not have, by their values. A log of an
 * older version has no `of` and no `others`, and its search goes on without.
 */
import { readFile } from "node:fs/promises";
import { defined } from "@warpfarm/common";
import type { ConfigSpace } from "@warpfarm/compiler";
import { readLog } from "@warpfarm/records/logs";
import { z } from "zod";
import type { ShareSource } from "../tuner/tuner.ts";

const seconds = z.number().positive().nullable();
const schema = z.object({
  warm_start: z.array(
    z.object({
      name: z.string(),
      of: z.object({ args: z.json(), target: z.string() }).optional(),
      rows: z.array(z.tuple([z.number().int().nonnegative(), seconds])),
      others: z.array(z.tuple([z.array(z.json()), seconds])).optional(),
    }),
  ),
});

export const warmStartNote = (sources: readonly ShareSource[]): object => ({
  warm_start: sources.map(({ name, of, rows, others }) => ({
    name,
    ...defined({ of }),
    rows: rows.map(({ index, seconds }) => [index, seconds ?? null]),
    ...defined({ others: others?.map(({ values, seconds }) => [values, seconds ?? null]) }),
  })),
});

/** The start in a continued log; empty for one that began without. */
export async function warmStartOf(path: string, space: ConfigSpace): Promise<readonly ShareSource[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    // Whoever opens it says so.
    if (error.code === "ENOENT") return "";
    throw error;
  });
  // The note is among the first lines. A file that is no log is reported where it is opened.
  const head = text.split("\n", 8).filter((line) => line.startsWith("#"));
  for (const note of readLog(`${head.join("\n")}\n`, path).notes) {
    const { data } = schema.safeParse(note);
    if (data)
      return data.warm_start.map(({ name, of, rows, others }) => ({
        name,
        ...defined({ of }),
        rows: rows
          .filter(([index]) => index < space.size)
          .map(([index, seconds]) => ({ index: space.toIndex(index), seconds: seconds ?? undefined })),
        ...defined({ others: others?.map(([values, seconds]) => ({ values, seconds: seconds ?? undefined })) }),
      }));
  }
  return [];
}
