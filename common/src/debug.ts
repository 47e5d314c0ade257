/**
 * Debug options of WARPFARM_DEBUG (0..5: progress and leases, timings, traces, device text, IR after each pass),
 * WARPFARM_DUMP=dir, WARPFARM_CHECK=1, WARPFARM_NOSIMPLIFY=1. Parsed once, in a main.ts, and passed down.
 */
export interface DebugOptions {
  readonly level: 0 | 1 | 2 | 3 | 4 | 5;
  readonly dumpDir?: string;
  readonly check: boolean;
  readonly simplify: boolean;
}

export const quiet: DebugOptions = { level: 0, check: false, simplify: true };

export function parseDebug(env: Readonly<Record<string, string | undefined>>): DebugOptions {
  const text = env.WARPFARM_DEBUG ?? "0";
  if (!/^[0-5]$/.test(text)) throw new RangeError(`WARPFARM_DEBUG is ${JSON.stringify(text)}; it takes 0 to 5`);
  return {
    level: Number(text) as DebugOptions["level"],
    check: env.WARPFARM_CHECK === "1",
    simplify: env.WARPFARM_NOSIMPLIFY !== "1",
    ...(env.WARPFARM_DUMP ? { dumpDir: env.WARPFARM_DUMP } : {}),
  };
}
