/**
 * The child's side of ChildHost: answers requests one at a time, in order. When a handler throws, an invariant is broken: the
 * message goes to the host, which replaces this process.
 */
import { fstatSync } from "node:fs";
import { invariant } from "../invariant.ts";
import { killOwnGroup } from "./exit-with-parent.ts";
import { readFrame, writeFrame } from "./frames.ts";
import { type ChildMessage, channelFd, heldMessage, type RequestMessage } from "./protocol.ts";

interface RequestContext {
  /** Resolves when the message has left this process: await it before entering native code that may not return. */
  progress(value: unknown): Promise<void>;
}

/**
 * Call it after loading code and before taking a scarce resource such as a device. A child held in reserve waits here until it
 * becomes the spare.
 */
export async function untilWanted(): Promise<void> {
  if (process.argv.at(-1) === heldMessage) next();
}

/**
 * Requires that this process was started by a ChildHost. Announces itself ready; everything slow should be loaded before the
 * call. Between requests the thread waits in the kernel, for the next frame.
 */
export function serveRequests<Q, A>(handler: (request: Q, context: RequestContext) => A | Promise<A>): void {
  invariant(hasChannel(), "serveRequests: this process has no channel; it is started by ChildHost");
  const send = (message: ChildMessage): void => writeFrame(channelFd, message);
  const serve = async (): Promise<void> => {
    send({ kind: "ready" });
    for (;;) {
      const { id, request } = next() as RequestMessage;
      try {
        send({
          kind: "answer",
          id,
          value: await handler(request as Q, { progress: async (value) => send({ kind: "progress", id, value }) }),
        });
      } catch (error) {
        const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
        send({ kind: "threw", id, message, stack });
      }
      // Lets what the handler left in the event loop end.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  void serve();
}

/** The next message of the host. Without a host this process ends. */
function next(): unknown {
  const message = readFrame(channelFd);
  if (message === undefined) killOwnGroup();
  return message;
}

function hasChannel(): boolean {
  try {
    return fstatSync(channelFd).isSocket();
  } catch {
    return false;
  }
}
