import { toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { type LiveStream, SessionBook } from "./session-book.ts";

it("a session's newest stream has it, whichever of two was attached first", () => {
  const id = toSessionId("s-1");
  for (const order of [[1, 2] as const, [2, 1] as const]) {
    const book = new SessionBook();
    const heard: string[] = [];
    const streams = order.map((number): LiveStream & { readonly number: number } => ({
      number,
      finished: (results) => heard.push(`${number}: ${results.map((r) => r.sequence).join()}`),
      changed: () => {},
      end: ({ code }) => heard.push(`${number}: ${code}`),
    }));
    for (const stream of streams) book.attach(id, stream, stream.number);
    book.deliver([{ session: id, sequence: 7 }]);
    for (const stream of streams) if (stream.number === 1) book.detach(id, stream);
    expect([heard, book.connected()]).toEqual([["1: ABORTED", "2: 7"], [id]]);
  }
});
