/** The kinds of devices that a runner can own. A new kind takes a folder and a line here. */
import { backends, badInput, Registry } from "@warpfarm/common";
import { cudaEnvironment } from "./cuda/environment.ts";
import type { DeviceApi, DeviceDescription } from "./device-api.ts";
import type { OwnCode } from "./own.ts";

export interface OpenedDevice {
  readonly api: DeviceApi;
  readonly description: DeviceDescription;
  /** The node's own kernels; absent where none are committed for this processor or system. */
  readonly own?: OwnCode;
  /** Measures what the device reads in a second: limits besides those of the description. Takes less than half a second. */
  readonly rates?: () => DeviceDescription["limits"];
}

export interface TakenDevice {
  readonly taken: string;
  readonly description: DeviceDescription;
}

export interface OpenOptions {
  readonly threads: number;
  /** Whether to use a device that others use too; times then depend on them. */
  readonly allowShared: boolean;
  /** Whether to time only while nobody else uses the device (measure/windows.ts). */
  readonly yieldToOthers: boolean;
}

interface LoadedKind {
  /** Starts the vendor's libraries, but takes nothing of the device. Never throws: open reports what is missing. */
  readonly prepare: (name: string) => void;
  /** Throws FarmError that says what is missing. */
  readonly open: (name: string, options: OpenOptions) => OpenedDevice | TakenDevice;
}

interface DeviceKind {
  /** Whether kernels run on the host's own processor: the child has resource limits, and nobody compiles while it times. */
  readonly onHost: boolean;
  readonly environment: readonly string[];
  readonly load: () => Promise<LoadedKind>;
}

export const deviceKinds = new Registry<DeviceKind>("device of the runner", {
  cpu: {
    onHost: true,
    environment: ["WARPFARM_CPU_LEVEL"],
    load: async () => {
      const { openCpu } = await import("./cpu/index.ts");
      return { prepare: () => {}, open: (_, options) => openCpu(options) };
    },
  },
  cuda: {
    onHost: false,
    environment: cudaEnvironment,
    load: async () => {
      const { prepareCuda, openCuda } = await import("./cuda/index.ts");
      return { prepare: prepareCuda, open: openCuda };
    },
  },
});

/** Throws INVALID_ARGUMENT for an unknown kind. */
export function deviceKind(name: string): Pick<DeviceKind, "onHost" | "environment"> {
  return kindOf(name);
}

/** Loads and starts what openDevice will need, and takes nothing of the device. Throws INVALID_ARGUMENT for an unknown kind. */
export async function prepareDevice(name: string): Promise<void> {
  (await kindOf(name).load()).prepare(name);
}

export async function openDevice(name: string, options: OpenOptions): Promise<OpenedDevice | TakenDevice> {
  return (await kindOf(name).load()).open(name, options);
}

function kindOf(name: string): DeviceKind {
  const [, kind = "", number] = /^([a-z]+)(:\d{1,3})?$/.exec(name) ?? [];
  const isNumbered = number !== undefined;
  if (deviceKinds.has(kind) && (backends.of(kind).devices === "numbered") === isNumbered) return deviceKinds.of(kind);
  const there = deviceKinds.names.map((one) => (backends.of(one).devices === "one" ? one : `${one}:0, ${one}:1, ...`));
  throw badInput(`device ${JSON.stringify(name)} is not known; there are: ${there.join("; ")}`);
}
