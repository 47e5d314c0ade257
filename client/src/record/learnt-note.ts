/**
 * What compilers said of configs, in a log, where the tuner learnt it: `{"facts": {"asked": 12, "built": [[17, [66, 0, 1024, 128,
 * 4096, 0.5, 8]], [18, null]]}}`: after 12 proposals, of config 17 registers, spilled bytes, shared bytes, threads, blocks,
 * occupancy and blocks a multiprocessor; 18 does not build. Where instructions were counted, `"instructions": [[17, [512, 0, 64,
 * 12, 4, 6, 300]]]` has them by class.
 */
import { defined, type InstructionCounts, instructionClasses } from "@warpfarm/common";
import type { ConfigSpace } from "@warpfarm/compiler";
import { z } from "zod";
import type { Learnt } from "../search-ahead.ts";

const count = z.number().nonnegative();
const facts = z.tuple([count, count, count, count, count, count, count]);
const schema = z.object({
  facts: z.object({
    asked: z.number().int().nonnegative(),
    built: z.array(z.tuple([z.number().int().nonnegative(), facts.nullable()])),
    instructions: z.array(z.tuple([z.number().int().nonnegative(), z.array(count).length(instructionClasses.length)])).optional(),
  }),
});

export function learntNote({ asked, built }: Learnt): object {
  const counted = built.flatMap(({ index, facts: f }) =>
    f?.instructions ? [[index, instructionClasses.map((name) => f.instructions?.[name])]] : [],
  );
  return { facts: { ...builtOf(asked, built), ...(counted.length > 0 ? { instructions: counted } : {}) } };
}

const builtOf = (asked: number, built: Learnt["built"]) => ({
  asked,
  built: built.map(({ index, facts: f }) => [
    index,
    f ? [f.registers, f.spilledBytes, f.sharedBytes, f.threads, f.blocks, f.occupancy, f.residentBlocks] : null,
  ]),
});

/** Of a log's notes, in their order. */
export function learntOf(notes: readonly unknown[], space: ConfigSpace): readonly Learnt[] {
  return notes.flatMap((note) => {
    const { data } = schema.safeParse(note);
    if (!data) return [];
    const { asked, built, instructions = [] } = data.facts;
    const counted = new Map(instructions);
    const known = built.filter(([index]) => index < space.size);
    return [
      {
        asked,
        built: known.map(([index, f]) => ({
          index: space.toIndex(index),
          facts: f === null ? undefined : { ...factsFrom(f), ...defined({ instructions: countsFrom(counted.get(index)) }) },
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

const countsFrom = (counts: readonly number[] | undefined): InstructionCounts | undefined =>
  counts && (Object.fromEntries(instructionClasses.map((name, i) => [name, counts[i]])) as InstructionCounts);
