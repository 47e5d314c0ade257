/** Requests to the server. Every request has a timeout; a refusal becomes an error with the server's message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const patienceMs = 15_000;

type Told = (words: string) => void;
const listeners = new Set<Told>();
/** Calls `told` with the server's message when the sign-in is no longer valid. Returns a function that unsubscribes. */
export function onSignedOut(told: Told): () => void {
  listeners.add(told);
  return () => void listeners.delete(told);
}
export function signedOut(words: string): void {
  for (const told of listeners) told(words);
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const stop = AbortSignal.timeout(patienceMs);
  const signal = init.signal ? AbortSignal.any([init.signal, stop]) : stop;
  let response: Response;
  try {
    response = await fetch(path, { ...init, signal });
  } catch {
    throw new ApiError(0, "UNAVAILABLE", stop.aborted ? `no answer within ${patienceMs / 1000} s` : "the server does not answer");
  }
  const text = await response.text();
  const body: unknown = text === "" ? {} : readJson(text);
  if (response.ok && body !== undefined) return body as T;
  const { error } = (body ?? {}) as { readonly error?: { readonly code: string; readonly message: string } };
  if (response.status === 401 && path !== "/api/sign-in") signedOut(error?.message ?? "sign in again");
  throw new ApiError(response.status, error?.code ?? "INTERNAL", error?.message ?? `the server answered ${response.status}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => ask(path, signal ? { signal } : {});

/** The server accepts a POST only with this header, which a form of another site cannot send. */
export const post = <T>(path: string, body: object = {}): Promise<T> =>
  ask(path, { method: "POST", headers: { "content-type": "application/json", "x-warpfarm": "1" }, body: JSON.stringify(body) });

export const part = (text: string): string => encodeURIComponent(text).replaceAll("%2F", "/");
