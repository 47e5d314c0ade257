/**
 * What a ChildHost and its child say to each other over the IPC channel (structured clone, so typed arrays and NaN travel whole).
 * One request is answered at a time; `id` guards against the answer of a request that was given up.
 */
export interface RequestMessage {
  readonly id: number;
  readonly request: unknown;
}

/** Last argument of a child that is started to wait in untilWanted(). */
export const heldMessage = "held";
/** Ends that wait. */
export interface WantedMessage {
  readonly kind: "wanted";
}

export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly id: number; readonly value: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  /** The handler threw: the child's state is not to be trusted any more. */
  | { readonly kind: "threw"; readonly id: number; readonly message: string };
