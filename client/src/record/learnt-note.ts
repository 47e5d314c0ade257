/**
 * The compilers' reports on configs in a log, at the places where the tuner learnt them: `{"facts": {"asked": 12, "built": [[17,
 * [66, 0, 1024, 128, 4096, 0.5, 8]], [18, null]]}}`: after 12 proposals, config 17 has registers, spilled bytes, shared bytes,
 * threads, blocks, occupancy and blocks per multiprocessor; 18 does not build.
 */
import type { ConfigSpace } from "@warpfarm/compiler";
import { z } from "zod";
import type { Learnt } from "../search-ahead.ts";

const count = z.number().nonnegative();
const facts = z.tuple([count, count, count, count, count, count, count]);
const schema = z.object({
  facts: z.object({
    asked: z.number().int().nonnegative(),
    built: z.array(z.tuple([z.number().int().nonnegative(), facts.nullable()])),
  }),
});

export const learntNote = ({ asked, built }: Learnt): object => ({
  facts: {
    asked,
    built: built.map(({ index, facts: f }) => [
      index,
      f ? [f.registers, f.spilledBytes, f.sharedBytes, f.threads, f.blocks, f.occupancy, f.residentBlocks] : null,
    ]),
  },
});

/** Of a log's notes, in their order. */
export function learntOf(notes: readonly unknown[], space: ConfigSpace): readonly Learnt[] {
  return notes.flatMap((note) => {
    const { data } = schema.safeParse(note);
    if (!data) return [];
    const { asked, built } = data.facts;
    const known = built.filter(([index]) => index < space.size);
    return [
      {
        asked,
        built: known.map(([index, f]) => ({
          index: space.toIndex(index),
          facts: f === null ? undefined : factsFrom(f),
        })),
      },
    ];
  });
}

const factsFrom = ([registers, spilledBytes, sharedBytes, threads, blocks, occupancy, residentBlocks]: z.infer<
  typeof facts
>) => ({
  ...{ registers, spilledBytes, sharedBytes, threads, blocks, occupancy, residentBlocks },
});
