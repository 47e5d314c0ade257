/** Builds one program on this machine, without a farm. */
import type { BuiltHere } from "@warpfarm/client/cli";
export async function buildHere(): Promise<BuiltHere> {
  throw new Error("x");
}
