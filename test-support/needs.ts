/**
 * What a test may need and a machine may lack. A missing need skips the test with its reason printed; a need named in WARPFARM_REQUIRE
 * (comma-separated, set by .ci/run) fails it instead, so that a skip can not hide there.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const answers = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const checks = {
  cc: { present: () => answers("cc", "--version"), lack: "no C compiler (cc) on the PATH" },
  nvcc: { present: () => answers("nvcc", "--version"), lack: "no nvcc on the PATH" },
  kubectl: { present: () => answers("kubectl", "version", "--client"), lack: "no kubectl on the PATH" },
  gpu: { present: () => existsSync("/dev/nvidiactl"), lack: "no NVIDIA GPU here" },
} as const;

export type Need = keyof typeof checks;
const known = new Map<Need, boolean>();

export function has(need: Need): boolean {
  let present = known.get(need);
  if (present === undefined) {
    present = checks[need].present();
    known.set(need, present);
  }
  return present;
}

/** First line of a test: `needs(ctx, "nvcc")`. */
export function needs(ctx: { skip(note?: string): never }, ...all: readonly Need[]): void {
  const required = (process.env.WARPFARM_REQUIRE ?? "").split(",");
  for (const need of all) {
    if (has(need)) continue;
    if (required.includes(need)) throw new Error(`${checks[need].lack}, and WARPFARM_REQUIRE asks for it`);
    ctx.skip(checks[need].lack);
  }
}
