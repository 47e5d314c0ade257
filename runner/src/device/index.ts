/** The kinds of devices a runner can own. A new kind is a folder and a line here. Used only in the child that will own the device. */
import { FarmError } from "@warpfarm/common";
import type { DeviceApi, DeviceDescription } from "./device-api.ts";

export interface OpenedDevice {
  readonly api: DeviceApi;
  readonly description: DeviceDescription;
}

export interface OpenOptions {
  /** Threads of the process. */
  readonly threads: number;
}

interface DeviceKind {
  /** As given to `--device`: "cpu", "cuda:0". */
  readonly pattern: RegExp;
  /** Loads the code of this kind only when it is asked for. Throws FarmError saying what is missing. */
  readonly open: (name: string, options: OpenOptions) => Promise<OpenedDevice>;
}

const kinds: readonly DeviceKind[] = [
  { pattern: /^cpu$/, open: async (_, options) => (await import("./cpu/index.ts")).openCpu(options) },
];

export const isDeviceName = (name: string): boolean => kinds.some(({ pattern }) => pattern.test(name));

/** Throws INVALID_ARGUMENT for a name of no kind. */
export function openDevice(name: string, options: OpenOptions): Promise<OpenedDevice> {
  const kind = kinds.find(({ pattern }) => pattern.test(name));
  if (kind === undefined) throw new FarmError("INVALID_ARGUMENT", `device ${JSON.stringify(name)} is not known; there is: cpu`);
  return kind.open(name, options);
}
