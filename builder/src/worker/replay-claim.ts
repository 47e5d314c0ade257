/**
 * The program that a client's claim gives here. The claim's arguments may ask for more than any machine has, so this runs in a
 * child that is killed at a deadline.
 */
import { canonicalJson, type Json } from "@warpfarm/common";
import type { Claim } from "@warpfarm/templates/replay";
import type { ReplayAnswer } from "./messages.ts";

/** A claim as a tracker writes it; `config` null: the default schedule. */
interface Told extends Omit<Claim, "config"> {
  readonly task: string;
  readonly config: NonNullable<Claim["config"]> | null;
}

export async function replayClaim(bytes: Uint8Array): Promise<ReplayAnswer> {
  // Loaded for the first claim: most children only build.
  const { replay } = await import("@warpfarm/templates/replay");
  const { task, args, config, ...claim } = JSON.parse(Buffer.from(bytes).toString()) as Told;
  const made = replay({ ...claim, args, ...(config === null ? {} : { config }) });
  if (!made.ok) return refused(made.error);
  const { value } = made;
  // Records are found by these words, which must be those of the program.
  if (value.task !== task || canonicalJson(value.args) !== canonicalJson(args))
    return refused(
      `template ${claim.template} with these arguments is ${named(value.task, value.args)}, not ${named(task, args)}`,
    );
  return { kind: "replayed", program: value.program.digest, reference: value.reference.digest };
}

const refused = (message: string): ReplayAnswer => ({ kind: "replay_refused", message });
const named = (task: string, args: Json): string => `${task} ${canonicalJson(args).slice(0, 200)}`;
