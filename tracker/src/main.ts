/**
 * The tracker process. It prints one line on stdout with its ports when it is ready, and logs JSON lines on stderr. SIGTERM and
 * SIGINT end it once running writes are done; with --exit-with-parent the end of standard input does too.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { defined, FarmError, parseDebug, systemClock } from "@warpfarm/common";
import { logSink } from "@warpfarm/common/process";
import { certificateWarnings, openTracing } from "@warpfarm/proto";
import { pino, stdSerializers } from "pino";
import { watchTokenFile } from "./doors/token-doors.ts";
import { parseTrackerFlags } from "./flags/flags.ts";
import { closedWithin } from "./flow/closed-within.ts";
import { startTracker, type Tracker } from "./tracker.ts";

/**
 * V8 lets the old generation grow to four times its live size before it collects, and thousands of held calls leave old garbage.
 * With 50 % growth, a tracker with 1,000 runners and 11,000 open jobs takes 216 MB instead of 318, and no more time per job.
 */
const heapGrowth = "--heap-growing-percent=50";

/** Kubernetes kills after 30 s. A busy machine needs a few. */
const stopMs = 20_000;

/** Resolves with the exit code: 0 after a signal, 2 for bad input, 3 when it could not start or could not finish its writes. */
export async function trackerMain(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  try {
    const dataHome = env.XDG_DATA_HOME || join(homedir(), ".local/share");
    const flags = parseTrackerFlags(argv, join(dataHome, "warpfarm/tracker"), env.WARPFARM_DATABASE_URL);
    setFlagsFromString(heapGrowth);
    const level = parseDebug(env).level > 0 ? "debug" : "info";
    const log = pino({ name: "tracker", level, serializers: { error: stdSerializers.err } }, logSink());
    // What an operator should know, and what does not keep the tracker from starting.
    for (const sentence of flags.tls ? certificateWarnings(flags.tls, systemClock.now()) : []) log.warn(sentence);
    // Set up before the store is opened, which takes a second: a parent that dies meanwhile must not leave a tracker behind.
    const ended = endOfService(flags.exitWithParent);
    await using tracing = await openTracing(env, "warpfarm-tracker", (sentence) => log.warn(sentence));
    const tracker = await startTracker({
      data: flags.data,
      listen: flags.listen,
      ...defined({ http: flags.http }),
      ...(flags.tls ? { tls: flags.tls } : {}),
      ...(flags.tokens ? { doors: flags.tokens.doors } : {}),
      httpTls: flags.httpTls,
      ...defined({ receiptKey: flags.receiptKey }),
      log,
      tracing,
      ...(flags.leaseTtlMs === undefined ? {} : { policy: { ttlMs: flags.leaseTtlMs } }),
      limits: {
        ...defined({
          idleMs: flags.idleMs,
          maxStoreBytes: flags.maxStoreBytes,
          keepMs: flags.keepMs,
          keepFailuresMs: flags.keepFailuresMs,
          recordInbox: flags.recordInbox,
          verifyPerSecond: flags.verifyPerSecond,
        }),
        ...flags.quotas,
      },
    });
    const watch = flags.tokens && watchTokenFile(flags.tokens, { clock: systemClock, log });
    const host = flags.listen.slice(0, flags.listen.lastIndexOf(":"));
    const http = flags.http === undefined ? "none" : `${flags.http.slice(0, flags.http.lastIndexOf(":"))}:${tracker.httpPort}`;
    process.stdout.write(`tracker ready grpc=${host}:${tracker.grpcPort} http=${http}\n`);
    const why = await Promise.race([ended, storeGone(tracker)]);
    await watch?.stop();
    if (why instanceof FarmError) {
      // Nothing can be written any more, and waiting callers are told so.
      log.error({ error: why }, "stopping");
      await closedWithin(tracker, stopMs, systemClock);
      throw why;
    }
    log.info({ why }, "stopping");
    if (await closedWithin(tracker, stopMs, systemClock)) return 0;
    throw new FarmError(
      "UNAVAILABLE",
      `the store did not answer for ${stopMs / 1000} s; what it was asked to write last may be missing, and nobody was told that it is there`,
    );
  } catch (error) {
    if (!(error instanceof FarmError || error instanceof RangeError)) throw error;
    process.stderr.write(`warpfarm tracker: ${error.message}\n`);
    return error instanceof RangeError || error.code === "INVALID_ARGUMENT" ? 2 : 3;
  }
}

/** Resolves with the reason. */
function storeGone({ gone }: Tracker): Promise<FarmError> {
  return new Promise((resolve) => {
    if (gone?.aborted) resolve(gone.reason as FarmError);
    else gone?.addEventListener("abort", () => resolve(gone.reason as FarmError), { once: true });
  });
}

function endOfService(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    if (!withParent) return;
    process.stdin.once("end", () => resolve("parent gone"));
    process.stdin.once("error", () => resolve("parent gone"));
    process.stdin.resume();
  });
}
