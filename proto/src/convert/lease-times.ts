/** Where the time of a job went, between wire and domain. */
import type { LeaseTimes } from "@warpfarm/common";
import type { LeaseTimes__Output, LeaseTimes as WireLeaseTimes } from "../gen/warpfarm/measure/v1/LeaseTimes.ts";
import * as field from "./fields.ts";

export const leaseToWire = ({ queueMs, transferMs, heldMs }: LeaseTimes): WireLeaseTimes => ({
  queue: field.toDuration(queueMs),
  transfer: field.toDuration(transferMs),
  held: field.toDuration(heldMs),
});

export function leaseFromWire(name: string, wire: LeaseTimes__Output): LeaseTimes {
  const ms = (key: "queue" | "transfer" | "held") => {
    const value = wire[key];
    return value === null ? 0 : field.spanMs(`${name}.${key}`, value);
  };
  return { queueMs: ms("queue"), transferMs: ms("transfer"), heldMs: ms("held") };
}
