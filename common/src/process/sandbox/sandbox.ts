/**
 * The sandbox of a child that runs foreign code or reads foreign text. There are two layers, and each hides the contents of all
 * other files:
 *   landlock     Landlock, seccomp, no_new_privs, no capabilities: launch.ts; needs nothing but the kernel
 *   bubblewrap   separate namespaces, which also hide names; most containers do not allow it
 * A process that starts such children finds out once which layers work.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { moduleBeside } from "../module-beside.ts";
import { bubblewrapArguments, findBubblewrap, signalOffset } from "./bubblewrap.ts";
import type { Places } from "./landlock.ts";
import type { LaunchOrder, Probed } from "./launch.ts";

export interface Layers {
  /** Version of the kernel's Landlock; 0 = none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** The path of bwrap; absent when it is missing or may not make namespaces. */
  readonly bubblewrap?: string;
  /** One sentence for each missing layer. */
  readonly missing: readonly string[];
}

/** How to start a child that may be confined. */
export interface Sandbox extends Places {
  readonly layers: Layers;
  /** URL of koffi's module. */
  readonly koffi: string;
  /** The child's working directory. It is readable, and writable when `writable` contains it. */
  readonly directory: string;
  /** A child whose sandbox has another stamp no longer serves, because it may open the wrong files. */
  readonly stamp?: string;
}

export interface FindOptions {
  /** URL of koffi's module. */
  readonly koffi: string;
  /** The PATH in which bwrap is looked for. */
  readonly searchPath: string;
}

const launcher = moduleBeside(import.meta.url, "launch");

/** What this machine has. */
export function findLayers({ koffi, searchPath }: FindOptions): Layers {
  if (process.platform !== "linux")
    return { landlock: 0, seccomp: false, missing: [`there are no sandboxes on ${process.platform}`] };
  const missing: string[] = [];
  let probed: Probed = { landlock: 0, seccomp: false };
  try {
    const order: LaunchOrder = { koffi, probe: true };
    const said = execFileSync(process.execPath, [launcher, JSON.stringify(order)], {
      env: {},
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
    });
    probed = JSON.parse(said) as Probed;
  } catch (error) {
    missing.push(`the sandbox could not be tried: ${(error as Error).message.split("\n")[0] ?? ""}`);
  }
  if (probed.landlock === 0) missing.push("this kernel has no Landlock (Linux 5.13 and later, with landlock among its lsm=)");
  if (!probed.seccomp) missing.push(`no seccomp filter for ${process.arch} could be set`);
  const found = findBubblewrap(searchPath);
  if ("why" in found) missing.push(found.why);
  return { ...probed, ...("path" in found ? { bubblewrap: found.path } : {}), missing };
}

/** Do these layers keep a child from opening files that are not its own? */
export const confines = ({ landlock, bubblewrap }: Layers): boolean => landlock > 0 || bubblewrap !== undefined;

/** In words, for logs and `doctor`. */
export function describeLayers({ landlock, seccomp, bubblewrap }: Layers): string {
  const words = [
    ...(landlock > 0 ? [`Landlock ${landlock}`] : []),
    ...(seccomp ? ["seccomp"] : []),
    ...(bubblewrap === undefined ? [] : ["bubblewrap"]),
  ];
  return words.length === 0 ? "none" : words.join(", ");
}

/** The command line of `node MODULE ARGUMENTS` in the sandbox. */
export function confined(sandbox: Sandbox, module: string, args: readonly string[]): readonly [string, readonly string[]] {
  const { layers, koffi, directory } = sandbox;
  const readable = [...new Set([...systemPlaces, ...codePlaces(module, koffi), directory, ...sandbox.readable])];
  const { writable } = sandbox;
  const order: LaunchOrder = {
    koffi,
    landlock: layers.landlock > 0,
    seccomp: layers.seccomp,
    readable,
    writable: [...writable, ...devices],
  };
  const command = [process.execPath, launcher, JSON.stringify(order), module, ...args];
  const { bubblewrap } = layers;
  if (bubblewrap === undefined) return [process.execPath, command.slice(1)];
  const kept = [bubblewrap, ...bubblewrapArguments({ readable, writable }, directory), ...command];
  return ["/bin/sh", ["-c", volunteer, "sh", ...kept]];
}

/** Does what launch.ts does, because there is no /proc inside. */
const volunteer = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"';

/** The signal that the exit code of a child in bubblewrap stands for. */
export function signalOf({ layers }: Sandbox, code: number): string | undefined {
  if (layers.bubblewrap === undefined || code <= signalOffset) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - signalOffset)?.[0];
}

const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"] as const;

/**
 * The places of a system that programs, their libraries and Node read. Of /etc, /proc, /home, /run and /var only the files named
 * here.
 */
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

/** The node_modules folders in which Node's resolution looks from this file. */
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
