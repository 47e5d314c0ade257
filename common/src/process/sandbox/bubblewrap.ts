/**
 * bubblewrap: a file system that has only the named places, and separate namespaces for processes, network, users, System V
 * memory and names. The child cannot even see that another file exists. It works only where the kernel and the environment allow
 * namespaces.
 */
import { existsSync } from "node:fs";
import type { Places } from "./landlock.ts";

/**
 * The sandbox ends with its starter, and ends everything in it. The process group stays the host's, so the host's kill reaches
 * inside. Root needs no namespace of users, in which its child could not become another user (users.ts).
 */
const namespaces = (): readonly string[] => [
  ...(process.geteuid?.() === 0 ? [] : ["--unshare-user"]),
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
];

export function bubblewrapArguments({ readable, writable }: Places, directory: string): readonly string[] {
  const bound = [
    ...readable.filter((path) => existsSync(path) && !path.startsWith("/dev/")).flatMap((path) => ["--ro-bind", path, path]),
    ...writable.filter((path) => existsSync(path) && !path.startsWith("/dev/")).flatMap((path) => ["--bind", path, path]),
  ];
  // The remaining file system is read-only: it is in memory and must not be filled.
  return [...namespaces(), "--dev", "/dev", ...bound, "--remount-ro", "/", "--chdir", directory, "--"];
}

export const bubblewrapProbe = (): readonly string[] => [
  ...namespaces(),
  ...["--dev", "/dev", "--ro-bind", "/", "/", "--", "/bin/sh", "-c", "exit 0"],
];

/** bubblewrap reports a signal as a shell does, by an exit code above 128. */
export const signalOffset = 128;
