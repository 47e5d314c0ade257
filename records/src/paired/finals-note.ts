/**
 * The note of finalists in a log: `# warpfarm {"finalists": {...}}`, which AutoTVM skips. It has the measurements and the task,
 * since a log may have several tasks. Every reader works out the winner from them.
 */
import { canonicalJson, defined, type Json, toProgramDigest } from "@warpfarm/common";
import { z } from "zod";
import { entitySchema } from "../claim.ts";
import type { RunIdentity } from "../log/record.ts";
import { deviceForm, optionsForm } from "../measure-json.ts";
import type { Entity } from "../tuning-record.ts";
import type { Finals } from "./finals.ts";

type Of = Pick<RunIdentity, "task" | "args" | "target">;

const finalist = z.object({ config: entitySchema, program: z.string().regex(/^sha256:[0-9a-f]{64}$/) });
const rounds = z.array(z.number().positive()).min(1);
export const finalsSchema = z
  .object({
    version: z.literal(1),
    task: z.string(),
    args: z.array(z.json()),
    target: z.string(),
    configs: z.array(finalist),
    failed: z.array(finalist.extend({ message: z.string() })),
    rounds: z.number().int().positive(),
    idle_ms: z.number().nonnegative(),
    sequential: z.boolean().optional(),
    options: optionsForm.schema,
    /** costs[i]: of configs[i], by round; default: of the default schedule, by round. */
    runs: z.array(z.object({ device: deviceForm.schema, costs: z.array(rounds), default: rounds.optional() })),
  })
  .refine(
    ({ configs, runs }) => runs.every(({ costs }) => costs.length === configs.length && costs.length > 1),
    "costs of another number of configs",
  );
const schema = z.object({ finalists: finalsSchema });

export function finalsNote({ task, args, target }: Of, { finalists, failed, runs, paired, options }: Finals): object {
  return {
    finalists: {
      version: 1,
      ...{ task, args, target },
      configs: finalists,
      failed,
      rounds: paired.rounds,
      idle_ms: paired.idleMs,
      ...defined({ sequential: paired.sequential }),
      options: optionsForm.to(options),
      runs,
    },
  };
}

export interface RecordedFinals extends Of {
  readonly finals: Finals;
}

/** The finals in a log's notes, in order. */
export function finalsOf(notes: readonly unknown[]): readonly RecordedFinals[] {
  return notes.flatMap((note) => {
    const { data } = schema.safeParse(note);
    if (!data) return [];
    const { task, args, target, configs, failed, rounds, idle_ms: idleMs, sequential, options, runs } = data.finalists;
    const named = <T extends z.infer<typeof finalist>>(each: T) => ({
      ...each,
      config: each.config as Entity,
      program: toProgramDigest(each.program),
    });
    const finals: Finals = {
      finalists: configs.map(named),
      failed: failed.map(named),
      runs,
      paired: { rounds, idleMs, ...defined({ sequential }) },
      options: optionsForm.from(options),
    };
    return [{ task, args: args as Json[], target, finals }];
  });
}

export const finalsOfTask = (all: readonly RecordedFinals[], of: Of): readonly Finals[] =>
  all.filter((each) => nameOf(each) === nameOf(of)).map(({ finals }) => finals);
const nameOf = ({ task, args, target }: Of): string => canonicalJson([task, args, target]);
