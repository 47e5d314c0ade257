/**
 * The debug options of WARPFARM_DEBUG (0 to 5), WARPFARM_DUMP=dir and WARPFARM_CHECK=1, parsed once in each main.ts and passed
 * down.
 *
 *   1  progress and leases     2  + times of each step and pass     3  + the trace of each program
 *   4  + the device text       5  + the function after each pass, and the rules of arithmetic that fired
 *
 * DUMP writes a file for each pass of each program that is lowered; CHECK verifies the function after each pass.
 */
export interface DebugOptions {
  readonly level: 0 | 1 | 2 | 3 | 4 | 5;
  readonly dumpDir?: string;
  readonly check: boolean;
}

export function parseDebug(env: Readonly<Record<string, string | undefined>>): DebugOptions {
  const text = env.WARPFARM_DEBUG || "0";
  if (!/^[0-5]$/.test(text)) throw new RangeError(`WARPFARM_DEBUG is ${JSON.stringify(text)}; it takes 0 to 5`);
  const check = env.WARPFARM_CHECK || "0";
  if (!/^[01]$/.test(check)) throw new RangeError(`WARPFARM_CHECK is ${JSON.stringify(check)}; it takes 0 or 1`);
  return {
    level: Number(text) as DebugOptions["level"],
    check: check === "1",
    ...(env.WARPFARM_DUMP ? { dumpDir: env.WARPFARM_DUMP } : {}),
  };
}
