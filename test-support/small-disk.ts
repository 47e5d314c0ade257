/** A file system of its own that a test may fill. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  unmount(): void;
}

export const noMount = "mounting a tmpfs is not permitted here";

/** Mounted at `path`, which is created; undefined where it cannot be mounted. */
export function smallDisk(path: string, kib: number): SmallDisk | undefined {
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "none", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return { path, unmount: () => void execFileSync("umount", ["-l", path]) };
}

/** Leaves at most `leaveBytes` bytes free. Returns the file that takes the rest. */
export function fillDisk(path: string, leaveBytes = 0): string {
  const file = join(path, "filler");
  const free = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  for (let size = 1 << 20; size > 0; size >>= 1)
    try {
      while (leaveBytes === 0 || free() - size >= leaveBytes) appendFileSync(file, new Uint8Array(size));
    } catch {
      // Smaller pieces may still fit.
    }
  return file;
}
