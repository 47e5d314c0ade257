/** A farm's present workers, and whether it can build. */
import { backendOf, backends, FarmError } from "@warpfarm/common";
import type { ChannelOptions } from "@warpfarm/proto";
import { type FarmThere, whoIsThere } from "./farm-there.ts";
import { reaching } from "./reaching.ts";

/** The workers of the tracker. Throws with its address when it cannot be reached. */
export async function lookAt(
  channel: ChannelOptions,
  signal: AbortSignal,
): Promise<FarmThere & { readonly channel: ChannelOptions }> {
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(channel);
  return { channel, ...whoIsThere(await reaching(channel.address, tracker.farm.listNodes({ signal }))) };
}

/** An embedded farm that cannot build for the target never will. On another one a builder may still come. */
export function checkBuilders(
  { targets, channel, embedded }: Pick<FarmThere, "targets"> & { readonly channel: ChannelOptions; readonly embedded: unknown },
  target: string,
  say: (message: string) => void,
): void {
  if (targets.includes(target)) return;
  const there = targets.length === 0 ? "no builder is registered" : `its builders build for ${targets.join(", ")}`;
  if (!embedded) {
    say(`nothing at ${channel.address} builds for ${target} now (${there}); waiting for a builder that does`);
    return;
  }
  const { compilerAdvice } = backends.of(backendOf(target));
  throw new FarmError("UNAVAILABLE", `this machine cannot build for ${target}: no working compiler was found; ${compilerAdvice}`);
}
