/** Serves the page of log files on loopback, for a command. */
import type { CliContext } from "@warpfarm/client/cli";
import { defined } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";

interface Asked {
  readonly paths: readonly string[];
  /** 0 takes a free one. */
  readonly port: number;
  readonly version: string;
  /** Whether the paths may not exist yet. */
  readonly mayCome?: boolean;
  readonly skipBroken?: boolean;
}

export async function servePageOfLogs(
  { stderr, clock }: CliContext,
  { paths, port, version, mayCome = false, skipBroken }: Asked,
) {
  const { openDoors, openFiles, pageApp, servePage } = await import("@warpfarm/web");
  const source = await openFiles(paths, { now: () => clock.now(), programOf, mayCome, ...defined({ skipBroken }) });
  const onError = (error: unknown, path: string) => stderr.write(`warpfarm: page ${path}: ${String(error)}\n`);
  const app = pageApp({ source, doors: openDoors, clock, version, isLoopback: true, onError });
  return { source, server: await servePage(app, port) };
}

/**
 * Logs contain only the digests of programs. For a template that comes with Warpfarm the program is made again. If the template's
 * version is another one, the digest differs and the program is left out.
 */
async function programOf({ task, args, target, config, program }: TuningRecord): Promise<string | undefined> {
  if (program === undefined || config === undefined) return undefined;
  const { replay } = await import("@warpfarm/templates/replay");
  const made = replay({ template: task, args, target, config: config.entity });
  if (!made.ok || made.value.program.digest !== program) return undefined;
  return new TextDecoder().decode(made.value.program.bytes);
}
