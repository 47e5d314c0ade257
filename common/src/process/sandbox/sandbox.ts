/**
 * The sandbox of a child that runs foreign code or reads foreign text. There are two layers, and each hides the contents of all
 * other files:
 *   landlock     Landlock, seccomp, no_new_privs, no capabilities: launch.ts; needs nothing but the kernel
 *   bubblewrap   separate namespaces, which also hide names; most containers do not allow it
 * A process that starts such children finds out once which layers work.
 */
import { readdirSync, realpathSync } from "node:fs";
import { availableParallelism, constants } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { moduleBeside } from "../module-beside.ts";
import { bubblewrapArguments, signalOffset } from "./bubblewrap.ts";
import { ChildGroup } from "./cgroup.ts";
import type { Places } from "./landlock.ts";
import type { LaunchOrder } from "./launch.ts";
import type { Contents } from "./seccomp.ts";

export interface Layers {
  /** Version of the kernel's Landlock; 0: none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** The limit of a child's processes: control groups in this folder, or the limit of its user; absent: none. */
  readonly processes?: { readonly groups: string } | "rlimit";
  readonly bubblewrap?: string;
  readonly missing: readonly string[];
}

export interface Sandbox extends Places {
  readonly layers: Layers;
  readonly koffi: string;
  readonly contents: Contents;
  readonly processes: number;
  /** The child's working directory. It is readable, and writable when `writable` contains it. */
  readonly directory: string;
  /** A child whose sandbox has another stamp no longer serves, because it may open the wrong files. */
  readonly stamp?: string;
}

const launcher = moduleBeside(import.meta.url, "launch");

/** The layers of a process that was told to use no sandbox. */
export const noSandbox: Layers = { landlock: 0, seccomp: false, missing: ["--no-sandbox"] };

/** Whether these layers keep a child from files, sockets and processes that are not its own. */
export const confines = ({ landlock, seccomp, bubblewrap }: Layers): boolean =>
  (landlock > 0 && seccomp) || bubblewrap !== undefined;

export function describeLayers({ landlock, seccomp, bubblewrap }: Layers): string {
  const words = [
    ...(landlock > 0 ? [`Landlock ${landlock}`] : []),
    ...(seccomp ? ["seccomp"] : []),
    ...(bubblewrap === undefined ? [] : ["bubblewrap"]),
  ];
  return words.length === 0 ? "none" : words.join(", ");
}

/** The command of a confined child, and what is disposed of after its end. */
export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  readonly group?: ChildGroup;
}

/** Processes and threads of one child: a dozen of Node, and a compiler's. */
const perChild = 24;

/** The command of `node MODULE ARGUMENTS` in the sandbox. */
export function confined(sandbox: Sandbox, module: string, args: readonly string[]): Confined {
  const { layers, koffi, directory, contents, processes: own, writable } = sandbox;
  const readable = [...new Set([...systemPlaces, ...codePlaces(module, koffi), directory, ...sandbox.readable])];
  const { bubblewrap, processes } = layers;
  const order: LaunchOrder = {
    koffi,
    landlock: layers.landlock > 0,
    ...(layers.seccomp ? { seccomp: contents } : {}),
    // Others of the same user: those of a farm on this machine.
    ...(processes === "rlimit" ? { processes: { own, others: perChild * (availableParallelism() + 2) } } : {}),
    readable,
    writable: [...writable, ...devices],
  };
  const inside = [process.execPath, launcher, JSON.stringify(order), module, ...args];
  const command = [
    ...(bubblewrap === undefined ? [] : [bubblewrap, ...bubblewrapArguments({ readable, writable }, directory)]),
    ...inside,
  ];
  const group = typeof processes === "object" ? new ChildGroup(processes.groups, own) : undefined;
  if (bubblewrap === undefined && group === undefined) return { command: process.execPath, args: command.slice(1) };
  const procs = group === undefined ? "" : join(group.path, "cgroup.procs");
  return { command: "/bin/sh", args: ["-c", first, "sh", procs, ...command], ...(group === undefined ? {} : { group }) };
}

/** Joins the control group, and does what launch.ts does, because there is no /proc in bubblewrap. */
const first =
  'if [ -n "$1" ]; then echo $$ >"$1" || exit 70; fi; shift; { echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"';

/** The signal that the exit code of a child in bubblewrap stands for. */
export function signalOf({ layers }: Sandbox, code: number): string | undefined {
  if (layers.bubblewrap === undefined || code <= signalOffset) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - signalOffset)?.[0];
}

const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"] as const;

/** The places of a system that programs, their libraries and Node read. */
const systemPlaces = [
  "/bin",
  "/lib",
  "/lib32",
  "/lib64",
  "/usr/bin",
  "/usr/include",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libexec",
  "/usr/share/nodejs",
  "/usr/local/bin",
  "/usr/local/include",
  "/usr/local/lib",
  "/usr/local/lib64",
  "/nix/store",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ssl/openssl.cnf",
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/stat",
  "/sys/devices/system/cpu",
] as const;

/** The places of the child's code and of Node: its package, the packages next to it, and every node_modules above them. */
function codePlaces(module: string, koffi: string): readonly string[] {
  const here = [module, launcher, fileURLToPath(koffi)];
  const above = [...here, ...here.map((path) => realpathSync(path))].flatMap((path) => modulesAbove(path));
  const linked = above.flatMap((folder) => linkedPackages(join(folder, "@warpfarm")));
  return [dirname(process.execPath), dirname(realpathSync(process.execPath)), ...here.map(dirname), ...above, ...linked];
}

function modulesAbove(path: string): readonly string[] {
  const parts = path.split(sep);
  return parts.flatMap((_, i) => {
    const folder = [...parts.slice(0, i), "node_modules"].join(sep);
    return i > 0 && isDirectory(folder) ? [folder, realpathSync(folder)] : [];
  });
}

/** In a checkout the packages are links. Their code and package.json are readable, and nothing else of the checkout. */
function linkedPackages(scope: string): readonly string[] {
  if (!isDirectory(scope)) return [];
  return readdirSync(scope).flatMap((name) => {
    try {
      const root = realpathSync(join(scope, name));
      return [join(root, "dist"), join(root, "package.json"), join(root, "node_modules")];
    } catch {
      return [];
    }
  });
}

function isDirectory(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * The places of a tool's installation, given its command or library: its folder and the folders next to it, never everything
 * above.
 */
export function installationOf(file: string): readonly string[] {
  if (!file.startsWith(sep)) return [];
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return [];
  }
  const folder = dirname(real);
  const beside = ["bin", "include", "lib", "lib64", "libexec", "nvvm", "targets"].map((name) => join(dirname(folder), name));
  return [dirname(file), folder, ...(/^(?:bin|lib|lib64)$/.test(basename(folder)) ? beside : [])];
}
