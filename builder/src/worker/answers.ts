import { isDigest, measureErrorNo, toProgramDigest } from "@warpfarm/common";
import { z } from "zod";
import type { BuildAnswer, BuildBegun, BuildTold, BuildWith, ReplayAnswer } from "./messages.ts";

/** A program of the largest size, as base64, with a log. */
export const maxMessageBytes = 128 << 20;

const text = z.string().max(1 << 20);
const name = z.string().max(256);
const digest = z.string().refine(isDigest, "a digest").transform(toProgramDigest);
const compileMs = z.number().min(0);

export const answerSchema = z.discriminatedUnion("kind", [
  // The manifest is read later, as the tracker reads it.
  z.strictObject({ kind: z.literal("built"), code: z.instanceof(Uint8Array), manifest: z.looseObject({}), compileMs }),
  z.strictObject({
    kind: z.literal("refused"),
    errorNo: z.literal([measureErrorNo.INSTANTIATION_ERROR, measureErrorNo.COMPILE_HOST, measureErrorNo.COMPILE_DEVICE]),
    rule: name,
    message: text,
    at: z.int().exactOptional(),
    log: z.string().exactOptional(),
    compileMs,
  }),
  z.strictObject({ kind: z.literal("fault"), message: text, rule: name.exactOptional() }),
  z.strictObject({ kind: z.literal("disk_full"), message: text }),
]) satisfies z.ZodType<Exclude<BuildAnswer, { kind: "built" }> | { kind: "built" }>;

export const replaySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("replayed"), program: digest, reference: digest }),
  z.strictObject({ kind: z.literal("replay_refused"), message: text }),
]) satisfies z.ZodType<ReplayAnswer>;

const fileName = z.string().regex(/^\w[\w.-]{0,127}$/, "a file's name");
const begun = z.strictObject({ begun: z.literal(true) });
const told = z.strictObject({
  lines: z.array(z.string()),
  files: z.array(z.strictObject({ name: fileName, text: z.string() })),
});
export const progressSchema = z.union([
  begun,
  z.strictObject({ toolchain: name }),
  z.strictObject({ told }),
]) satisfies z.ZodType<BuildProgress>;

export type BuildProgress = BuildBegun | BuildTold | BuildWith;

const most = { begun: 1, toolchain: 1, told: 8 } as const;

/** Checks each progress of one build in order; returns why it is not allowed. */
export function progressRules(): (value: unknown) => string | undefined {
  const counts = { begun: 0, toolchain: 0, told: 0 };
  return (value) => {
    const progress = value as BuildProgress;
    const what = "begun" in progress ? "begun" : "toolchain" in progress ? "toolchain" : "told";
    counts[what]++;
    if (counts[what] > most[what]) return `it said "${what}" more than ${most[what]} times`;
    return what === "begun" || counts.begun > 0 ? undefined : `it said "${what}" before it began`;
  };
}
