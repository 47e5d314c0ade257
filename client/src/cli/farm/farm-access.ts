/**
 * The farm on which a command measures: the named tracker, or an embedded farm for the length of the command. The command gets an
 * address, the keys of the devices there, and a signal that also aborts when the farm is lost.
 */
import {
  anySignal,
  backendOf,
  backends,
  FarmError,
  isTarget,
  keyOf,
  parseSelector,
  selects,
  type TargetNeed,
} from "@warpfarm/common";
import type { DeviceLimits } from "@warpfarm/compiler/language";
import type { ChannelOptions, FarmSnapshot } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import type { CliContext, DeviceChoice, EmbeddedFarm } from "../context.ts";
import { badInput } from "../exit.ts";
import type { Settings } from "../flags/settings.ts";
import { makeDirectory } from "../make-directory.ts";
import { reaching } from "./farm-flags.ts";

export interface FarmDevice {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly limits: DeviceLimits;
  /** Name of the model and its driver; absent where nobody asked. */
  readonly model?: { readonly name: string; readonly driver: string };
}

export interface FarmBuilder {
  readonly targets: readonly string[];
  readonly toolchains: readonly string[];
}

export interface FarmAccess extends AsyncDisposable {
  readonly channel: ChannelOptions;
  /** Those that live there now. */
  readonly devices: readonly FarmDevice[];
  /** Their match keys, each once. */
  readonly keys: readonly string[];
  /** What its builders build for. */
  readonly targets: readonly string[];
  /** What results of each builder can name as their toolchain. */
  readonly builders: readonly FarmBuilder[];
  readonly embedded: EmbeddedFarm | undefined;
  /** The command's own signal, or the loss of the embedded farm. */
  readonly signal: AbortSignal;
}

export type FarmThere = Pick<FarmAccess, "devices" | "keys" | "targets" | "builders">;

/** The workers of the tracker. Throws with its address when it cannot be reached. */
async function look(channel: ChannelOptions, signal: AbortSignal): Promise<Pick<FarmAccess, "channel" | keyof FarmThere>> {
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(channel);
  return { channel, ...whoIsThere(await reaching(channel.address, tracker.farm.listNodes({ signal }))) };
}

/** Of a farm as it is now. */
export function whoIsThere({ nodes }: Pick<FarmSnapshot, "nodes">): FarmThere {
  const live = nodes.filter((node) => node.state !== "LOST");
  const devices = live.flatMap(({ role, node, labels, devices }) =>
    (role === "runner" ? devices : []).map(({ facts: { key, name, driver }, limits, memoryBytes }): FarmDevice => {
      return { key, labels, memoryBytes, limits: { name: `${name} of node ${node}`, limits }, model: { name, driver } };
    }),
  );
  const builders = live.flatMap(({ role, targets, toolchains = [] }) => (role === "builder" ? [{ targets, toolchains }] : []));
  return {
    devices,
    keys: [...new Set(devices.map((device) => device.key))].sort(),
    targets: [...new Set(builders.flatMap(({ targets }) => targets))].sort(),
    builders,
  };
}

/** Opens the farm; `channel` undefined brings an embedded one, with that device. */
export async function openFarm(
  context: CliContext,
  settings: Settings,
  channel: ChannelOptions | undefined,
  device: DeviceChoice,
): Promise<FarmAccess> {
  if (channel)
    return {
      ...(await look(channel, context.signal)),
      embedded: undefined,
      signal: context.signal,
      async [Symbol.asyncDispose]() {},
    };
  await makeDirectory("the data directory", settings.dataDir);
  await makeDirectory("the cache directory", settings.cacheDir);
  context.stderr.write("starting an embedded farm (tracker, builder, runner) on this machine\n");
  const farm = await context.startFarm({
    device,
    dataDir: settings.dataDir,
    cacheDir: settings.cacheDir,
    signal: context.signal,
    notice: (text) => context.stderr.write(`${text}\n`),
  });
  const signal = anySignal(context.signal, farm.lost);
  try {
    const there = await look({ address: farm.address }, signal);
    return { ...there, embedded: farm, signal, [Symbol.asyncDispose]: () => farm[Symbol.asyncDispose]() };
  } catch (error) {
    await farm[Symbol.asyncDispose]();
    throw error;
  }
}

/** Match keys of the devices that meet the conditions of `--where`. When none does, throws with a list of the devices. */
export function keysWhere({ devices, keys }: Pick<FarmAccess, "devices" | "keys">, where: string | undefined): readonly string[] {
  if (where === undefined) return keys;
  const meeting = devices.filter((d) => selects(parseSelector(`${backendOf(d.key)}/*,${where}`), d));
  if (meeting.length > 0) return [...new Set(meeting.map(({ key }) => key))].sort();
  throw new FarmError("UNAVAILABLE", `no device of the farm has ${where}: ${thereAre(devices)}`);
}

