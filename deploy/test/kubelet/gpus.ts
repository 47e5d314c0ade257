/**
 * Libraries of NVIDIA's driver that show one H100 each, whose runner is well, compiled from the fake that tests of the binding
 * use.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { at } from "../deployment/places.ts";

/** A folder with the libcuda.so.1 of GPU number n. */
export function fakeGpus(directory: string): (number: number) => string {
  const made = new Map<number, string>();
  return (number) => {
    const known = made.get(number % 16);
    if (known !== undefined) return known;
    const folder = join(directory, `gpu-${number % 16}`);
    mkdirSync(folder);
    const flags = [
      "-shared",
      "-fPIC",
      "-w",
      "-ffp-contract=off",
      `-DFAKE_GPU=${number % 16}`,
      "-I",
      fileURLToPath(new URL(".", import.meta.url)),
    ];
    execFileSync("cc", [...flags, "-o", join(folder, "libcuda.so.1"), at("runner/src/device/cuda/testdata/fake-cuda.c")]);
    made.set(number % 16, folder);
    return folder;
  };
}
