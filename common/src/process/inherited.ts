/**
 * Descriptors that programs started by this process would inherit: Node closes its own files on exec, but not all of those that
 * it inherited itself (a shell's log file). A child that runs foreign code is told their numbers, and closes them.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const variable = "WARPFARM_INHERITED";

/** O_CLOEXEC in `flags:` of /proc/PID/fdinfo, which is octal. <asm-generic/fcntl.h> */
const closeOnExec = 0o2000000;

/**
 * The environment that tells a child the inherited descriptors from `least`. Empty where there are none, or the system does not
 * tell.
 */
export function tellInherited(least: number): Readonly<Record<string, string>> {
  const numbers = inheritable(least);
  return numbers.length === 0 ? {} : { [variable]: numbers.join() };
}

/** The child calls it to close these descriptors. */
export function closeInherited(): void {
  const told = process.env[variable] ?? "";
  delete process.env[variable];
  for (const fd of told.split(",").filter((word) => word !== "")) {
    try {
      closeSync(Number(fd));
    } catch {
      // It was not inherited.
    }
  }
}

function inheritable(least: number): readonly number[] {
  try {
    return readdirSync("/proc/self/fdinfo").flatMap((name) => {
      const fd = Number(name);
      return fd >= least && !closesOnExec(fd) ? [fd] : [];
    });
  } catch {
    return [];
  }
}

function closesOnExec(fd: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    return true;
  }
}
