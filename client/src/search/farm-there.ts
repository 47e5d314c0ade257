/** The devices of a farm, and which of them a search may have: match keys, selectors and limits. Nothing here asks a farm. */
import { backendOf, badInput, FarmError, isTarget, keyOf, parseSelector, selects, type TargetNeed } from "@warpfarm/common";
import { type DeviceLimits, gpuLimits, type Limits } from "@warpfarm/compiler/language";
import type { FarmSnapshot } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import type { FarmDevice } from "./farm-device.ts";

export interface FarmThere {
  readonly devices: readonly FarmDevice[];
  readonly keys: readonly string[];
  readonly targets: readonly string[];
  /** Builds at once, of all builders. */
  readonly slots: number;
}

export function whoIsThere({ nodes }: Pick<FarmSnapshot, "nodes">): FarmThere {
  const live = nodes.filter((node) => node.state !== "LOST");
  const devices = live.flatMap(({ role, node, labels, devices }) =>
    (role === "runner" ? devices : []).map(({ facts: { key, name, driver }, limits, memoryBytes }): FarmDevice => {
      return { key, labels, memoryBytes, limits: { name: `${name} of node ${node}`, limits }, model: { name, driver } };
    }),
  );
  const builders = live.filter(({ role }) => role === "builder");
  return {
    devices,
    keys: [...new Set(devices.map((device) => device.key))].sort(),
    targets: [...new Set(builders.flatMap(({ targets }) => targets))].sort(),
    slots: builders.reduce((sum, { slots }) => sum + slots, 0),
  };
}

/** Match keys of the devices that meet the conditions of `--where`. When none does, throws with a list of the devices. */
export function keysWhere({ devices, keys }: Pick<FarmThere, "devices" | "keys">, where: string | undefined): readonly string[] {
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
  { devices }: Pick<FarmThere, "devices">,
  { key, where, task }: { readonly key: string; readonly where?: string | undefined; readonly task: Pick<Task, "tensorBytes"> },
): string {
  const gigabytes = Math.floor(task.tensorBytes / 1e9);
  const text = [key, ...(where === undefined ? [] : [where]), ...(gigabytes === 0 ? [] : [`memory>=${gigabytes}GB`])].join();
  if (devices.some((device) => selects(parseSelector(text), device))) return text;
  const need = gigabytes === 0 ? "" : `; the task's tensors take ${gigabytes} GB`;
  throw new FarmError("UNAVAILABLE", `no device of the farm is ${text}: ${thereAre(devices)}${need}`);
}

/** Its searches compete for the same devices. It is also the selector of their sessions while none of these is there. */
export const poolOf = ({
  key = "",
  where,
}: {
  readonly key?: string | undefined;
  readonly where?: string | undefined;
}): string => (where === undefined ? key : `${key},${where}`);

/** The registered limits of the devices that a session of that selector can reach. */
export function limitsReached({ devices }: Pick<FarmThere, "devices">, text: string): readonly DeviceLimits[] {
  const selector = parseSelector(text);
  return devices.filter((device) => selects(selector, device)).map(({ limits }) => limits);
}

/** Without a target, the task's first backend of which the farm has a device. */
export function backendThere(targets: readonly TargetNeed[], keys: readonly string[]): string {
  const kinds = targets.map(({ kind }) => kind);
  return kinds.find((kind) => keys.some((key) => backendOf(key) === kind)) ?? (kinds[0] as string);
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
  // Without any, nobody knows on which of its backends the task would have run.
  if (keys.length === 0) throw new FarmError("UNAVAILABLE", "the farm has no device: no runner is registered");
  if (only === undefined) throw new FarmError("UNAVAILABLE", `the task needs a ${backend} device: ${there}`);
  if (more.length > 0) throw badInput(`the farm has several ${backend} devices: ${fitting.join(", ")}; choose one with --target`);
  return only;
}

/** The limits of a target, and of the devices of a farm that may get the config. */
export const limitsOf = (
  { limits }: { readonly limits?: "device" | "autotvm" },
  on: string,
  devices: readonly DeviceLimits[] = [],
): Limits => (limits === "autotvm" ? gpuLimits("autotvm") : gpuLimits(on, devices));
