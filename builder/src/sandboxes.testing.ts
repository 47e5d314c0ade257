/** For tests: each layer of the sandbox alone, as far as this machine has it. */
import { findLayers, type Layers } from "@warpfarm/common/process";
import { lacks, needs } from "../../test-support/needs.ts";

export const koffi = import.meta.resolve("koffi");
const { PATH = "" } = process.env;
const here = await findLayers({ koffi, searchPath: PATH });

const noLayers: Layers = { landlock: 0, seccomp: false, missing: [] };

/** Skips the test, with the reason, where the layer is not there. */
export function layerAlone(ctx: { skip(note?: string): never }, name: "landlock" | "bubblewrap"): Layers {
  if (name === "landlock") {
    if (here.landlock === 0) lacks(ctx, "landlock");
    return { ...noLayers, landlock: here.landlock, seccomp: here.seccomp };
  }
  needs(ctx, "bubblewrap");
  if (here.bubblewrap === undefined) throw new Error(`bwrap works, and the builder says: ${here.missing.join("; ")}`);
  return { ...noLayers, bubblewrap: here.bubblewrap };
}
