/** What only the composition root can look at for `doctor`: whether the native libraries load, and who holds the store. */
import type { Finding } from "@warpfarm/client/cli";

async function loads(name: string, what: string, load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { name, state: "ok", detail: `${what} loads` };
  } catch (error) {
    const detail = `${what} does not load: ${(error as Error).message.split("\n")[0] ?? ""}`;
    return { name, state: "missing", detail, advice: "run npm ci again on this machine" };
  }
}

export async function probeMachine(_places: { readonly dataDir: string }): Promise<readonly Finding[]> {
  return Promise.all([
    loads("koffi", "the foreign function library (builder, runner)", () => import("@warpfarm/runner")),
    loads("PGlite", "the embedded database (tracker)", () => import("@warpfarm/tracker")),
  ]);
}
