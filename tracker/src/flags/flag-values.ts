/**
 * Reads values of the tracker's flags. Undefined stays undefined. A wrong value is INVALID_ARGUMENT that names flag and range.
 */
import { badInput, type DurationRange, parseDuration } from "@warpfarm/common";

export const bad = (message: string): never => {
  throw badInput(message);
};

export const dayMs = 86_400_000;

function numberOf(
  flag: string,
  text: string | undefined,
  isAllowed: (value: number) => boolean,
  allowed: string,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  return text.trim() !== "" && isAllowed(value) ? value : bad(`${flag} is ${JSON.stringify(text)}; allowed: ${allowed}`);
}

const within = (min: number, max: number) => (value: number) => value >= min && value <= max;

export function time(flag: string, text: string | undefined, range: DurationRange): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(flag, text, range);
  return ms.ok ? ms.value : bad(ms.error);
}

export function count(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  const isAllowed = (value: number) => Number.isInteger(value) && within(min, max)(value);
  return numberOf(flag, text, isAllowed, `a whole number from ${min} to ${max}`);
}

export function bytes(flag: string, text: string | undefined, unit: "MB" | "GiB", min: number, max: number): number | undefined {
  const value = numberOf(flag, text, within(min, max), `${min} to ${max} ${unit}`);
  return value === undefined ? undefined : Math.floor(value * (unit === "GiB" ? 2 ** 30 : 2 ** 20));
}
