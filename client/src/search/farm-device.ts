import type { DeviceLimits } from "@warpfarm/compiler/language";

export interface FarmDevice {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly limits: DeviceLimits;
  /** Name of the model and its driver; absent where they were not requested. */
  readonly model?: { readonly name: string; readonly driver: string };
}
