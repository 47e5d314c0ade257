/**
 * How a long-lived process ends. SIGTERM, SIGINT or the end of a parent aborts one signal. The process then has `graceMs` to
 * finish its work. A second signal, or the end of the grace, exits at once.
 */
import { FarmError } from "../farm-error.ts";
import { whenParentGone } from "./exit-with-parent.ts";

interface ShutdownOptions {
  readonly graceMs?: number;
  readonly withParent?: boolean;
}

/** Aborts when this process is told to end. The reason is a CANCELLED FarmError that says by whom. */
export function shutdownSignal({ graceMs = 5_000, withParent = false }: ShutdownOptions = {}): AbortSignal {
  const controller = new AbortController();
  const stop = (why: string): void => {
    if (controller.signal.aborted) process.exit(0);
    controller.abort(new FarmError("CANCELLED", `ended by ${why}`));
    setTimeout(() => process.exit(0), graceMs).unref();
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  if (withParent) whenParentGone(() => stop("its parent's end"));
  return controller.signal;
}
