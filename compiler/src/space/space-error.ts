import { FarmError } from "@warpfarm/common";

/** Names stand in logs and in records. */
export function checkKnobName(kind: string, name: unknown): void {
  if (typeof name !== "string" || name === "")
    throw new SpaceError(
      `a ${kind} is named ${JSON.stringify(name) ?? String(name)}; a knob's name is a string of one letter or more`,
    );
}

/** An invalid space, or a use of it that does not fit. The message names the knob, what was found and what is allowed. */
export class SpaceError extends FarmError {
  constructor(message: string) {
    super("INVALID_ARGUMENT", message);
  }
}
