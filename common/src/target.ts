/**
 * Targets and keys as text, `<backend>/<name>`. Only this file reads and writes them. It also says which code runs where, and
 * what a template needs of a target.
 */
import { backends, type Target } from "./backend/index.ts";
import { badInput } from "./farm-error.ts";

/** The part before the slash, whether or not there is such a backend. */
export const backendOf = (text: string): string => text.split("/", 1)[0] as string;

function readTarget(text: string): Target | undefined {
  const slash = text.indexOf("/");
  const kind = text.slice(0, Math.max(0, slash));
  if (!backends.has(kind)) return undefined;
  const read = backends.of(kind).read(text.slice(slash + 1));
  return read && { kind, ...read };
}

export const isTarget = (text: string): boolean => readTarget(text) !== undefined;
const knownKeys = new Set<string>();
const knownAtMost = 1_000;

export function isMatchKey(text: string): boolean {
  if (knownKeys.has(text)) return true;
  if (!(isTarget(text) && keyOf(text) === text)) return false;
  if (knownKeys.size < knownAtMost) knownKeys.add(text);
  return true;
}

export const targetWords = (): string => backends.all.flatMap((backend) => backend.targetWords).join(", ");
export const keyWords = (): string => backends.all.flatMap((backend) => backend.keyWords).join(", ");

/** Throws FarmError INVALID_ARGUMENT that names the text and what is allowed. */
export function parseTarget(text: string): Target {
  const target = readTarget(text);
  if (target) return target;
  throw badInput(`target ${JSON.stringify(text)} is not known; known are ${targetWords()}`);
}

export const formatTarget = (target: Target): string => `${target.kind}/${backends.of(target.kind).write(target)}`;

/** Whether code that was built for `target` runs on a device of this key. Throws for text that is neither. */
export function runsOn(target: string, key: string): boolean {
  const [want, have] = [parseTarget(target), parseTarget(key)];
  return want.kind === have.kind && backends.of(want.kind).runsOn(want, have);
}

export function targetsOn(key: string): readonly string[] {
  const device = parseTarget(key);
  return backends.of(device.kind).targetsOn(device).map(formatTarget);
}

/** The key of the devices for which a target is named: `cuda/sm_90` for `cuda/sm_90a`. */
export function keyOf(text: string): string {
  const target = parseTarget(text);
  return formatTarget(backends.of(target.kind).deviceOf(target));
}

/** What a template needs of a target, as a predicate on its parts. */
export interface TargetNeed {
  readonly kind: string;
  /** The lowest and the highest level; absent = any. */
  readonly from?: number;
  readonly to?: number;
  readonly features?: readonly string[];
}

export function meets(target: Target, { kind, from = -Infinity, to = Infinity, features = [] }: TargetNeed): boolean {
  return (
    target.kind === kind &&
    target.level >= from &&
    target.level <= to &&
    features.every((feature) => target.features.has(feature))
  );
}

/** Whether it is the name of a backend or a TargetNeed, and has no other field: a user's file is not checked by types. */
export function isTargetNeed(given: unknown): boolean {
  if (typeof given === "string") return backends.has(given);
  if (given === null || typeof given !== "object") return false;
  const { kind, from, to, features, ...rest } = given as Readonly<Record<string, unknown>>;
  const isLevel = (level: unknown) => level === undefined || Number.isSafeInteger(level);
  const areFeatures = features === undefined || (Array.isArray(features) && features.every((one) => typeof one === "string"));
  return (
    typeof kind === "string" &&
    backends.has(kind) &&
    isLevel(from) &&
    isLevel(to) &&
    areFeatures &&
    Object.keys(rest).length === 0
  );
}

/** `cuda`, `cuda/sm_80 and later`, `cuda/sm_90a`. */
export function needWords({ kind, from, to, features = [] }: TargetNeed): string {
  const at = (level: number) => formatTarget({ kind, level, features: new Set(features) });
  if (from !== undefined) return from === to ? at(from) : `${at(from)} ${to === undefined ? "and later" : `to ${at(to)}`}`;
  const words = to === undefined ? kind : `${kind} up to ${at(to)}`;
  return features.length === 0 ? words : `${words} with ${features.join(" and ")}`;
}

/** Names of the backends that take text of clients. */
export const textBackends = (): readonly string[] => backends.names.filter((name) => backends.of(name).takesText);
