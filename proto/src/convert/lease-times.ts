/** Where the time of a job went, between wire and domain. */
import type { LeaseTimes } from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";

export const leaseToWire = ({ queueMs, transferMs, heldMs }: LeaseTimes): Sent<Wire.LeaseTimes> => ({
  queue: field.toDuration(queueMs),
  transfer: field.toDuration(transferMs),
  held: field.toDuration(heldMs),
});

export function leaseFromWire(name: string, wire: Wire.LeaseTimes): LeaseTimes {
  const ms = (key: "queue" | "transfer" | "held") => {
    const value = wire[key];
    return value === null ? 0 : field.spanMs(`${name}.${key}`, value);
  };
  return { queueMs: ms("queue"), transferMs: ms("transfer"), heldMs: ms("held") };
}
