/** Flags that builder and runner share: their name, their folders and their end. */

import { type CliContext, connection, defaultTracker, parse, readSettings, takes } from "@warpfarm/client/cli";
import type { FarmFlags } from "@warpfarm/client/cli/farm";
import { badInput, defined } from "@warpfarm/common";
import { lineFromParent } from "@warpfarm/common/process";
import type { Command } from "commander";

export interface WorkerFlags extends FarmFlags {
  readonly label?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly cache?: string;
  readonly health?: string;
  readonly exitWithParent?: boolean;
  readonly trackerOnStdin?: boolean;
  readonly sandbox: boolean;
}

function label(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const match = /^([A-Za-z_][\w.-]{0,62})=([\w.:/-]{0,128})$/.exec(text);
  if (!match || match[1] === "__proto__")
    throw badInput(`--label is ${JSON.stringify(text.slice(0, 100))}; it takes name=value, for instance site=lab`);
  return { ...before, [match[1] as string]: match[2] as string };
}

export const addWorkerFlags = (command: Command): Command =>
  takes(command, ...connection)
    .option("--label <name=value>", "label for selectors to match (repeatable)", label)
    .option("--node <name>", "name of this machine in lists (default: the host's)")
    .option("--cache <dir>", "directory for artifacts")
    .option("--health <host:port>", "answer GET /healthz there while the work goes on, for a liveness probe (default: none)")
    .option("--no-sandbox", "start without looking for a sandbox: compilers and CPU kernels can do what this user can")
    .option("--exit-with-parent", "end when standard input closes")
    .option("--tracker-on-stdin", "read the tracker's address, of this machine, from standard input");

/** The bytes of a number of MiB, as flags have it. */
export const bytesOf = (mb: number | undefined): number | undefined => (mb === undefined ? undefined : mb * 2 ** 20);

/** The options both mains share; flags over settings. */
export async function workerOptions(flags: WorkerFlags, context: CliContext) {
  const settings = await readSettings(context);
  const { label: labels, node, health, exitWithParent, sandbox } = flags;
  const { tokenFile, tlsCa, tlsCert, tlsKey } = { ...settings, ...flags };
  const tracker = flags.tracker ?? settings.tracker ?? defaultTracker;
  const addresses = parse.addresses("--tracker");
  return {
    settings,
    shared: {
      tracker: flags.trackerOnStdin === true ? lineFromParent().then(addresses) : addresses(tracker),
      signal: context.signal,
      withoutSandbox: !sandbox,
      ...defined({ tokenFile, tlsCa, tlsCert, tlsKey, labels, node, health, exitWithParent }),
    },
  };
}
