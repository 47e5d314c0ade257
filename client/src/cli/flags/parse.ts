/** Flag values from text. */
import {
  backends,
  badInput,
  type DurationRange,
  didYouMean,
  isTarget,
  parseDuration,
  parseSelector,
  reviveJson,
  targetWords,
  toAddress,
  toAddresses,
} from "@warpfarm/common";

const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);

/** Of a flag that may be repeated. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const integer =
  (flag: string, low: number, high: number) =>
  (text: string): number => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) + 0 : Number.NaN;
    if (!Number.isSafeInteger(value) || value < low || value > high)
      throw badInput(`${flag} is ${quote(text)}; it takes an integer from ${low} to ${high}`);
    return value;
  };

export const positive =
  (flag: string, high: number) =>
  (text: string): number => {
    const value = /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (!(value > 0) || value > high) throw badInput(`${flag} is ${quote(text)}; it takes a number above 0, at most ${high}`);
    return value;
  };

export const share =
  (flag: string, { least, most }: { readonly least: number; readonly most: number }) =>
  (text: string): number => {
    const value = /^0?\.\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw badInput(`${flag} is ${quote(text)}; it takes a share from ${least} to ${most}`);
    return value;
  };

export const oneOf =
  <T extends string>(flag: string, words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw badInput(`${flag} is ${quote(text)}${didYouMean(text, words)}; it takes ${words.join(", ")}`);
    return found;
  };

export const duration =
  (flag: string, range: DurationRange) =>
  (text: string): number => {
    const ms = parseDuration(flag, text, range);
    if (!ms.ok) throw badInput(ms.error);
    return ms.value;
  };

export const device =
  (flag: string) =>
  (text: string): string => {
    const [, name = "", number] = /^([a-z]+)(:\d{1,3})?$/.exec(text) ?? [];
    if (!backends.has(name) || (number !== undefined && backends.of(name).devices === "one"))
      throw badInput(`${flag} is ${quote(text)}; it takes ${deviceWords()}`);
    return text;
  };

const deviceWords = (): string =>
  backends.names
    .map((name) => (backends.of(name).devices === "one" ? name : `${name} (any of them), ${name}:0, ${name}:1, ...`))
    .join("; ");

export const conditions =
  (flag: string) =>
  (text: string): string => {
    try {
      parseSelector(`${backends.names[0]}/*,${text}`);
      return text;
    } catch {
      throw badInput(`${flag} is ${quote(text)}; it takes label=value or memory>=40GB, several with commas between`);
    }
  };

export const target =
  (flag: string) =>
  (text: string): string => {
    if (!isTarget(text)) throw badInput(`${flag} is ${quote(text)}; it takes ${targetWords()}`);
    return text;
  };

/** A target, or the name of a backend alone: the target of this machine's device, or of the farm's one device. */
export const targetOrBackend =
  (flag: string) =>
  (text: string): string => {
    if (!isTarget(text) && !backends.has(text))
      throw badInput(`${flag} is ${quote(text)}; it takes ${targetWords()}, or ${backends.names.join(" or ")} alone`);
    return text;
  };

const notAnAddress = (flag: string, text: string): Error =>
  badInput(`${flag} is ${quote(text)}; it takes host:port, for instance 127.0.0.1:9290`);

/** `host:port`, also `[::1]:9290`. */
export const address =
  (flag: string) =>
  (text: string): string => {
    if (!toAddress(text)) throw notAnAddress(flag, text);
    return text;
  };

/** The trackers of one farm: `host:port`, or several separated by commas. */
export const addresses =
  (flag: string) =>
  (text: string): string => {
    const listed = toAddresses(text);
    if (listed.ok) return listed.value.join();
    const { part, parts, wrong } = listed.error;
    if (wrong === undefined) throw badInput(`${flag} names ${quote(part)} twice; it takes each tracker once`);
    throw notAnAddress(parts === 1 ? flag : `tracker ${wrong} of ${flag}`, part);
  };

export function json(flag: string, text: string): unknown {
  try {
    return JSON.parse(text, reviveJson);
  } catch (error) {
    throw badInput(`${flag} is not JSON: ${(error as Error).message} in ${quote(text)}`);
  }
}

/** The value of a flag that takes several fields, `quick,repeat=5`, given once or more often. */
interface InlineFields {
  /** Parts without `=`. */
  readonly words: readonly string[];
  /** The last value of a name counts. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Commas separate parts, but not before `-`: compilers' flags have commas too. */
export function inlineFields(given: readonly string[]): InlineFields {
  const parts = given.flatMap((text) => text.split(/,(?!-)/)).filter((part) => part !== "");
  const named = parts.filter((part) => part.includes("="));
  return {
    words: parts.filter((part) => !part.includes("=")),
    fields: new Map(named.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)])),
  };
}
