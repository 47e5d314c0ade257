import { FarmError } from "@warpfarm/common";

/** A template does not take its arguments or its target. INVALID_ARGUMENT. */
export class TemplateRefusal extends FarmError {
  /** A sentence without the template's name. */
  readonly why: string;
  /** `why`: what follows the template's name and a colon, or with `it` the name alone. */
  constructor(
    name: string,
    why: string | { readonly it: string },
    options: { readonly cause?: unknown; readonly rule?: string | undefined } = {},
  ) {
    super("INVALID_ARGUMENT", typeof why === "string" ? `${name}: ${why}` : `${name} ${why.it}`, options);
    this.why = typeof why === "string" ? why : `it ${why.it}`;
  }
}
