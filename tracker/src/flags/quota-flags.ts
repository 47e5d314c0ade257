/** `--quota name=value,...`: limits of principals and of a tracker (quotas.ts, services/uploads-in-flight.ts), by one table. */
import { didYouMean } from "@warpfarm/common";
import type { Limits } from "../services/context.ts";
import { bad, bytes, count, dayMs, time } from "./flag-values.ts";

interface Quota {
  readonly limit: keyof Limits;
  readonly read: (flag: string, text: string) => number | undefined;
}

const number =
  (min: number, max: number): Quota["read"] =>
  (flag, text) =>
    count(flag, text, min, max);
const megabytes =
  (min: number, max: number): Quota["read"] =>
  (flag, text) =>
    bytes(flag, text, "MB", min, max);
const span =
  (highMs: number): Quota["read"] =>
  (flag, text) =>
    time(flag, text, { lowMs: 1000, highMs });

const manyMB = 1_000_000;
const hourly = span(366 * dayMs);

/** What each is, and its default: deploy/README.md. */
const quotas = {
  sessions: { limit: "maxOwnSessions", read: number(1, 100_000) },
  inputs: { limit: "maxInputs", read: number(1, 10_000_000) },
  input_mb: { limit: "maxInputBytes", read: megabytes(1, manyMB) },
  build_timeout: { limit: "maxBuildTimeoutMs", read: span(3_600_000) },
  artifact_mb: { limit: "maxKeptBytes", read: megabytes(1, manyMB * 1_000) },
  suite_mb: { limit: "maxSuiteBytes", read: megabytes(1, manyMB * 1_000) },
  import_mb: { limit: "maxImportedBytes", read: megabytes(1, manyMB * 1_000) },
  watches: { limit: "maxWatches", read: number(1, 100_000) },
  build_time: { limit: "maxBuildMs", read: hourly },
  device_time: { limit: "maxDeviceMs", read: hourly },
  uploads: { limit: "maxUploads", read: number(2, 100_000) },
  upload_mb: { limit: "maxUploadBytes", read: megabytes(128, manyMB) },
} as const satisfies Readonly<Record<string, Quota>>;

export type QuotaFlags = Partial<Pick<Limits, (typeof quotas)[keyof typeof quotas]["limit"]>>;

const names = Object.keys(quotas);

export const quotaOption = {
  type: "string",
  multiple: true,
  value: "<name=value,...>",
  group: "Farms with tokens:",
  about: `quotas of each principal, and uploads of each tracker: ${names.join(", ")} (deploy/README.md has their defaults); give all trackers of a farm the same`,
} as const;

/** `maxStoreBytes`: the value of --artifact-space, if given. Throws INVALID_ARGUMENT. */
export function parseQuotas(given: readonly string[] = [], maxStoreBytes: number | undefined): QuotaFlags {
  const found: { -readonly [limit in keyof QuotaFlags]: number } =
    maxStoreBytes === undefined ? {} : { maxKeptBytes: maxStoreBytes / 2 };
  const seen = new Set<string>();
  for (const part of given.flatMap((text) => text.split(","))) {
    const [name = "", ...rest] = part.split("=");
    if (!Object.hasOwn(quotas, name))
      bad(`--quota has no ${JSON.stringify(name)}${didYouMean(name, names)}; it takes name=value of ${names.join(", ")}`);
    if (seen.has(name)) bad(`--quota names ${name} twice`);
    seen.add(name);
    const { limit, read } = quotas[name as keyof typeof quotas];
    const value = read(`${name} of --quota`, rest.join("="));
    if (value !== undefined) found[limit] = value;
  }
  return found;
}
