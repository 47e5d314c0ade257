/**
 * Identifies callers of pages: a token in the header, as scripts send it, or the cookie of a sign-in. The cookie is a sealed text
 * with the token's SHA-256 and its expiry. It contains no token, every tracker of the farm can read it, and it is void once the
 * token file has no such token.
 */
import { type Clock, FarmError } from "@warpfarm/common";
import { localPrincipal, type Principal } from "@warpfarm/proto";
import type { PageDoors, Viewer } from "@warpfarm/web";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Audit } from "../doors/audit.ts";
import { type HttpDoors, refusalOf, shownBy } from "../doors/http-doors.ts";
import type { Secrets } from "../doors/secrets.ts";
import { hashOf } from "../doors/token-file.ts";

const cookieName = "warpfarm";
const use = "page cookie";
const keptMs = 12 * 3_600_000;
/** The browser keeps the cookie for longer, so that the server can say that the sign-in has ended. */
const shownSeconds = 30 * 24 * 3_600;
const path = "/page";

interface SignInContext {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly audit: Audit;
}

export function pageDoors(
  { secrets, clock, audit }: SignInContext,
  http: HttpDoors | undefined,
  { isTls }: { readonly isTls: boolean },
): PageDoors {
  if (!http) {
    const local = viewerOf(localPrincipal);
    return { signIn: "none", viewerOf: () => local, enter: () => local, leave: () => {} };
  }
  const hashOfCookie = (sealed: string): string => {
    const text = secrets.unseal(use, sealed);
    const [hash = "", until = "0"] = text?.split(" ") ?? [];
    if (hash === "" || Number(until) <= clock.now())
      throw new FarmError("UNAUTHENTICATED", "the sign-in has ended: sign in again");
    return hash;
  };
  const refuse = (error: unknown): never => {
    if (error instanceof FarmError) audit.refused("/api/sign-in", "http", error);
    throw error;
  };
  return {
    signIn: http.isRequired ? "required" : "possible",
    refusalOf,
    viewerOf(c) {
      const shown = shownBy(c);
      const cookie = getCookie(c, cookieName);
      const refusal = shown.token === undefined && cookie === undefined ? undefined : refusalOf(c);
      if (refusal !== undefined) throw new FarmError("UNAUTHENTICATED", refusal);
      if (shown.token !== undefined || (shown.certificate !== undefined && cookie === undefined))
        return viewerOf(http.doors.authorize(path, shown));
      if (cookie !== undefined) return viewerOf(http.doors.authorize(path, { tokenHash: hashOfCookie(cookie) }));
      if (http.isRequired) throw new FarmError("UNAUTHENTICATED", "sign in with a token of this tracker");
      return { name: "", isAdmin: false };
    },
    enter(c: Context, token: string) {
      const refusal = refusalOf(c);
      if (refusal !== undefined) return refuse(new FarmError("PERMISSION_DENIED", refusal));
      try {
        const principal = http.doors.authorize(path, { token });
        const sealed = secrets.seal(use, `${hashOf(token)} ${clock.now() + keptMs}`);
        setCookie(c, cookieName, sealed, { httpOnly: true, sameSite: "Strict", secure: isTls, path: "/", maxAge: shownSeconds });
        return viewerOf(principal);
      } catch (error) {
        return refuse(error);
      }
    },
    leave(c) {
      deleteCookie(c, cookieName, { path: "/", secure: isTls });
    },
  };
}

const viewerOf = ({ name, role }: Principal): Viewer => ({ name, isAdmin: role === "admin" || role === "all" });
