/**
 * The child's side of ChildHost: answers requests one at a time, in order. A handler that throws has broken an invariant: its
 * message goes to the host, which replaces this process.
 */
import { invariant } from "../invariant.ts";
import { type ChildMessage, heldMessage, type RequestMessage } from "./protocol.ts";

export interface RequestContext {
  /** Resolves when the message has left this process: await it before entering native code that may not return. */
  progress(value: unknown): Promise<void>;
}

/**
 * Call it after loading code and before taking a scarce resource such as a device. A child held in reserve waits here until it
 * becomes the spare.
 */
export async function untilWanted(): Promise<void> {
  if (process.argv.at(-1) === heldMessage) await new Promise((resolve) => process.once("message", resolve));
}

/**
 * Requires that this process was forked by a ChildHost. Announces itself ready; everything slow should be loaded before the call.
 */
export function serveRequests<Q, A>(handler: (request: Q, context: RequestContext) => A | Promise<A>): void {
  invariant(process.send !== undefined, "serveRequests: this process has no IPC channel; it is started by ChildHost");
  const send = (message: ChildMessage): Promise<void> =>
    new Promise((resolve) => {
      // A send fails only when the host is gone, and then exitWithParent ends this process.
      if (!process.connected) resolve();
      else process.send?.(message, undefined, undefined, () => resolve());
    });
  let turn: Promise<void> = Promise.resolve();
  const answer = async ({ id, request }: RequestMessage): Promise<void> => {
    try {
      const value = await handler(request as Q, { progress: (v) => send({ kind: "progress", id, value: v }) });
      await send({ kind: "answer", id, value });
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      await send({ kind: "threw", id, message });
    }
  };
  process.on("message", (message: RequestMessage) => {
    turn = turn.then(() => answer(message));
  });
  void send({ kind: "ready" });
}
