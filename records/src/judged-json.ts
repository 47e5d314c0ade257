/** How a result was judged, as JSON: the fields of common's JudgedOutcome in this order. */
import { auditSets, defined, type JudgedOutcome, notJudged, racechecks } from "@warpfarm/common";
import type { Form } from "./measure-json.ts";
import { z } from "./schema.ts";

const hex = z.string().regex(/^[\da-f]{64}$/);
const sets = z.number().int().min(2).max(auditSets.most);
const schema = z.union([
  z.object({ not: z.enum(notJudged) }),
  z.object({
    sets,
    commitment: hex,
    audit: z
      .object({ sets, secret: hex, scored: z.array(z.number().positive()).min(1), unlike: z.number().int().min(1).optional() })
      .optional(),
    racecheck: z.enum(racechecks).optional(),
  }),
]);

function to(judged: JudgedOutcome): z.infer<typeof schema> {
  if ("not" in judged) return { not: judged.not };
  const { audit } = judged;
  return {
    sets: judged.sets,
    commitment: judged.commitment,
    ...(audit && {
      audit: { sets: audit.sets, secret: audit.secret, scored: [...audit.scored], ...defined({ unlike: audit.unlike }) },
    }),
    ...defined({ racecheck: judged.racecheck }),
  };
}

const from = (json: z.infer<typeof schema>): JudgedOutcome => to(json as JudgedOutcome) as JudgedOutcome;

export const judgedForm: Form<JudgedOutcome, typeof schema> = {
  schema,
  to,
  from,
  isInOrder: (json) => JSON.stringify(from(json)) === JSON.stringify(json),
};
