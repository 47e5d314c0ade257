/** Times, configs and columns as commands print them. */
import type { Json, Seconds } from "@warpfarm/common";
import type { ConfigJson } from "@warpfarm/compiler/language";

/** Knob values by name, `-1` = the rest. */
export const configObject = (config: ConfigJson): Record<string, Json> =>
  Object.fromEntries(config.entity.map(([name, , value]) => [name, value]));

export const timeWords = (seconds: Seconds): string =>
  seconds < 1e-3 ? `${(seconds * 1e6).toFixed(1)} us` : `${(seconds * 1e3).toFixed(3)} ms`;

export const configWords = (config: Readonly<Record<string, Json>>): string =>
  Object.entries(config)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");

/** Name and value, one a line, aligned. */
export function columns(lines: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join("");
}
