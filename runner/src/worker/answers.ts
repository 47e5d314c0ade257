/**
 * The form of what a device's child may say. Native code in the child can send a frame of this form too, so a frame has the
 * authority of its job and no more: it may lie about its own time, and about nothing else.
 */
import { auditSets, measureErrorNo, notJudged, type Observations, type Observed, observed, pairedLimits } from "@warpfarm/common";
import { z } from "zod";
import type { ChildAnswer, PhaseReport } from "./messages.ts";

const text = z.string().max(1 << 16);
const name = z.string().max(256);
const count = z.int().min(0);
const amount = z.number().min(0);
const value = z.custom<number>((given) => typeof given === "number", "a number");

const costs = { costs: z.array(amount).min(1).max(100_000), number: z.int().min(1) };
const observations = z.strictObject({
  ...(Object.fromEntries(observed.map((each) => [each, z.number().exactOptional()])) as {
    readonly [K in Observed]: z.ZodExactOptional<z.ZodNumber>;
  }),
  throttleReasons: z.array(name).max(64).exactOptional(),
  steady: z.boolean().exactOptional(),
} satisfies Readonly<Record<keyof Observations, z.ZodType>>);
const mismatch = z.strictObject({ buffer: name, index: count, expected: value, got: value, count });
const facts = z.strictObject({ key: name, name, uuid: name, driver: name });
const description = z.strictObject({
  facts,
  memoryBytes: count,
  limits: z.record(name, count),
});

const hex = z.string().regex(/^[\da-f]{64}$/);
const sets = z.int().min(2).max(auditSets.most);
const judged = z.union([
  z.strictObject({ not: z.enum(notJudged) }),
  z.strictObject({
    sets,
    commitment: hex,
    audit: z.strictObject({ sets, secret: hex, scored: costs.costs, unlike: z.int().min(1).exactOptional() }).exactOptional(),
  }),
]);

export const answerSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("timed"),
    ...costs,
    busyMs: amount,
    checked: z.boolean(),
    atLeast: amount.exactOptional(),
    observations,
    judged: judged.exactOptional(),
    paired: z.array(z.strictObject(costs)).max(pairedLimits.programs.most).exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("failed"),
    errorNo: z.literal([measureErrorNo.RUNTIME_DEVICE, measureErrorNo.WRONG_ANSWER, measureErrorNo.RUN_TIMEOUT]),
    rule: name,
    message: text,
    at: count.exactOptional(),
    log: text.exactOptional(),
    mismatch: mismatch.exactOptional(),
    busyMs: amount.exactOptional(),
    tainted: z.boolean(),
    failedProgram: count.max(pairedLimits.programs.most - 1).exactOptional(),
    ofReference: z.boolean().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("own"),
    times: z.strictObject({ arithmetic: amount, memory: amount }).exactOptional(),
  }),
  z.strictObject({ kind: z.literal("described"), description }),
  z.strictObject({
    kind: z.literal("fault"),
    message: text,
    unopened: z.boolean().exactOptional(),
    hardware: z.boolean().exactOptional(),
    busy: z.boolean().exactOptional(),
    description: description.exactOptional(),
  }),
]) satisfies z.ZodType<ChildAnswer>;

export const phaseSchema = z.strictObject({
  phase: z.enum(["own", "fill", "reference", "load", "lock", "run", "check"]),
  budgetMs: z.number().exactOptional(),
  program: count.exactOptional(),
}) satisfies z.ZodType<PhaseReport>;
