/**
 * The messages of a ChildHost and its child, one in each frame (frames.ts). The child answers one request at a time. `id` cannot
 * be guessed before its request comes, so what a child wrote during an earlier request answers no later one.
 */
import { FrameError } from "./frames.ts";

export interface RequestMessage {
  readonly id: string;
  readonly request: unknown;
}

/** The descriptor of the channel's socket in a child. It has two directions; nobody else has it. */
export const channelFd = 3;

/**
 * A socket that a child and its host have open as long as they live. Nobody writes to it: its end shows that the host is gone.
 */
export const lifelineFd = 4;

/** The last argument of a child that starts by waiting in untilWanted(). */
export const heldMessage = "held";

export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly id: string; readonly value: unknown }
  | { readonly kind: "answer"; readonly id: string; readonly value: unknown }
  /** The handler threw, so the child's state is no longer trusted. */
  | { readonly kind: "threw"; readonly id: string; readonly message: string; readonly stack: string };

/** The message in a frame; its `value` is not checked. Throws FrameError. */
export function messageOf(value: unknown): ChildMessage {
  const { kind, id, message, stack, value: inner } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "ready") return { kind };
  if (typeof id === "string") {
    if (kind === "progress" || kind === "answer") return { kind, id, value: inner };
    if (kind === "threw" && typeof message === "string" && typeof stack === "string") return { kind, id, message, stack };
  }
  throw new FrameError(`a frame is no message: its kind is ${JSON.stringify(kind)?.slice(0, 100)}`);
}
