/**
 * bubblewrap: a file system that has only the named places, and separate namespaces for processes, network, users, System V
 * memory and names. The child cannot even see that another file exists. It works only where the kernel and the environment allow
 * namespaces.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Places } from "./landlock.ts";

/**
 * The sandbox ends with its starter, and ends all that is in it. The process group stays the host's, so the host's kill reaches
 * inside.
 */
const namespaces = [
  "--unshare-user",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
] as const;

/** The arguments in front of the command. */
export function bubblewrapArguments({ readable, writable }: Places, directory: string): readonly string[] {
  const bound = [
    ...readable.filter((path) => existsSync(path) && !path.startsWith("/dev/")).flatMap((path) => ["--ro-bind", path, path]),
    ...writable.filter((path) => existsSync(path) && !path.startsWith("/dev/")).flatMap((path) => ["--bind", path, path]),
  ];
  // The remaining file system is read-only: it is in memory and must not be filled.
  return [...namespaces, "--dev", "/dev", ...bound, "--remount-ro", "/", "--chdir", directory, "--"];
}

export type FoundBubblewrap = { readonly path: string } | { readonly why: string };

/** Tries bwrap once, with all its namespaces. `why` is for people. */
export function findBubblewrap(searchPath: string): FoundBubblewrap {
  const path = searchPath
    .split(delimiter)
    .map((folder) => join(folder || ".", "bwrap"))
    .find(isExecutable);
  if (path === undefined) return { why: "no bwrap on the path" };
  const arguments_ = [...namespaces, "--dev", "/dev", "--ro-bind", "/", "/", "--", "/bin/sh", "-c", "exit 0"];
  const tried = spawnSync(path, arguments_, { encoding: "utf8", env: {}, timeout: 20_000 });
  if (tried.status === 0) return { path };
  const said = (tried.error?.message ?? tried.stderr).trim().split("\n")[0];
  return { why: `${path} cannot make namespaces here: ${said || `it ended with ${tried.status ?? tried.signal}`}` };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** bubblewrap reports a signal as a shell does, by an exit code above 128. */
export const signalOffset = 128;
