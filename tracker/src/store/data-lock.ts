/** The lock of a data directory, the file `DIR.lock`. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { badInput, FarmError, fileFault } from "@warpfarm/common";
import { type LockFile, lockFile } from "@warpfarm/common/process";

/**
 * Throws FAILED_PRECONDITION that names the holder when a live process has the directory, INVALID_ARGUMENT when no lock can be
 * written.
 */
export async function lockDataDirectory(directory: string): Promise<LockFile> {
  const path = `${directory.replace(/\/+$/, "")}.lock`;
  try {
    await mkdir(dirname(path), { recursive: true });
    return await lockFile(path, {
      held: ({ pid }) =>
        new FarmError("FAILED_PRECONDITION", `the data directory ${directory} is in use by process ${pid} (${path})`),
    });
  } catch (error) {
    if (error instanceof FarmError) throw error;
    throw badInput(`the data directory ${directory} cannot be used: ${fileFault(error)}`, {
      cause: error,
    });
  }
}
