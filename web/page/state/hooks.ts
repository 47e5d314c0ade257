/** Hooks that views share: the live state, the address, answers of the server. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get } from "./api.ts";
import { browserClock } from "./clock.ts";
import { type LiveState, live } from "./live.ts";

/** The live state; while the user has paused it, the state at that moment. */
export function useLive(): LiveState {
  const [, again] = useState(0);
  const shown = useRef(live.state);
  useEffect(() => live.subscribe(() => again((n) => n + 1)), []);
  if (!live.isPaused) shown.current = live.state;
  return shown.current;
}

export type Answer<T> =
  | { readonly kind: "loading"; readonly sinceMs: number }
  | { readonly kind: "error"; readonly error: ApiError; readonly again: () => void }
  | { readonly kind: "there"; readonly value: T; readonly again: () => void };

/** The answer to a GET. */
export function useAnswer<T>(path: string | undefined, key: unknown = 0, clock = browserClock): Answer<T> {
  const [tries, setTries] = useState(0);
  const again = useCallback(() => setTries((n) => n + 1), []);
  const [state, setState] = useState<{ path: string | undefined; value?: T; error?: ApiError }>({ path });
  const since = useMemo(() => clock.now(), [path, tries]);
  useEffect(() => {
    if (path === undefined) return;
    const stop = new AbortController();
    get<T>(path, stop.signal).then(
      (value) => setState({ path, value }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const failure = error instanceof ApiError ? error : new ApiError(0, "INTERNAL", String(error));
        // While the server cannot be reached, the last answer stays; a refusal removes it.
        const isAway = failure.status === 0 || failure.status >= 500;
        setState((had) => (isAway && had.path === path && had.value !== undefined ? had : { path, error: failure }));
      },
    );
    return () => stop.abort();
  }, [path, tries, key]);
  if (state.path === path && state.error) return { kind: "error", error: state.error, again };
  if (state.path === path && state.value !== undefined) return { kind: "there", value: state.value, again };
  return { kind: "loading", sinceMs: since };
}

/** Counts up at this interval while the page is visible: a `key` for answers that no event announces. 0: never. */
export function useTick(everyMs: number, clock = browserClock): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (everyMs === 0) return;
    return clock.every(everyMs, () => !document.hidden && !live.isPaused && setTick((n) => n + 1));
  }, [everyMs]);
  return tick;
}

/** The server's time, which advances from the last time it sent, while the server can be reached. */
export function useServerTime(saidMs: number, clock = browserClock): number {
  const said = useMemo(() => ({ serverMs: saidMs, hereMs: clock.monotonic() }), [saidMs]);
  const shown = useRef(saidMs);
  const { staleSince } = useLive();
  useTick(1_000);
  if (!live.isPaused && staleSince === undefined) shown.current = said.serverMs + clock.monotonic() - said.hereMs;
  return shown.current;
}

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}
const placeNow = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });
const moved = new EventTarget();

/** Goes to an address of the page; `replace` adds no entry to the history. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  moved.dispatchEvent(new Event("moved"));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const take = () => setPlace(placeNow());
    addEventListener("popstate", take);
    moved.addEventListener("moved", take);
    return () => {
      removeEventListener("popstate", take);
      moved.removeEventListener("moved", take);
    };
  }, []);
  return place;
}

/** A part of a view's state that is kept in the address, except when it has its initial value. */
export function useParam(name: string, initial: string): readonly [string, (value: string) => void] {
  const { query } = usePlace();
  const set = useCallback(
    (value: string) => {
      const now = new URLSearchParams(location.search);
      if (value === initial) now.delete(name);
      else now.set(name, value);
      const text = now.toString();
      go(location.pathname + (text === "" ? "" : `?${text}`), { replace: true });
    },
    [name, initial],
  );
  return [query.get(name) ?? initial, set];
}