const thereAre = (devices: readonly FarmDevice[]): string =>
  devices.length === 0
    ? "no runner is registered"
    : `there are ${devices.map(({ key, labels, memoryBytes, limits }) => `${limits.name} (${[key, `${Math.floor(memoryBytes / 1e9)} GB`, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)].join(", ")})`).join("; ")}`;

/**
 * The devices that a session asks for: of that key, with the conditions of `--where`, and with room for the task's tensors when
 * they have gigabytes. When no device fits, throws with a list of the devices.
 */
export function selectorFor(
  { devices }: Pick<FarmAccess, "devices">,
  { key, where, task }: { readonly key: string; readonly where?: string | undefined; readonly task: Pick<Task, "tensorBytes"> },
): string {
  const gigabytes = Math.floor(task.tensorBytes / 1e9);
  const text = [key, ...(where === undefined ? [] : [where]), ...(gigabytes === 0 ? [] : [`memory>=${gigabytes}GB`])].join();
  if (devices.some((device) => selects(parseSelector(text), device))) return text;
  const need = gigabytes === 0 ? "" : `; the task's tensors take ${gigabytes} GB`;
  throw new FarmError("UNAVAILABLE", `no device of the farm is ${text}: ${thereAre(devices)}${need}`);
}

/** The registered limits of the devices that a session of that selector can reach. */
export function limitsReached({ devices }: Pick<FarmAccess, "devices">, text: string): readonly DeviceLimits[] {
  const selector = parseSelector(text);
  return devices.filter((device) => selects(selector, device)).map(({ limits }) => limits);
}

/** The task's backend: that of the target, otherwise that of the device if the task has code for it, otherwise the task's own. */
export function backendFor(
  targets: readonly TargetNeed[],
  { target, device }: { readonly target?: string; readonly device?: DeviceChoice },
): string {
  if (target !== undefined) return backendOf(target);
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  if (device === undefined || device === "auto") return kinds[0] as string;
  const asked = backendOfDevice(device);
  if (!kinds.includes(asked)) throw badInput(`--device is "${device}", and the task runs on ${kinds.join(" and ")} only`);
  return asked;
}

const backendOfDevice = (device: DeviceChoice): string => device.split(":", 1)[0] as string;

/** `--device` chooses a device of this machine. The devices of another farm are chosen by key. */
export function deviceFor(backend: string, channel: ChannelOptions | undefined, device: DeviceChoice | undefined): DeviceChoice {
  if (device === undefined) return backend;
  if (channel) throw badInput(`--device chooses a device of this machine; for the farm at ${channel.address} give --target`);
  if (backendOfDevice(device) !== backend) throw badInput(`--device is "${device}", and --target is for ${backend}`);
  return device;
}

/** `--where` chooses among the devices of a farm. An embedded one has one device. */
export function checkWhere(channel: ChannelOptions | undefined, where: string | undefined): void {
  if (where !== undefined && !channel)
    throw badInput(
      "--where chooses among a farm's devices; name the farm with --tracker, or a device of this machine with --device",
    );
}

/** An embedded farm that cannot build for the target never will. On another one a builder may still come. */
export function checkBuilders(context: CliContext, farm: FarmAccess, target: string): void {
  if (farm.targets.includes(target)) return;
  const there = farm.targets.length === 0 ? "no builder is registered" : `its builders build for ${farm.targets.join(", ")}`;
  if (!farm.embedded) {
    context.stderr.write(
      `nothing at ${farm.channel.address} builds for ${target} now (${there}); waiting for a builder that does\n`,
    );
    return;
  }
  const { compilerAdvice } = backends.of(backendOf(target));
  throw new FarmError("UNAVAILABLE", `this machine cannot build for ${target}: no working compiler was found; ${compilerAdvice}`);
}

/**
 * The one key for which code is generated. Without a request, the only key of the task's backend; otherwise the requested key,
 * which must be present. Throws bad input that lists the keys.
 */
export function chooseKey(keys: readonly string[], backend: string, asked: string | undefined): string {
  const there = keys.length === 0 ? "no runner is registered" : `registered are ${keys.join(", ")}`;
  if (asked !== undefined) {
    const selector = parseSelector(isTarget(asked) ? keyOf(asked) : asked);
    const fitting = keys.filter((key) => selects(selector, { key, labels: {}, memoryBytes: Number.POSITIVE_INFINITY }));
    const [only, ...more] = fitting;
    if (only === undefined) throw new FarmError("UNAVAILABLE", `no device of the farm is ${asked}: ${there}`);
    if (more.length > 0) throw badInput(`--target is "${asked}", which fits ${fitting.join(", ")}; name one of them`);
    return only;
  }
  const fitting = keys.filter((key) => backendOf(key) === backend);
  const [only, ...more] = fitting;
  if (only === undefined) throw new FarmError("UNAVAILABLE", `the task needs a ${backend} device: ${there}`);
  if (more.length > 0) throw badInput(`the farm has several ${backend} devices: ${fitting.join(", ")}; choose one with --target`);
  return only;
}
