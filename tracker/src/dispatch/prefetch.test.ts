/** What a runner fetches ahead: lists that are asked for together, not often, and forgotten with their session. */
import { type ArtifactDigest, ManualClock, type SessionId, toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { Prefetch } from "./prefetch.ts";
import type { SessionBook } from "./session-book.ts";

const [a, b] = ["a", "b"].map(toSessionId) as [SessionId, SessionId];

function opened() {
  const clock = new ManualClock(0);
  const open = new Set([a, b]);
  const ready = new Set([a, b]);
  const asked: (readonly SessionId[])[] = [];
  let next: Readonly<Record<string, readonly string[]>> = { a: ["a1", "a2"], b: ["b1"] };
  const query = async (_sql: string, params: readonly unknown[] = []) => {
    const sessions = params.find((param) => Array.isArray(param)) as readonly SessionId[];
    expect(params).toContain(4);
    asked.push(sessions);
    return sessions.flatMap((session) => (next[session] ?? []).map((artifact) => ({ session, artifact })));
  };
  const prefetch = new Prefetch({
    clock,
    db: { lazy: { query } } as never,
    sessions: { get: (id) => (open.has(id) ? {} : undefined) } as Pick<SessionBook, "get">,
    shares: { hasReady: (id) => ready.has(id) },
  });
  /** What a pass that gave out runs of these sessions adds to its answers. */
  const pass = async (...sessions: SessionId[]) => {
    const added = new Map<SessionId, readonly ArtifactDigest[]>();
    const addPrefetch = (id: SessionId, artifacts: readonly ArtifactDigest[]) => void added.set(id, artifacts);
    await prefetch.addTo({ sessions: () => sessions, addPrefetch });
    return Object.fromEntries(added);
  };
  const say = (lists: typeof next) => {
    next = lists;
  };
  return { clock, prefetch, pass, asked, open, ready, say };
}

it("a list is asked for again after 200 ms and not before, with those that are at least half as old", async () => {
  const { clock, pass, asked, say } = opened();
  expect(await pass(a)).toEqual({ a: ["a1", "a2"] });
  clock.advance(99);
  expect(await pass(b)).toEqual({ b: ["b1"] });
  say({ a: ["a3"], b: ["b2"] });
  clock.advance(100);
  expect(await pass(a, b)).toEqual({ a: ["a1", "a2"], b: ["b1"] });
  expect(asked).toEqual([[a], [b]]);
  clock.advance(1);
  expect(await pass(a, b)).toEqual({ a: ["a3"], b: ["b2"] });
  expect(asked).toEqual([[a], [b], [a, b]]);
  say({});
  clock.advance(200);
  expect(await pass(a)).toEqual({ a: [] });
});

it("a session without ready runs has none, and costs no statement", async () => {
  const { pass, asked, ready } = opened();
  ready.delete(a);
  expect([await pass(a), await pass()]).toEqual([{}, {}]);
  expect(asked).toEqual([]);
});

it("the list of a session that is gone is forgotten, and that of one that goes on is kept", async () => {
  const { prefetch, pass, asked, open, say } = opened();
  await pass(a, b);
  open.delete(a);
  prefetch.prune();
  say({ a: ["a9"], b: ["b9"] });
  expect(await pass(b)).toEqual({ b: ["b1"] });
  open.add(a);
  expect(await pass(a, b)).toEqual({ a: ["a9"], b: ["b1"] });
  expect(asked).toEqual([[a, b], [a]]);
});
