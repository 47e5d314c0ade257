/** What was seen of a run, and where an output was wrong, between wire and domain. */
import { defined, type Mismatch, type Observations, observed, snakeOf } from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";

const observationKeys = observed.map((name) => [name, snakeOf(name)] as const);

export function observationsToWire(o: Observations): Sent<Wire.Observations> {
  const wire: Sent<Wire.Observations> = { throttle_reasons: [...(o.throttleReasons ?? [])], ...defined({ steady: o.steady }) };
  for (const [domain, key] of observationKeys) {
    const value = o[domain];
    if (value !== undefined) wire[key] = value;
  }
  return wire;
}

export function observationsFromWire(name: string, wire: Wire.Observations | null): Observations {
  if (wire === null) return {};
  const o: { -readonly [K in keyof Observations]: Observations[K] } = { ...defined({ steady: wire.steady }) };
  for (const [domain, key] of observationKeys) {
    const value = wire[key];
    if (value !== undefined) o[domain] = field.finite(`${name}.${key}`, value, -1e12, 1e12);
  }
  const reasons = field.list(`${name}.throttle_reasons`, wire.throttle_reasons, 32, (f, v) => field.text(f, v, 128));
  return reasons.length > 0 ? { ...o, throttleReasons: reasons } : o;
}

/** Expected and found values may be NaN or infinite, which is often the finding. */
export function mismatchFromWire(name: string, wire: Wire.Mismatch): Mismatch {
  return {
    buffer: field.text(`${name}.buffer`, wire.buffer, 64),
    index: field.integer(`${name}.index`, wire.index, 0, Number.MAX_SAFE_INTEGER),
    expected: wire.expected,
    got: wire.got,
    count: field.integer(`${name}.count`, wire.count, 0, Number.MAX_SAFE_INTEGER),
  };
}
