import { defaultMeasureOptions, toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import type { SessionRow } from "../store/sql/sessions.ts";
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

it("an older reading of a session changes nothing of its control, and its stream hears each newer one", () => {
  const id = toSessionId("s-1");
  const book = new SessionBook();
  const row = (control: number, paused: boolean, moreTrials: number): SessionRow => ({
    id,
    task: "",
    selector: "cpu/x86-64-v3",
    options: defaultMeasureOptions("cpu"),
    priority: 0,
    maxInFlight: 1,
    stream: 1,
    acceptedThrough: control,
    weight: 1,
    usedMs: 0,
    reuse: false,
    principal: "local",
    paired: null,
    paused,
    moreTrials,
    control,
  });
  const heard: string[] = [];
  book.put(row(1, false, 5), 0);
  const stream: LiveStream = {
    finished: () => {},
    changed: ({ paused, moreTrials }) => void heard.push(`${paused} ${moreTrials}`),
    end: () => {},
  };
  book.attach(id, stream, 1);
  expect(book.put(row(3, true, 5), 0)).toMatchObject({ paused: true, control: 3 });
  expect(book.put(row(2, false, 9), 0)).toMatchObject({ paused: true, moreTrials: 5, control: 3, acceptedThrough: 2 });
  book.refresh([row(1, false, 0)], 0);
  expect(book.get(id)?.row).toMatchObject({ paused: true, moreTrials: 5, control: 3 });
  expect(new Set(heard)).toEqual(new Set(["false 5", "true 5"]));
});
