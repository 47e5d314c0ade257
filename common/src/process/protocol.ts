/**
 * The messages of a ChildHost and its child on the IPC channel (structured clone, so typed arrays and NaN are preserved). The
 * child answers one request at a time. `id` separates answers of requests that were given up.
 */
export interface RequestMessage {
  readonly id: number;
  readonly request: unknown;
}

/**
 * A socket that a child has open as long as it lives, and its host too. Nobody writes to it: its end tells that the host is gone.
 */
export const lifelineFd = 4;

/** Last argument of a child that starts by waiting in untilWanted(). */
export const heldMessage = "held";
/** Ends that wait. */
export interface WantedMessage {
  readonly kind: "wanted";
}

export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly id: number; readonly value: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  /** The handler threw, so the child's state is no longer trusted. */
  | { readonly kind: "threw"; readonly id: number; readonly message: string };
