/** The farm on which a command measures: the named tracker, or an embedded farm for the length of the command. */
import { anySignal, backendOf, badInput, type TargetNeed } from "@warpfarm/common";
import type { ChannelOptions } from "@warpfarm/proto";
import type { FarmThere } from "../../search/farm-there.ts";
import { lookAt } from "../../search/reach.ts";
import type { CliContext, DeviceChoice, EmbeddedFarm } from "../context.ts";
import type { Settings } from "../flags/settings.ts";
import { makeDirectory } from "../make-directory.ts";
import { channelOf, type DeviceFlags, type FarmFlags } from "./farm-flags.ts";

export interface FarmAccess extends FarmThere, AsyncDisposable {
  readonly channel: ChannelOptions;
  readonly embedded: EmbeddedFarm | undefined;
  readonly signal: AbortSignal;
}

/** Without a channel: an embedded farm, with that device. */
export interface Place {
  readonly channel?: ChannelOptions | undefined;
  readonly device: DeviceChoice;
}

/** `meanwhile` is done while an embedded farm starts. */
export async function openFarm(
  context: CliContext,
  settings: Settings,
  { channel, device }: Place,
  meanwhile?: () => Promise<void>,
): Promise<FarmAccess> {
  if (channel)
    return {
      ...(await lookAt(channel, context.signal)),
      embedded: undefined,
      signal: context.signal,
      async [Symbol.asyncDispose]() {},
    };
  await makeDirectory("data", settings.dataDir);
  await makeDirectory("cache", settings.cacheDir);
  context.stderr.write("starting an embedded farm (tracker, builder, runner) on this machine\n");
  const farm = await context.startFarm({
    device,
    dataDir: settings.dataDir,
    cacheDir: settings.cacheDir,
    signal: context.signal,
    notice: (text) => context.stderr.write(`${text}\n`),
    meanwhile,
  });
  const signal = anySignal(context.signal, farm.lost);
  try {
    const there = await lookAt({ address: farm.address, tracing: context.tracing }, signal);
    return { ...there, embedded: farm, signal, [Symbol.asyncDispose]: () => farm[Symbol.asyncDispose]() };
  } catch (error) {
    await farm[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * The task's backend: that of the target, otherwise that of the device if the task has code for it, otherwise the task's only
 * one. Undefined: the devices that are there decide.
 */
export function backendFor(
  targets: readonly TargetNeed[],
  { target, device }: { readonly target?: string | undefined; readonly device?: DeviceChoice },
): string | undefined {
  if (target !== undefined) return backendOf(target);
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  if (device === undefined || device === "auto") return kinds.length === 1 ? kinds[0] : undefined;
  const asked = backendOfDevice(device);
  if (!kinds.includes(asked)) throw badInput(`--device is "${device}", and the task runs on ${kinds.join(" and ")} only`);
  return asked;
}

const backendOfDevice = (device: DeviceChoice): string => device.split(":", 1)[0] as string;

/** The place that flags name. `where`: as for `--where`, which chooses among the devices of a farm; an embedded one has one. */
export function placeOf(
  context: CliContext,
  settings: Settings,
  flags: FarmFlags & DeviceFlags,
  backend: string | undefined,
  where = flags.where,
): Place {
  const channel = channelOf(flags, settings, context);
  const device = deviceFor(backend, channel, flags.device);
  if (where !== undefined && !channel)
    throw badInput(
      "--where chooses among a farm's devices; name the farm with --tracker, or a device of this machine with --device",
    );
  return { channel, device };
}

/** `--device` chooses a device of this machine. The devices of another farm are chosen by key. */
function deviceFor(
  backend: string | undefined,
  channel: ChannelOptions | undefined,
  device: DeviceChoice | undefined,
): DeviceChoice {
  if (channel && device !== undefined)
    throw badInput(`--device chooses a device of this machine; for the farm at ${channel.address} give --target`);
  if (device === undefined || device === "auto") return backend ?? "auto";
  if (backend !== undefined && backendOfDevice(device) !== backend)
    throw badInput(`--device is "${device}", and --target is for ${backend}`);
  return device;
}
