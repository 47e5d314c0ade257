/** koffi calls native libraries for builders and runners. npm installs its binary for one platform, as an optional dependency. */
import { createRequire } from "node:module";
import { FarmError } from "@warpfarm/common";

const requireBeside = createRequire(import.meta.resolve("@warpfarm/runner"));

export const koffiPath = (): string => requireBeside.resolve("koffi");

/** Throws FarmError when it does not load. */
export function needKoffi(): void {
  try {
    requireBeside("koffi");
  } catch (error) {
    const platform = `${process.platform}-${process.arch}`;
    throw new FarmError(
      "FAILED_PRECONDITION",
      `koffi has no binary for ${platform} here, and builders and runners need it: install Warpfarm on this machine, with optional dependencies (npm install --include=optional)`,
      { cause: error },
    );
  }
}
