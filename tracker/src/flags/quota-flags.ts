/** The flags of quotas (quotas.ts, services/uploads-in-flight.ts). */

import type { Limits } from "../services/context.ts";
import { bytes, count, dayMs, time } from "./flag-values.ts";

export type QuotaFlags = Partial<
  Pick<
    Limits,
    | "maxOwnSessions"
    | "maxInputs"
    | "maxInputBytes"
    | "maxBuildTimeoutMs"
    | "maxKeptBytes"
    | "maxSuiteBytes"
    | "maxImportedBytes"
    | "maxBuildMs"
    | "maxDeviceMs"
    | "maxUploads"
    | "maxUploadBytes"
    | "maxWatches"
  >
>;

const principals =
  "Quotas of each principal, where tokens or certificates are required; give all trackers of a farm the same values:";
const uploads = "Limits of each tracker; one principal may use half:";

export const quotaOptions = {
  "max-sessions": { type: "string", value: "<n>", group: principals, about: "sessions open (default 100)" },
  "max-inputs": {
    type: "string",
    value: "<n>",
    group: principals,
    about: "measurements outstanding in all its sessions (default 10000)",
  },
  "max-input-mb": {
    type: "string",
    value: "<MB>",
    group: principals,
    about: "bytes of the programs of these measurements (default 256)",
  },
  "max-build-timeout": {
    type: "string",
    value: "<time>",
    group: principals,
    about: "limit for the build timeout of a session (default 10m)",
  },
  "max-artifact-mb": {
    type: "string",
    value: "<MB>",
    group: principals,
    about: "programs that it sent and artifacts built for it, in the store (default half of --artifact-space)",
  },
  "max-suite-mb": {
    type: "string",
    value: "<MB>",
    group: principals,
    about: "storage for suite plans and logs; oldest finished suites are deleted first (default 2048)",
  },
  "max-import-mb": { type: "string", value: "<MB>", group: principals, about: "records it imported (default 2048)" },
  "max-watches": {
    type: "string",
    value: "<n>",
    group: principals,
    about: "streams that tell it of farm and suites, at one tracker (default 64)",
  },
  "max-build-time": {
    type: "string",
    value: "<time>",
    group: principals,
    about: "time of builders within an hour (default no limit)",
  },
  "max-device-time": {
    type: "string",
    value: "<time>",
    group: principals,
    about: "time of devices within an hour (default no limit)",
  },
  "max-uploads": { type: "string", value: "<n>", group: uploads, about: "uploads that run at one time (default 128)" },
  "max-upload-mb": { type: "string", value: "<MB>", group: uploads, about: "memory of these uploads (default 512)" },
} as const;

const manyMB = 1_000_000;
const hourly = { lowMs: 1000, highMs: 366 * dayMs };

/** `maxStoreBytes`: the value of --artifact-space, if given. */
export function parseQuotas(
  values: Readonly<Partial<Record<keyof typeof quotaOptions, string>>>,
  maxStoreBytes: number | undefined,
): QuotaFlags {
  const all: { [K in keyof QuotaFlags]: QuotaFlags[K] | undefined } = {
    maxOwnSessions: count("--max-sessions", values["max-sessions"], 1, 100_000),
    maxInputs: count("--max-inputs", values["max-inputs"], 1, 10_000_000),
    maxInputBytes: bytes("--max-input-mb", values["max-input-mb"], "MB", 1, manyMB),
    maxBuildTimeoutMs: time("--max-build-timeout", values["max-build-timeout"], { lowMs: 1000, highMs: 3_600_000 }),
    maxKeptBytes:
      bytes("--max-artifact-mb", values["max-artifact-mb"], "MB", 1, manyMB * 1_000) ?? (maxStoreBytes && maxStoreBytes / 2),
    maxSuiteBytes: bytes("--max-suite-mb", values["max-suite-mb"], "MB", 1, manyMB * 1_000),
    maxImportedBytes: bytes("--max-import-mb", values["max-import-mb"], "MB", 1, manyMB * 1_000),
    maxBuildMs: time("--max-build-time", values["max-build-time"], hourly),
    maxDeviceMs: time("--max-device-time", values["max-device-time"], hourly),
    maxUploads: count("--max-uploads", values["max-uploads"], 2, 100_000),
    maxWatches: count("--max-watches", values["max-watches"], 1, 100_000),
    maxUploadBytes: bytes("--max-upload-mb", values["max-upload-mb"], "MB", 128, manyMB),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
