/** Which tracker to use and how: flags take precedence over settings. Without a tracker a command may start an embedded farm. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { badInput, defined, shellWord, tokenIn, unreadable } from "@warpfarm/common";
import type { ChannelOptions, CredentialFiles, TrackerConnection } from "@warpfarm/proto";
import type { Command } from "commander";
import { reaching } from "../../search/reaching.ts";
import type { CliContext, DeviceChoice } from "../context.ts";
import { addresses, conditions, device } from "../flags/parse.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { defaultTracker } from "../flags/shared-flags.ts";

export type FarmFlags = Pick<Settings, "tracker" | keyof CredentialFiles>;

export interface DeviceFlags {
  readonly device?: DeviceChoice;
  readonly where?: string;
}

export const addWhereFlag = (command: Command): Command =>
  command.option(
    "--where <conditions>",
    "on a farm, only devices with label=value, memory>=40GB, use=exclusive (no shared GPU); separate by commas",
    conditions("--where"),
  );

export const addDeviceFlag = (command: Command): Command =>
  command.option("--device <device>", "cpu, cuda, cuda:N of this machine (default: by task)", device("--device"));

/** The flags with which another command reaches the same farm and files, quoted for a shell, with a leading blank. */
export function againWords(flags: FarmFlags & DeviceFlags & { readonly allowInclude?: readonly string[] }): string {
  const given: readonly (readonly [string, string | undefined])[] = [
    ["--tracker", flags.tracker],
    ["--token-file", flags.tokenFile],
    ["--tls-ca", flags.tlsCa],
    ["--tls-cert", flags.tlsCert],
    ["--tls-key", flags.tlsKey],
    ["--device", flags.device],
    ...(flags.allowInclude ?? []).map((folder) => ["--allow-include", folder] as const),
  ];
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`])).join("");
}

function readFlagFile(context: Pick<CliContext, "cwd">, flag: string, file: string): Buffer {
  try {
    return readFileSync(resolve(context.cwd, file));
  } catch (error) {
    return unreadable(`${flag} names ${JSON.stringify(file)}, which`)(error);
  }
}

function readCertificate(context: Pick<CliContext, "cwd">, flag: string, file: string): Buffer {
  const pem = readFlagFile(context, flag, file);
  try {
    new X509Certificate(pem);
  } catch {
    throw badInput(`${flag} names ${JSON.stringify(file)}, which holds no certificate (PEM)`);
  }
  return pem;
}

function tlsOf(flags: FarmFlags, settings: Settings, context: Pick<CliContext, "cwd">): ChannelOptions["tls"] {
  const { tlsCa: ca, tlsCert: cert, tlsKey: key } = { ...settings, ...flags };
  if ((cert === undefined) !== (key === undefined)) throw badInput("--tls-cert and --tls-key go together");
  if (ca === undefined && cert === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca: readCertificate(context, "--tls-ca", ca) }),
    ...(cert === undefined ? {} : { cert: readCertificate(context, "--tls-cert", cert) }),
    ...(key === undefined ? {} : { key: readFlagFile(context, "--tls-key", key) }),
  };
}

const trackerNamed = (flags: FarmFlags, settings: Settings): string | undefined =>
  flags.tracker ?? (settings.tracker === undefined ? undefined : addresses("tracker of the settings")(settings.tracker));

type Outside = Pick<CliContext, "cwd" | "tracing">;

function channelTo(address: string, flags: FarmFlags, settings: Settings, context: Outside): ChannelOptions {
  const tokenFile = flags.tokenFile ?? settings.tokenFile;
  const tls = tlsOf(flags, settings, context);
  const token = tokenFile === undefined ? undefined : tokenIn(tokenFile, readFlagFile(context, "--token-file", tokenFile));
  return {
    address,
    ...defined({ token, tracing: context.tracing }),
    ...(tls ? { tls } : {}),
  };
}

/** How to reach the tracker; undefined when none is named. */
export function channelOf(flags: FarmFlags, settings: Settings, context: Outside): ChannelOptions | undefined {
  const named = trackerNamed(flags, settings);
  return named === undefined ? undefined : channelTo(named, flags, settings, context);
}

/** The named tracker, or this machine's. Token and authority apply to both. */
export const channelHere = (flags: FarmFlags, settings: Settings, context: Outside): ChannelOptions =>
  channelTo(trackerNamed(flags, settings) ?? defaultTracker, flags, settings, context);

/** Asks the named tracker, or this machine's. An unreachable one is named in the error. */
export async function askTracker<T>(
  flags: FarmFlags,
  context: CliContext,
  ask: (tracker: TrackerConnection) => Promise<T>,
): Promise<T> {
  const channel = channelHere(flags, await readSettings(context), context);
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(channel);
  return await reaching(channel.address, ask(tracker));
}
