/** A person at the page: signs in with a token, and reads what the page reads. */
import type { Address, Asked, Door } from "./network.ts";

export interface Person {
  readonly status: number;
  readonly name: string;
  /** Why the page takes no token here. */
  readonly refusal?: string;
  /** Nodes of the fleet, when signed in. */
  readonly nodes: readonly string[];
}

export async function signIn(door: Door, to: Address, token: string, tls?: Asked["tls"]): Promise<Person> {
  const host = `127.0.0.1:${to.port}`;
  const asked = { ...(tls ? { tls } : {}) };
  const page = await door.ask(to, "/", { headers: { host }, ...asked });
  if (page.status !== 200 || !page.text.includes("<script"))
    throw new Error(`no page: ${page.status} ${page.text.slice(0, 200)}`);
  const headers = { host, "x-warpfarm": "1", "content-type": "application/json" };
  const reply = await door.ask(to, "/api/sign-in", { method: "POST", headers, body: JSON.stringify({ token }), ...asked });
  const [cookie = ""] = [reply.headers["set-cookie"] ?? []].flat();
  const own = { host, cookie: cookie.split(";")[0] ?? "" };
  const me = JSON.parse((await door.ask(to, "/api/me", { headers: own, ...asked })).text);
  const fleet = await door.ask(to, "/api/fleet", { headers: own, ...asked });
  return {
    status: reply.status,
    name: me.principal,
    ...(me.refusal === undefined ? {} : { refusal: me.refusal }),
    nodes: fleet.status === 200 ? namesIn(fleet.text) : [],
  };
}

const namesIn = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/"node":"([^"]+)"/g)].map(([, name = ""]) => name))].sort();
