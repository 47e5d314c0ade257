/**
 * Checks of every request. On loopback the Host header must name this machine, which prevents DNS rebinding. A request that
 * changes something must come from the page itself.
 */
import { FarmError } from "@warpfarm/common";
import type { MiddlewareHandler } from "hono";

const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

export const isLocalName = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host);

/** `isLoopback`: the server listens on loopback alone. */
export const guard =
  (isLoopback: boolean): MiddlewareHandler =>
  async (c, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) c.header(name, value);
    const host = c.req.header("host") ?? "";
    if (isLoopback && !isLocalName(host))
      throw new FarmError("PERMISSION_DENIED", `this server answers to localhost and 127.0.0.1, not to ${JSON.stringify(host)}`);
    // No name has one, and no store takes it.
    if (/%00/.test(c.req.url)) throw new FarmError("INVALID_ARGUMENT", "the address has the character NUL");
    const origin = c.req.header("origin");
    if (origin !== undefined && hostOf(origin) !== host)
      throw new FarmError("PERMISSION_DENIED", `a page of ${JSON.stringify(origin)} may not call this server`);
    if (c.req.method !== "GET" && c.req.method !== "HEAD" && c.req.header("x-warpfarm") !== "1")
      throw new FarmError("PERMISSION_DENIED", "a request that changes something needs the header x-warpfarm: 1");
    await next();
  };

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
